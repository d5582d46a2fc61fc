import { CancellationScope } from '@temporalio/workflow';
import type { RestoreRef } from '../domain/contract.ts';
import type { HookPod } from '../domain/hooks/hookContract.ts';
import type { Outcome } from '../domain/results/outcome.ts';
import { recording } from './activities.ts';

/** A batch is written when it holds this many outcomes, or before it would pass this many bytes: payloads stay under 64 KiB. */
const MAX_OUTCOMES = 200;
const MAX_BYTES = 56_000;

/** What an outcome takes in a payload; a message may need six bytes for one of its characters. */
function bytesOf(outcome: Outcome): number {
  return new TextEncoder().encode(JSON.stringify(outcome)).length + 1;
}

/** Collects outcomes of single items and writes them to the work store in batches, each under a name of its own. */
export class OutcomeBatch {
  /** Told of every created pod with hooks. */
  onHookPod: (pod: HookPod) => void = () => undefined;
  private outcomes: Outcome[] = [];
  private bytes = 0;
  private written: number;
  private readonly ref: RestoreRef;
  private readonly name: string;

  /** @param written blocks that earlier runs of the same workflow wrote. */
  constructor(ref: RestoreRef, name: string, written = 0) {
    this.ref = ref;
    this.name = name;
    this.written = written;
  }

  /** Blocks written so far. */
  get blocks(): number {
    return this.written;
  }

  async add(outcome: Outcome): Promise<void> {
    if (outcome.hookPod !== undefined) this.onHookPod(outcome.hookPod);
    const bytes = bytesOf(outcome);
    const isFull = this.outcomes.length >= MAX_OUTCOMES || this.bytes + bytes > MAX_BYTES;
    // Empties the batch at once; who adds the next outcome meanwhile finds room.
    const flushed = isFull ? this.flush() : undefined;
    this.outcomes.push(outcome);
    this.bytes += bytes;
    await flushed;
  }

  /** Writes what there is, also while the workflow is being cancelled. */
  async flush(): Promise<void> {
    const { outcomes } = this;
    if (outcomes.length === 0) return;
    this.outcomes = [];
    this.bytes = 0;
    const block = `${this.name}-${String(this.written++).padStart(4, '0')}`;
    const summary = `outcomes of ${outcomes.length} items`;
    await CancellationScope.nonCancellable(() =>
      recording.recordOutcomes.executeWithOptions({ summary }, [{ ref: this.ref, block, outcomes }]),
    );
  }
}
