import { CancellationScope, condition, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { HookPod } from '../domain/hooks/hookContract.ts';
import { hookPodsSignal } from './hookScope.ts';

/** A signal holds at most so many pods, and so many bytes: payloads stay under 64 KiB. */
const MAX_PODS = 200;
const MAX_BYTES = 48_000;
/** Each signal costs the restore events of its history. */
const PAUSE = '1s';

/** Tells the restore which pods with hooks its shard has created: at once, but at most once a second. */
export class HookAnnouncer {
  /** Pods told of, with those of earlier runs. */
  total: number;
  private readonly waiting: HookPod[] = [];
  private sending: Promise<void> | undefined;
  private hurry = false;
  private readonly errors: unknown[] = [];

  /** @param total pods that earlier runs of the same workflow told of. */
  constructor(total = 0) {
    this.total = total;
  }

  add(pod: HookPod): void {
    this.total += 1;
    this.waiting.push(pod);
    this.sending ??= this.send();
  }

  /** Resolves when the restore has got all of them, also while this workflow is being cancelled. */
  async flush(): Promise<void> {
    this.hurry = true;
    while (this.errors.length === 0 && (this.waiting.length > 0 || this.sending !== undefined)) {
      this.sending ??= this.send();
      await this.sending;
    }
    this.hurry = false;
    if (this.errors.length > 0) throw this.errors[0];
  }

  private async send(): Promise<void> {
    try {
      await CancellationScope.nonCancellable(async () => {
        while (this.waiting.length > 0) {
          await restoreOf().signal(hookPodsSignal, this.take());
          if (!this.hurry) await condition(() => this.hurry, PAUSE);
        }
      });
    } catch (error) {
      this.errors.push(error);
    }
    this.sending = undefined;
  }

  private take(): HookPod[] {
    let count = 0;
    let bytes = 0;
    for (const { pod } of this.waiting) {
      bytes += pod.length + 50;
      if (count === MAX_PODS || (count > 0 && bytes > MAX_BYTES)) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }
}

/** Whichever run of the restore is the current one: it may have been reset. Ids of all its workflows begin with its own. */
function restoreOf() {
  const [restore, cluster, namespace, name] = workflowInfo().workflowId.split('/');
  return getExternalWorkflowHandle([restore, cluster, namespace, name].join('/'));
}
