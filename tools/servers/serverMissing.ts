/** A server program is not on this machine and cannot be had; the message says what is missing and how to get it. */
export class ServerMissing extends Error {
  readonly type = 'ServerMissing';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerMissing';
  }
}
