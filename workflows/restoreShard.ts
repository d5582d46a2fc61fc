import { CancellationScope, continueAsNew, defineQuery, setHandler, workflowInfo } from '@temporalio/workflow';
import { queryNames, type RestoreShardInput, type RestoreShardResult, type ShardProgress } from '../domain/contract.ts';
import { addCounters } from '../domain/results/counters.ts';
import { HookAnnouncer } from './hookAnnouncer.ts';
import { ItemRunner, type Rest } from './itemRunner.ts';
import { OutcomeBatch } from './outcomeBatch.ts';
import { windowSignal } from './shardWindow.ts';
import { someOf } from './suspendedItems.ts';

/** Beyond this many events the window is drained and the shard goes on as a new run; the server suggests it at 4,096. */
const MAX_EVENTS = 3_000;

export const shardProgressQuery = defineQuery<ShardProgress>(queryNames.progress);

/**
 * Restores a slice of a wave.
 *
 *   1. describeItems: names for the Temporal UI
 *   2. restoreItem (or restoreItems, a group) with a small window in flight
 *   3. recordOutcomes, in batches; also when the restore is being cancelled
 *
 * A cancelled shard ends normally with what it did, because that must reach the results.
 */
export async function restoreShard(input: RestoreShardInput): Promise<RestoreShardResult> {
  const { ref, offset, length } = input;
  let { counters, window } = input;
  const waiting = new Set<string>();
  setHandler(shardProgressQuery, () => ({ counters, ...someOf(waiting) }));
  setHandler(windowSignal, (changed) => {
    window = changed;
  });

  const batch = new OutcomeBatch(ref, `shard-${String(offset - input.done).padStart(8, '0')}`, input.blocks);
  const announcer = new HookAnnouncer(input.hookPods);
  batch.onHookPod = (pod) => {
    announcer.add(pod);
  };
  const runner = new ItemRunner({
    ref,
    kind: input.kind,
    batch,
    window: () => window,
    itemsPerActivity: input.itemsPerActivity,
    waiting,
    onCounters: (added) => {
      counters = addCounters(counters, added);
    },
  });
  let rest: Rest = { end: offset, later: input.later };
  try {
    const hasRoom = (eventsToCome: number): boolean => workflowInfo().historyLength + eventsToCome < MAX_EVENTS;
    rest = await runner.run({ offset, length }, input.later, hasRoom);
  } finally {
    await batch.flush();
    await announcer.flush();
  }

  const cancelled = CancellationScope.current().consideredCancelled;
  const { end, later } = rest;
  const left = offset + length - end;
  if (left + later.length > 0 && !cancelled) {
    await continueAsNew<typeof restoreShard>({
      ...input,
      offset: end,
      length: left,
      later,
      window,
      done: input.done + (end - offset),
      blocks: batch.blocks,
      hookPods: announcer.total,
      counters,
    });
  }
  return { counters, hookPods: announcer.total, cancelled };
}
