import { exitCodes } from './exitCodes.ts';

/** Thrown to end a command with one line for its user: what is wrong, where, and what was expected. */
export class CommandError extends Error {
  readonly type: string;
  readonly exitCode: number;

  constructor(type: string, message: string, options: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options);
    this.name = 'CommandError';
    this.type = type;
    this.exitCode = options.exitCode ?? exitCodes.error;
  }
}
