/** A resource modifier that cannot be read, or that cannot be carried out on an item. The message holds no value of an item. */
export class ModifierError extends Error {
  constructor(
    readonly type: 'ModifiersUnreadable' | 'ModifiersInvalid' | 'ModifierFailed',
    message: string,
  ) {
    super(message);
    this.name = 'ModifierError';
  }
}
