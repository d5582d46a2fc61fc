import { isNativeError } from 'node:util/types';

/** The `code` of a system error (`ENOENT`, `EADDRINUSE`), of whatever realm. */
export function errorCode(error: unknown): string | undefined {
  if (!isNativeError(error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** What an error says; its name where it says nothing. */
export function errorMessage(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  return error.message === '' ? error.name : error.message;
}
