import type { Message, Outcome } from './outcome.ts';

/** How many items ended how, and how many messages they gave. */
export interface Counters {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
  readonly warnings: number;
  readonly errors: number;
  /** Operations that actions have started; left out where there are none. */
  readonly operations?: number;
}

export const noCounters: Counters = { created: 0, updated: 0, skipped: 0, failed: 0, warnings: 0, errors: 0 };

export function addCounters(a: Counters, b: Counters): Counters {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    skipped: a.skipped + b.skipped,
    failed: a.failed + b.failed,
    warnings: a.warnings + b.warnings,
    errors: a.errors + b.errors,
    ...started((a.operations ?? 0) + (b.operations ?? 0)),
  };
}

function started(operations: number): Pick<Counters, 'operations'> {
  return operations > 0 ? { operations } : {};
}

export function countMessages(messages: readonly Message[]): Pick<Counters, 'warnings' | 'errors'> {
  return {
    warnings: messages.filter(({ level }) => level === 'warning').length,
    errors: messages.filter(({ level }) => level === 'error').length,
  };
}

export function countOutcome({ action, messages = [], operations = [] }: Outcome): Counters {
  return { ...noCounters, [action]: 1, ...countMessages(messages), ...started(operations.length) };
}

export function countOutcomes(outcomes: Iterable<Outcome>): Counters {
  let counters = noCounters;
  for (const outcome of outcomes) counters = addCounters(counters, countOutcome(outcome));
  return counters;
}

export function itemsDone(counters: Counters): number {
  return counters.created + counters.updated + counters.skipped + counters.failed;
}
