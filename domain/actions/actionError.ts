type ActionErrorType =
  /** A field that the action must read holds a value of another type. */
  | 'ItemFieldType'
  /** More than one plugin ConfigMap for one action. */
  | 'PluginConfigAmbiguous'
  /** A storage class mapping names a class that the target cluster does not have. */
  | 'StorageClassMissing'
  /** An action's label selector cannot be parsed. */
  | 'ActionSelectorInvalid'
  /** A registered name that is none. */
  | 'ActionNameInvalid'
  /** What a volume's data would be restored from is not there, or not clear. */
  | 'VolumeDataMissing'
  /** An action answered with something that an action cannot answer. */
  | 'ActionOutputInvalid'
  /** An action that this worker does not have, or that lacks the method that is asked for. */
  | 'ActionUnknown';

/** A fault of an item, of a plugin ConfigMap or of an action itself; never one of the API server. */
export class ActionError extends Error {
  constructor(
    readonly type: ActionErrorType,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ActionError';
  }
}
