import { activityInfo, Context } from '@temporalio/activity';
import type { Activities, FinalizeInput, FinalizeResult, PlanResult, Wave } from '../../../domain/contract.ts';
import type { RestorePhase } from '../../../domain/restore/restore.ts';
import { countOutcomes } from '../../../domain/results/counters.ts';
import type { Outcome } from '../../../domain/results/outcome.ts';

/** One call of an activity, as the workflows made it. `began` and `ended` are places in the order of all calls' begins and ends. */
export interface Call<Name extends keyof Activities = keyof Activities> {
  readonly activity: Name;
  readonly input: Parameters<Activities[Name]>[0];
  readonly workflowId: string;
  readonly runId: string;
  readonly attempt: number;
  readonly began: number;
  ended: number;
}

type CallOfAny = { [Name in keyof Activities]: Call<Name> }[keyof Activities];

/** An activity's behaviour; `call` tells who called it and how often before. */
export type Behaviour = {
  [Name in keyof Activities]: (input: Parameters<Activities[Name]>[0], call: Call) => ReturnType<Activities[Name]>;
};

/**
 * Small activities in memory, for faults and moments that the real ones cannot be made to show on demand. They keep what the work store
 * would keep, and every call.
 */
export class ScriptedActivities {
  readonly calls: CallOfAny[] = [];
  /** Outcomes by the name of their block: writing a block twice replaces it. */
  readonly blocks = new Map<string, readonly Outcome[]>();
  private readonly behaviour: Behaviour;
  private clock = 0;

  constructor(waves: readonly Wave[], changes: Partial<Behaviour> = {}) {
    this.behaviour = { ...this.defaults(waves), ...changes };
  }

  callsOf<Name extends keyof Activities>(activity: Name): Call<Name>[] {
    return this.calls.filter((call) => call.activity === activity) as unknown as Call<Name>[];
  }

  /** Plan indexes in the order in which their (last) activity began, groups as their items. */
  get itemsBegun(): number[] {
    return this.calls.flatMap((call) => indexesOf(call));
  }

  /** Plan index → its outcome, from all blocks. */
  get outcomes(): ReadonlyMap<number, Outcome> {
    return new Map([...this.blocks.values()].flat().map((outcome) => [outcome.index, outcome]));
  }

  /** What a worker registers. */
  get implementation(): Activities {
    const logged = <Name extends keyof Activities>(activity: Name) => ({
      [activity]: async (input: Parameters<Activities[Name]>[0]) => {
        const { attempt, workflowExecution } = activityInfo();
        const { workflowId = '', runId = '' } = workflowExecution ?? {};
        const call: Call<Name> = { activity, input, workflowId, runId, attempt, began: ++this.clock, ended: Infinity };
        this.calls.push(call as unknown as CallOfAny);
        const context = Context.current();
        const heartbeats = setInterval(() => {
          context.heartbeat();
        }, 500);
        try {
          return await this.behaviour[activity](input, call);
        } finally {
          clearInterval(heartbeats);
          call.ended = ++this.clock;
        }
      },
    });
    const names = Object.keys(this.behaviour) as (keyof Activities)[];
    return Object.assign({}, ...names.map(logged)) as Activities;
  }

  private defaults(waves: readonly Wave[]): Behaviour {
    return {
      validate: () => Promise.resolve({ valid: true, backupName: 'nightly' }),
      plan: () => Promise.resolve(planOf(waves)),
      ensureNamespace: ({ index }) => Promise.resolve(created(index)),
      awaitCustomResourceDefinitions: () => Promise.resolve([]),
      describeItems: ({ offset, length, step }) => Promise.resolve(namesOf(offset, length, step)),
      restoreItem: ({ index }) => Promise.resolve(created(index)),
      restoreItems: ({ offset, length }) => {
        const outcomes = Array.from({ length }, (_, position) => created(offset + position));
        this.blocks.set(`group-${String(offset)}`, outcomes);
        return Promise.resolve({ counters: countOutcomes(outcomes), later: [], end: offset + length });
      },
      readNeeds: () => Promise.reject(new Error('no item of this test needs so many')),
      areAdditionalItemsReady: () => Promise.resolve({ ready: true }),
      checkOperations: () => Promise.resolve({ attempted: 0, completed: 0, failed: 0, pending: 0 }),
      recordOutcomes: ({ block, outcomes }) => {
        this.blocks.set(block, outcomes);
        return Promise.resolve();
      },
      settleVolumes: () => Promise.resolve({ pending: 0, awaited: undefined }),
      finalize: (input) => Promise.resolve(this.finalize(input)),
    };
  }

  /** Status and counts from the outcomes on record. */
  finalize({ totalItems, startTimestamp, cancelled, failureReason }: FinalizeInput): FinalizeResult {
    const counters = countOutcomes(this.outcomes.values());
    const reason = cancelled ? 'cancelled' : failureReason;
    const ended: RestorePhase = counters.errors > 0 ? 'PartiallyFailed' : 'Completed';
    const progress = { totalItems, itemsRestored: this.outcomes.size };
    const status = {
      phase: reason === undefined ? ended : ('Failed' as const),
      startTimestamp,
      progress,
      failureReason: reason,
    };
    return { status, counters };
  }
}

function indexesOf(call: CallOfAny): number[] {
  switch (call.activity) {
    case 'restoreItem':
    case 'ensureNamespace':
      return [call.input.index];
    case 'restoreItems':
      return range(call.input.offset, call.input.length);
    default:
      return [];
  }
}

function namesOf(offset: number, length: number, step: number): string[] {
  return range(offset, length)
    .filter((index) => (index - offset) % step === 0)
    .map((index) => `ConfigMap shop/item-${String(index)}`);
}

export function planOf(waves: readonly Wave[]): PlanResult {
  return { waves, totalItems: waves.reduce((sum, { length }) => sum + length, 0), warnings: 0, errors: 0 };
}

export function created(index: number): Outcome {
  return { index, action: 'created', tracked: true, at: '2026-01-01T00:00:00Z' };
}

/** `length` numbers from `offset`. */
export function range(offset: number, length: number): number[] {
  return Array.from({ length }, (_, position) => offset + position);
}

/** Waves one behind the other, of ordinary items where nothing else is said. */
export function wavesOf(...parts: readonly { name: string; length: number; kind?: Wave['kind'] }[]): Wave[] {
  let offset = 0;
  return parts.map(({ name, length, kind = 'items' }) => {
    const wave = { name, kind, offset, length };
    offset += length;
    return wave;
  });
}
