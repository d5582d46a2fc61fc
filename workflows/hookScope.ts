import { CancellationScope, condition, defineSignal, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import type { RestoreRef } from '../domain/contract.ts';
import { HOOK_PODS_SIGNAL, type HookCounts, type HookPod } from '../domain/hooks/hookContract.ts';
import { HookChildren } from './hookChildren.ts';

export const hookPodsSignal = defineSignal<[readonly HookPod[]]>(HOOK_PODS_SIGNAL);

/** So many pods get their workflows from the restore itself; further ones are collected into batches, for the sake of its history. */
const DIRECT_PODS = 100;
const BATCH_PODS = 200;
const COLLECT_MS = 1_000;

/** Shards have told of every pod before they end; a signal that got lost is not waited for longer than this. */
const LATE_SIGNAL_MS = 60_000;

/**
 * All hooks of a restore (design §5). They run beside the items, in one scope: the first error of a hook in Fail mode cancels every
 * other hook, running or waiting, and none that comes later starts. Items are outside of it.
 */
export class HookScope {
  private readonly children: HookChildren;
  /** Plan indexes of the pods told of. */
  private readonly pods = new Set<number>();
  private total = 0;
  private readonly collected: HookPod[] = [];
  private announced = 0;
  private batches = 0;
  private collecting = false;
  private readonly onChange: () => void;

  /** @param onChange told when pods with hooks come and when hooks have ended. */
  constructor(ref: RestoreRef, onChange: () => void = () => undefined) {
    this.onChange = onChange;
    this.children = new HookChildren(ref, `${workflowInfo().workflowId}/hooks`, onChange);
    setHandler(hookPodsSignal, (pods) => {
      for (const pod of pods) this.add(pod);
    });
  }

  /** Undefined where there are none. */
  get progress(): (HookCounts & { readonly total: number }) | undefined {
    if (this.pods.size === 0) return undefined;
    return { ...this.children.counts, total: this.total };
  }

  /** Message of the hook that ended all others. */
  get failure(): string | undefined {
    return this.children.failure;
  }

  /** Starts the hooks of a pod that was just created; a pod that is told of twice runs them once. */
  add(pod: HookPod): void {
    if (this.pods.has(pod.index)) return;
    this.pods.add(pod.index);
    this.total += pod.hooks;
    if (this.pods.size <= DIRECT_PODS) this.children.startPod(pod);
    else this.collect(pod);
    this.onChange();
  }

  /** A shard has ended that told of so many pods. */
  announce(pods: number): void {
    this.announced += pods;
  }

  /** Ends all hooks: the restore cannot go on. */
  cancel(): void {
    this.children.cancel();
  }

  /** Resolves when all hooks have ended; those of a cancelled restore are cancelled with it. */
  async ended(): Promise<void> {
    if (this.announced === 0 && this.pods.size === 0) return;
    await CancellationScope.nonCancellable(async () => {
      if (this.pods.size < this.announced) await condition(() => this.pods.size >= this.announced, LATE_SIGNAL_MS);
    });
    this.flush();
    await this.children.ended();
  }

  private collect(pod: HookPod): void {
    this.collected.push(pod);
    if (this.collected.length >= BATCH_PODS) this.flush();
    if (this.collecting) return;
    this.collecting = true;
    void CancellationScope.nonCancellable(() => sleep(COLLECT_MS, { summary: 'collect pods with hooks' })).then(() => {
      this.collecting = false;
      this.flush();
    });
  }

  private flush(): void {
    const pods = this.collected.splice(0);
    if (pods.length > 0) this.children.startBatch(this.batches++, pods);
  }
}
