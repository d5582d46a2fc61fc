/** The item's own fault: recorded under its namespace, the other items go on (design §3). */
export class ItemError extends Error {
  readonly type = 'ItemError';
}
