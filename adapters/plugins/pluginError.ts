type PluginErrorType =
  /** The program could not be started, or did not speak Velero's plugin protocol. */
  | 'PluginStart'
  /** It was started again and again and died each time. */
  | 'PluginDied'
  /** It answered with an error, or not in time. */
  | 'PluginCall'
  /** Its answer cannot be used. */
  | 'PluginAnswer'
  /** What the directory's programs offer cannot be registered. */
  | 'PluginRegistration'
  /** Nothing of that kind and name is registered. */
  | 'PluginUnknown';

/** A fault of a plugin program; every message names its file. */
export class PluginError extends Error {
  constructor(
    readonly type: PluginErrorType,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'PluginError';
  }
}
