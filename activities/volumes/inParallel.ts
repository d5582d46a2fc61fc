/** Requests for different volumes at the same time. */
const PARALLEL = 16;

/** What `work` makes of each, in their order; a few at a time. */
export async function inParallel<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < all.length; start += PARALLEL) {
    results.push(...(await Promise.all(all.slice(start, start + PARALLEL).map(work))));
  }
  return results;
}
