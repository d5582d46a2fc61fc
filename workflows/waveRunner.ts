import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { PlanResult, RestoreOptions, RestoreRef, Wave } from '../domain/contract.ts';
import { noCounters } from '../domain/results/counters.ts';
import { awaiting } from './activities.ts';
import type { HookScope } from './hookScope.ts';
import { ItemRunner, type Slice } from './itemRunner.ts';
import { OutcomeBatch } from './outcomeBatch.ts';
import type { RestorePace } from './restorePace.ts';
import type { restoreShard } from './restoreShard.ts';
import type { RestoreState } from './restoreState.ts';
import { runWindow } from './window.ts';

/**
 * Waves of up to this many items run in the root itself, as long as it has run no more than ROOT_ITEMS in all. Items are counted, not
 * groups: each item of a group may turn out to need an activity of its own, and the root cannot go on as a new run.
 */
const INLINE_ITEMS = 32;
const ROOT_ITEMS = 300;
/** Items that wait for others cost more; a root with so many events leaves all that follows to shards. */
const ROOT_EVENTS = 2_500;
const SHARD_ACTIVITIES = 500;

/** Up to this many items each is an activity of its own (design §2 "An item is an activity"). */
const SINGLE_ITEMS = 2_000;
/** Beyond, a wave of everything makes about this many groups: enough for every worker, few enough not to cost (docs/decisions/0009). */
const GROUPS = 200;
const MAX_ITEMS_PER_ACTIVITY = 50;

function itemsPerActivity(options: RestoreOptions, { totalItems, waves }: PlanResult): number {
  if (options.itemsPerActivity > 0) return options.itemsPerActivity;
  // Namespaces are activities of their own at any size.
  const namespaces = waves.reduce((sum, { kind, length }) => (kind === 'namespaces' ? sum + length : sum), 0);
  const items = totalItems - namespaces;
  return items <= SINGLE_ITEMS ? 1 : Math.min(MAX_ITEMS_PER_ACTIVITY, Math.ceil(items / GROUPS));
}

/** Cuts a wave into shards of whole groups: as many as work side by side, each within its limit of activities. */
function cutIntoShards({ offset, length }: Slice, shards: number, groupSize: number): Slice[] {
  const groups = Math.ceil(length / groupSize);
  const groupsPerShard = Math.min(SHARD_ACTIVITIES, Math.ceil(groups / Math.max(1, shards)));
  const size = groupsPerShard * groupSize;
  return Array.from({ length: Math.ceil(length / size) }, (_, position) => ({
    offset: offset + position * size,
    length: Math.min(size, length - position * size),
  }));
}

export interface WaveRunnerOptions {
  readonly ref: RestoreRef;
  readonly options: RestoreOptions;
  readonly plan: PlanResult;
  readonly state: RestoreState;
  readonly hooks: HookScope;
  readonly pace: RestorePace;
}

/** Restores the waves of a plan, one after another. */
export class WaveRunner {
  private readonly ref: RestoreRef;
  private readonly options: RestoreOptions;
  private readonly pace: RestorePace;
  private readonly plan: PlanResult;
  private readonly state: RestoreState;
  private readonly hooks: HookScope;
  private readonly groupSize: number;
  private readonly batch: OutcomeBatch;
  private rootItems = 0;

  constructor({ ref, options, plan, state, hooks, pace }: WaveRunnerOptions) {
    this.hooks = hooks;
    this.pace = pace;
    this.ref = ref;
    this.options = options;
    this.plan = plan;
    this.state = state;
    this.groupSize = itemsPerActivity(options, plan);
    this.batch = new OutcomeBatch(ref, 'root');
    this.batch.onHookPod = (pod) => {
      hooks.add(pod);
    };
  }

  /** Ends early, without an error, where the restore is cancelled. */
  async run(): Promise<void> {
    try {
      for (const [position, wave] of this.plan.waves.entries()) {
        if (CancellationScope.current().consideredCancelled) return;
        this.state.startWave(position);
        await this.runWave(position, wave);
        this.state.show();
      }
    } finally {
      await this.batch.flush();
    }
  }

  private async runWave(position: number, wave: Wave): Promise<void> {
    const groupSize = wave.kind === 'namespaces' ? 1 : this.groupSize;
    const hasRoom = this.rootItems + wave.length <= ROOT_ITEMS && workflowInfo().historyLength < ROOT_EVENTS;
    const fitsInline = wave.length <= INLINE_ITEMS && hasRoom;
    if (fitsInline) {
      this.rootItems += wave.length;
      await this.runInline(position, wave, groupSize);
    } else {
      await this.runShards(position, wave, groupSize);
    }
    if (wave.kind === 'customResourceDefinitions') await this.awaitDefinitions(wave);
  }

  private async runInline(position: number, wave: Wave, groupSize: number): Promise<void> {
    const runner = new ItemRunner({
      ref: this.ref,
      kind: wave.kind,
      batch: this.batch,
      window: () => this.pace.rootWindow,
      itemsPerActivity: groupSize,
      waiting: this.state.waiting,
      onCounters: (added) => {
        this.state.add(position, added);
        this.state.show();
      },
    });
    await runner.run(wave);
  }

  private async runShards(position: number, wave: Wave, groupSize: number): Promise<void> {
    const shards = cutIntoShards(wave, this.options.shards, groupSize);
    const runShard = async (shard: Slice): Promise<void> => {
      const workflowId = `${workflowInfo().workflowId}/${String(shard.offset).padStart(8, '0')}`;
      this.state.runningShards.add(workflowId);
      try {
        const child = await startChild<typeof restoreShard>('restoreShard', {
          workflowId,
          args: [
            {
              ref: this.ref,
              kind: wave.kind,
              ...shard,
              itemsPerActivity: groupSize,
              window: this.pace.begin(workflowId),
              later: [],
              done: 0,
              blocks: 0,
              counters: noCounters,
            },
          ],
          // A shard that is still running after a reset of this workflow is replaced (design §6).
          workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
          cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
          workflowTaskTimeout: '5s',
          staticSummary: `${wave.name}: ${shard.length} items`,
        });
        await this.pace.begun(workflowId, child);
        const { counters, hookPods = 0 } = await child.result();
        this.state.add(position, counters);
        this.hooks.announce(hookPods);
      } finally {
        this.state.runningShards.delete(workflowId);
        await this.pace.ended(workflowId);
        this.state.show();
      }
    };
    await runWindow(
      shards,
      () => this.pace.shardsAtOnce,
      runShard,
      () => !CancellationScope.current().consideredCancelled,
    );
  }

  private async awaitDefinitions(wave: Wave): Promise<void> {
    const summary = `${wave.length} definitions established and served`;
    const late = await awaiting.awaitCustomResourceDefinitions.executeWithOptions({ summary }, [
      { ref: this.ref, wave },
    ]);
    this.state.addErrors(late.length);
    for (const outcome of late) await this.batch.add(outcome);
  }
}
