import { describe, expect, it } from '@jest/globals';
import {
  addCounters,
  countOutcome,
  countOutcomes,
  itemsDone,
  noCounters,
} from '../../../../domain/results/counters.ts';
import { itemScope, type Outcome, type OutcomeAction } from '../../../../domain/results/outcome.ts';

function outcome(action: OutcomeAction, messages: Outcome['messages'] = []): Outcome {
  return { index: 0, action, tracked: true, messages, at: '2026-05-04T08:00:00Z' };
}

const warning = { level: 'warning', scope: 'cluster', text: 'w' } as const;
const error = { level: 'error', scope: 'velero', text: 'e' } as const;

describe('countOutcome', () => {
  it.each(['created', 'updated', 'skipped', 'failed'] as const)('counts an item that was %s once', (action) => {
    expect(countOutcome(outcome(action))).toEqual({ ...noCounters, [action]: 1 });
  });

  it('counts messages by level, whatever became of the item', () => {
    const counters = countOutcome(outcome('created', [warning, error, warning]));
    expect(counters).toEqual({ ...noCounters, created: 1, warnings: 2, errors: 1 });
  });

  it('takes an outcome without messages', () => {
    const { messages: _, ...bare } = outcome('skipped');
    expect(countOutcome(bare)).toEqual({ ...noCounters, skipped: 1 });
  });
});

describe('countOutcomes', () => {
  it('adds up', () => {
    const all = [outcome('created'), outcome('failed', [error]), outcome('failed', [warning]), outcome('updated')];
    expect(countOutcomes(all)).toEqual({ created: 1, updated: 1, skipped: 0, failed: 2, warnings: 1, errors: 1 });
  });

  it('is zero for none', () => {
    expect(countOutcomes([])).toEqual(noCounters);
  });
});

describe('addCounters and itemsDone', () => {
  const some = { created: 1, updated: 2, skipped: 3, failed: 4, warnings: 5, errors: 6 };

  it('adds field by field', () => {
    expect(addCounters(some, some)).toEqual({
      created: 2,
      updated: 4,
      skipped: 6,
      failed: 8,
      warnings: 10,
      errors: 12,
    });
    expect(addCounters(noCounters, some)).toEqual(some);
  });

  it('counts items, not messages, as done', () => {
    expect(itemsDone(some)).toBe(10);
  });
});

describe('itemScope', () => {
  it('is the target namespace, or the cluster without one', () => {
    expect(itemScope('shop-copy')).toEqual({ namespace: 'shop-copy' });
    expect(itemScope(undefined)).toBe('cluster');
  });
});
