/** Requests of one activity at the same time. */
const PARALLEL = 16;

/** What `work` makes of each, in their order; a few at a time. */
export async function inParallel<T, R>(
  all: readonly T[],
  work: (one: T) => Promise<R>,
  atATime = PARALLEL,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < all.length; start += atATime) {
    for (const result of await Promise.all(all.slice(start, start + atATime).map(work))) results.push(result);
  }
  return results;
}
