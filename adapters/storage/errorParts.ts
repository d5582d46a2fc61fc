/** What can be told of a thrown value. */
export interface ErrorParts {
  readonly name: string;
  readonly message: string;
  /** `code` of a Node.js error. */
  readonly code: string | undefined;
}

function textIn(error: object, key: string): string | undefined {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : undefined;
}

/** Takes a thrown value apart; by its shape, not its class: errors of Node.js itself may stem from another realm. */
export function errorParts(error: unknown): ErrorParts {
  if (typeof error !== 'object' || error === null) return { name: 'Error', message: String(error), code: undefined };
  return {
    name: textIn(error, 'name') ?? 'Error',
    message: textIn(error, 'message') ?? '',
    code: textIn(error, 'code'),
  };
}

/** The `code` of a Node.js error. */
export function errorCode(error: unknown): string | undefined {
  return errorParts(error).code;
}

/** Whether an error says that the caller gave up. */
export function isAbort(error: unknown): boolean {
  return errorParts(error).name === 'AbortError';
}
