/** What an error says, whatever was thrown. Not by `instanceof Error`: under jest, errors of Node's own modules come from another realm. */
export function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error);
  return String(error.message);
}
