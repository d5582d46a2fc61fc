import { CancellationScope, condition } from '@temporalio/workflow';

/**
 * Runs `run` for each item with at most `width` at a time, in order of their start. The first error stops further starts and is
 * thrown once those in flight have ended.
 * @param width asked before each start, as it may change at any time; 0 holds further starts until it grows.
 * @param mayStart asked before each start; false ends the run early.
 */
export async function runWindow<T>(
  items: Iterable<T>,
  width: () => number,
  run: (item: T) => Promise<void>,
  mayStart: () => boolean = () => true,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const errors: unknown[] = [];
  let inFlight = 0;
  const start = async (item: T): Promise<void> => {
    inFlight++;
    try {
      await run(item);
    } catch (error) {
      errors.push(error);
    } finally {
      inFlight--;
    }
  };
  const goesOn = (): boolean => errors.length === 0 && mayStart();
  while (goesOn()) {
    if (inFlight >= width()) {
      await waitFor(() => inFlight < width() || !goesOn());
      continue;
    }
    const next = iterator.next();
    if (next.done === true) break;
    void start(next.value);
  }
  await waitFor(() => inFlight === 0);
  if (errors.length > 0) throw errors[0];
}

/** Also in a scope that was cancelled: who cancels wants those in flight to end, and `mayStart` says that no more may start. */
async function waitFor(isSo: () => boolean): Promise<void> {
  await CancellationScope.nonCancellable(() => condition(isSo));
}
