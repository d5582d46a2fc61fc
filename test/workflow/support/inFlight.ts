import type { Call } from './scriptedActivities.ts';

/** The most calls that were going on at the same time. */
export function mostInFlight(calls: readonly Pick<Call, 'began' | 'ended'>[]): number {
  const steps = calls.flatMap(({ began, ended }) => [
    { at: began, step: 1 },
    { at: ended, step: -1 },
  ]);
  let now = 0;
  let most = 0;
  for (const { step } of steps.sort((a, b) => a.at - b.at)) {
    now += step;
    most = Math.max(most, now);
  }
  return most;
}

/** Places in the order of calls between which all of them lay. */
export function span(calls: readonly Pick<Call, 'began' | 'ended'>[]): {
  readonly first: number;
  readonly last: number;
} {
  return { first: Math.min(...calls.map(({ began }) => began)), last: Math.max(...calls.map(({ ended }) => ended)) };
}
