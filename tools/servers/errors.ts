/**
 * Whether an error of the system carries that code (`ENOENT` …). Not by `instanceof Error`: under jest, errors of Node's
 * own modules come from another realm.
 */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
