/**
 * Runs `run` for each item with at most `width` at a time, in order of their start. The first error stops further starts and is
 * thrown once those in flight have ended.
 * @param mayStart asked before each start; false ends the run early.
 */
export async function runWindow<T>(
  items: Iterable<T>,
  width: number,
  run: (item: T) => Promise<void>,
  mayStart: () => boolean = () => true,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const errors: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (errors.length === 0 && mayStart()) {
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await run(next.value);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, width) }, lane));
  if (errors.length > 0) throw errors[0];
}
