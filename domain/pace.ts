/** How fast a restore goes, as operators set it while it runs. */
export interface Pace {
  /** No further item is started; those in flight end. */
  readonly paused: boolean;
  /** Activities in flight over the whole restore; 0 = as its options say: shards × window. */
  readonly maxInFlight: number;
}

export const normalPace: Pace = { paused: false, maxInFlight: 0 };

/** More would not be faster: workers and API server have limits of their own. */
export const MOST_IN_FLIGHT = 10_000;

/** What is wrong with a value for `maxInFlight`; undefined where nothing is. */
export function whyNoMaxInFlight(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_IN_FLIGHT) return undefined;
  return `max-in-flight: found ${JSON.stringify(value)}, expected a whole number from 1 to ${MOST_IN_FLIGHT}, or 0 for the restore's own options`;
}

/**
 * How many activities each of the shards at work may have in flight: the same for all, but the first ones get what is left over. None
 * where there are fewer than shards: those get their turn when others have ended.
 * @param window of a shard where nobody has set a limit.
 */
export function sharesOf({ paused, maxInFlight }: Pace, shards: number, window: number): number[] {
  return Array.from({ length: shards }, (_, position) => {
    if (paused) return 0;
    if (maxInFlight === 0) return window;
    return Math.floor(maxInFlight / shards) + (position < maxInFlight % shards ? 1 : 0);
  });
}
