import type { RestoreProgress } from '../domain/contract.ts';
import { addCounters, type Counters, itemsDone, noCounters } from '../domain/results/counters.ts';

/** How far a restore has come, what its shards have done included. */
export interface RestoreProgressReport extends RestoreProgress {
  readonly itemsDone: number;
  /** Faults that activities are being retried for: an unreachable API server or object store. Most common first. */
  readonly troubles: readonly string[];
}

/** Adds what the running shards say to what their restore knows: it learns of a shard's items when the shard ends. */
export function addShards(
  root: RestoreProgress,
  shards: readonly Counters[],
  troubles: readonly string[],
): RestoreProgressReport {
  const inShards = shards.reduce(addCounters, noCounters);
  const counters = addCounters(root.counters, inShards);
  return {
    ...root,
    counters,
    // Waves run one after another, so all shards are of the one that the restore is at.
    waves: root.waves.map((wave) =>
      `restoring ${wave.name}` === root.step
        ? { ...wave, done: wave.done + itemsDone(inShards), failed: wave.failed + inShards.failed }
        : wave,
    ),
    itemsDone: itemsDone(counters),
    troubles: byFrequency(troubles),
  };
}

function byFrequency(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text);
}
