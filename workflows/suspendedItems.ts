import {
  ChildWorkflowCancellationType,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { ItemNeeds, RestoreRef } from '../domain/contract.ts';
import { addCounters, type Counters, countOutcome, noCounters } from '../domain/results/counters.ts';
import type { OutcomeBatch } from './outcomeBatch.ts';
import type { restoreAdditionalItems } from './restoreAdditionalItems.ts';

/** Events that the end of a waiting item may still cost its shard: the child's end, workflow tasks, a batch of outcomes. */
const EVENTS_TO_COME = 8;

export interface SuspendedItemsOptions {
  readonly ref: RestoreRef;
  readonly batch: OutcomeBatch;
  readonly onCounters: (added: Counters) => void;
  /** Gets the workflow ids of the items that wait. */
  readonly waiting?: Set<string> | undefined;
}

/** Waiting items that are told to who asks for progress. */
const TOLD = 20;

export function someOf(waiting: ReadonlySet<string>): { readonly waiting?: readonly string[] } {
  return waiting.size === 0 ? {} : { waiting: [...waiting].slice(0, TOLD) };
}

/** Items that wait for others: each in a child workflow of its own, beside the window of its shard. */
export class SuspendedItems {
  private readonly options: SuspendedItemsOptions;
  private readonly running = new Set<Promise<void>>();
  private readonly errors: unknown[] = [];

  constructor(options: SuspendedItemsOptions) {
    this.options = options;
  }

  /** What those that wait will still add to this run's history, at most. */
  get eventsToCome(): number {
    return this.running.size * EVENTS_TO_COME;
  }

  get failed(): boolean {
    return this.errors.length > 0;
  }

  add(index: number, needs: ItemNeeds): void {
    const workflowId = `${workflowInfo().workflowId}/item-${String(index).padStart(8, '0')}`;
    this.options.waiting?.add(workflowId);
    const run = this.see(workflowId, index, needs).catch((error: unknown) => {
      // Cancelled: it was not reached, as far as anybody can tell.
      if (!isCancellation(error)) this.errors.push(error);
    });
    this.running.add(run);
    void run.finally(() => {
      this.running.delete(run);
      this.options.waiting?.delete(workflowId);
    });
  }

  /** Resolves when none waits any longer; throws the first error of one. */
  async ended(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
    if (this.errors.length > 0) throw this.errors[0];
  }

  private async see(workflowId: string, index: number, needs: ItemNeeds): Promise<void> {
    const { ref, batch, onCounters } = this.options;
    const { outcome, counters } = await executeChild<typeof restoreAdditionalItems>('restoreAdditionalItems', {
      workflowId,
      args: [{ ref, index, needs, done: { position: 0, missing: [], counters: noCounters } }],
      // One that is still running after a reset of this workflow is replaced (design §6).
      workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      workflowTaskTimeout: '5s',
      staticSummary: `${needs.item} with ${needs.totalNeeds} additional items of ${needs.action}`.slice(0, 200),
    });
    onCounters(addCounters(countOutcome(outcome), counters));
    await batch.add(outcome);
  }
}
