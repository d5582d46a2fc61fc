import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  executeChild,
  isCancellation,
  ParentClosePolicy,
} from '@temporalio/workflow';
import type { RestoreRef } from '../domain/contract.ts';
import { HOOK_FAILED, type HookCounts, type HookPod } from '../domain/hooks/hookContract.ts';
import type { hookBatch } from './hookBatch.ts';
import type { podHooks } from './podHooks.ts';

const childOptions = {
  // One that is still running after a reset of this workflow is replaced (design §6).
  workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
  // What a cancelled hook has left behind is told before all of them count as ended.
  cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
  parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  workflowTaskTimeout: '5s',
} as const;

/**
 * Children that run hooks, in one scope: the first error of a hook in Fail mode cancels all of them, and those that come later are not
 * started. Every end is a value: nothing here ever throws.
 */
export class HookChildren {
  /** Hooks that have ended. */
  counts: HookCounts = { done: 0, failed: 0 };
  /** Of the hook that ended all others. */
  failure: string | undefined;
  private readonly scope = new CancellationScope();
  private readonly running = new Set<Promise<void>>();
  private readonly ref: RestoreRef;
  private readonly idPrefix: string;
  private readonly onChange: () => void;

  /**
   * @param idPrefix of the children's workflow ids.
   * @param onChange told when hooks have ended.
   */
  constructor(ref: RestoreRef, idPrefix: string, onChange: () => void = () => undefined) {
    this.ref = ref;
    this.idPrefix = idPrefix;
    this.onChange = onChange;
  }

  startPod(pod: HookPod): void {
    this.follow(() =>
      executeChild<typeof podHooks>('podHooks', {
        ...childOptions,
        workflowId: `${this.idPrefix}/${pod.pod}`,
        args: [{ ref: this.ref, pod }],
        staticSummary: `hooks ${pod.pod}: ${pod.hooks}`.slice(0, 200),
      }),
    );
  }

  startBatch(number: number, pods: readonly HookPod[]): void {
    this.follow(() =>
      executeChild<typeof hookBatch>('hookBatch', {
        ...childOptions,
        workflowId: `${this.idPrefix}/batch-${String(number).padStart(4, '0')}`,
        args: [{ ref: this.ref, pods }],
        staticSummary: `hooks of ${pods.length} pods`,
      }),
    );
  }

  cancel(): void {
    if (!this.scope.consideredCancelled) this.scope.cancel();
  }

  /** Resolves when all that were started have ended, also where they or this workflow are cancelled. */
  async ended(): Promise<void> {
    await CancellationScope.nonCancellable(async () => {
      while (this.running.size > 0) await Promise.all(this.running);
    });
  }

  private follow(start: () => Promise<HookCounts>): void {
    const child = this.scope.run(start).then(
      (counts) => {
        this.add(counts);
      },
      (error: unknown) => {
        this.failed(error);
      },
    );
    this.running.add(child);
    void child.finally(() => this.running.delete(child));
  }

  /** A child that was cancelled, or that a person has ended, ends no others; its hooks are told at the end of the restore. */
  private failed(error: unknown): void {
    const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
    if (isCancellation(error) || !(cause instanceof ApplicationFailure) || cause.type !== HOOK_FAILED) return;
    const [counts] = (cause.details ?? []) as (HookCounts | undefined)[];
    this.failure ??= cause.message;
    this.cancel();
    this.add(counts ?? { done: 1, failed: 1 });
  }

  private add({ done, failed }: HookCounts): void {
    this.counts = { done: this.counts.done + done, failed: this.counts.failed + failed };
    this.onChange();
  }
}
