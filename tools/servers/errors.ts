/**
 * Whether an error of the system carries that code (`ENOENT` …). Not by `instanceof Error`: under jest, errors of Node's
 * own modules come from another realm.
 */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error);
  return String(error.message);
}
