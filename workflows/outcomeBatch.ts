import { CancellationScope } from '@temporalio/workflow';
import type { RestoreRef } from '../domain/contract.ts';
import type { Outcome } from '../domain/results/outcome.ts';
import { recording } from './activities.ts';

/** A batch is written when it holds this many outcomes, or messages of this many characters: payloads stay under 64 KiB. */
const MAX_OUTCOMES = 200;
const MAX_CHARACTERS = 24_000;

/** About what an outcome without messages takes. */
const OUTCOME_CHARACTERS = 100;

/** Collects outcomes of single items and writes them to the work store in batches, each under a name of its own. */
export class OutcomeBatch {
  private outcomes: Outcome[] = [];
  private characters = 0;
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
    this.outcomes.push(outcome);
    const messages = outcome.messages ?? [];
    this.characters += OUTCOME_CHARACTERS + messages.reduce((sum, { text }) => sum + text.length, 0);
    if (this.outcomes.length >= MAX_OUTCOMES || this.characters >= MAX_CHARACTERS) await this.flush();
  }

  /** Writes what there is, also while the workflow is being cancelled. */
  async flush(): Promise<void> {
    const { outcomes } = this;
    if (outcomes.length === 0) return;
    this.outcomes = [];
    this.characters = 0;
    const block = `${this.name}-${String(this.written++).padStart(4, '0')}`;
    const summary = `outcomes of ${outcomes.length} items`;
    await CancellationScope.nonCancellable(() =>
      recording.recordOutcomes.executeWithOptions({ summary }, [{ ref: this.ref, block, outcomes }]),
    );
  }
}
