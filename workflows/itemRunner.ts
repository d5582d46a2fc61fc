import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { RestoreItemResult, RestoreRef, Wave } from '../domain/contract.ts';
import { type Counters, countOutcome } from '../domain/results/counters.ts';
import { awaiting, recording, restoring } from './activities.ts';
import type { OutcomeBatch } from './outcomeBatch.ts';
import { SuspendedItems } from './suspendedItems.ts';
import { runWindow } from './window.ts';

/** A slice of the plan whose items may be restored side by side. */
export interface Slice {
  readonly offset: number;
  readonly length: number;
}

export interface ItemRunnerOptions {
  readonly ref: RestoreRef;
  readonly kind: Wave['kind'];
  readonly batch: OutcomeBatch;
  /** Activities in flight; may change. */
  readonly window: () => number;
  readonly itemsPerActivity: number;
  /** Gets the workflow ids of items that wait for others. */
  readonly waiting?: Set<string> | undefined;
  /** Told after every activity. */
  readonly onCounters: (added: Counters) => void;
}

/** What a run that ended early has left to do. */
export interface Rest {
  /** Index behind the last item of the slice that was started; all before it have ended, or are in `later`. */
  readonly end: number;
  /** Items of groups that have to wait, each in an activity of its own. */
  readonly later: readonly number[];
}

/** With this many items that have to wait no group is started: what a shard hands on to its next run stays under 64 KiB. */
const MAX_LATER = 2_000;

interface Group extends Slice {
  readonly summary: string;
}

function isCancelled(): boolean {
  return CancellationScope.current().consideredCancelled;
}

/** Restores slices of a wave: an activity for each item, or for each group of neighbours (design §2). */
export class ItemRunner {
  private readonly options: ItemRunnerOptions;
  private readonly suspended: SuspendedItems;

  constructor(options: ItemRunnerOptions) {
    this.options = options;
    this.suspended = new SuspendedItems(options);
  }

  /**
   * Restores the slice, and what earlier runs left for later, with a window of activities in flight.
   * @param mayStart false drains the window and ends early; told what the items that wait for others will still add to this history.
   */
  async run(
    slice: Slice,
    waiting: readonly number[] = [],
    mayStart: (eventsToCome: number) => boolean = () => true,
  ): Promise<Rest> {
    const { window } = this.options;
    const groups = slice.length === 0 ? [] : await this.describe(slice);
    const later = [...waiting];
    let end = slice.offset;
    const runGroup = async (group: Group): Promise<void> => {
      end = group.offset + group.length;
      if (group.length === 1) await this.runItem(group.offset, group.summary);
      else later.push(...(await this.runItems(group)));
    };
    const mayStartMore = (): boolean =>
      !isCancelled() && !this.suspended.failed && mayStart(this.suspended.eventsToCome);
    await runWindow(groups, window, runGroup, () => later.length < MAX_LATER && mayStartMore());
    // What had to wait does so beside its like, not in front of its neighbours.
    await runWindow(
      taken(later),
      window,
      (index) => this.runItem(index, `item ${index}, which had to wait`),
      mayStartMore,
    );
    await this.suspended.ended();
    return { end, later };
  }

  private async describe({ offset, length }: Slice): Promise<Group[]> {
    const step = this.options.itemsPerActivity;
    const { ref } = this.options;
    const summary = `names of ${length} items`;
    const names = await recording.describeItems.executeWithOptions({ summary }, [{ ref, offset, length, step }]);
    return names.map((name, position) => {
      const start = offset + position * step;
      const size = Math.min(step, offset + length - start);
      return { offset: start, length: size, summary: size === 1 ? name : `${size} items from ${name}` };
    });
  }

  private async runItem(index: number, summary: string): Promise<void> {
    const { batch, onCounters } = this.options;
    try {
      const result = await this.restore(index, summary);
      // What waits for others does so beside the window.
      if ('needs' in result) {
        this.suspended.add(index, result);
        return;
      }
      onCounters(countOutcome(result));
      await batch.add(result);
    } catch (error) {
      ignoreCancellation(error);
    }
  }

  private restore(index: number, summary: string): Promise<RestoreItemResult> {
    const { ref, kind } = this.options;
    if (kind === 'namespaces') return awaiting.ensureNamespace.executeWithOptions({ summary }, [{ ref, index }]);
    return restoring.restoreItem.executeWithOptions({ summary }, [{ ref, index }]);
  }

  /** The items of the group that have to wait. */
  private async runItems({ offset, length, summary }: Group): Promise<readonly number[]> {
    try {
      const result = await restoring.restoreItems.executeWithOptions({ summary }, [
        { ref: this.options.ref, offset, length },
      ]);
      this.options.onCounters(result.counters);
      for (const pod of result.hookPods ?? []) this.options.batch.onHookPod(pod);
      return result.later;
    } catch (error) {
      ignoreCancellation(error);
      return [];
    }
  }
}

/** Takes the numbers out of the list one by one, as they are asked for. */
function* taken(list: number[]): Generator<number> {
  for (let next = list.shift(); next !== undefined; next = list.shift()) yield next;
}

/** An activity that was cancelled before it began has done nothing: its items were not reached. */
function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
