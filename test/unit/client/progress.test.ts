import { describe, expect, it } from '@jest/globals';
import { addShards } from '../../../client/progress.ts';
import type { RestoreProgress } from '../../../domain/contract.ts';
import { noCounters } from '../../../domain/results/counters.ts';

const root: RestoreProgress = {
  phase: 'InProgress',
  step: 'restoring pods',
  totalItems: 100,
  counters: { ...noCounters, created: 10, warnings: 1 },
  waves: [
    { name: 'namespaces', total: 10, done: 10, failed: 0 },
    { name: 'pods', total: 90, done: 0, failed: 0 },
  ],
  runningShards: ['a', 'b'],
  startTimestamp: undefined,
};

describe('addShards', () => {
  it('adds what running shards have done to the whole and to the wave they are of', () => {
    const shards = [
      { ...noCounters, created: 20, failed: 1, errors: 1 },
      { ...noCounters, skipped: 5 },
    ];
    const report = addShards(root, shards, []);
    expect(report).toMatchObject({
      itemsDone: 36,
      counters: { created: 30, skipped: 5, failed: 1, warnings: 1, errors: 1 },
    });
    expect(report.waves).toEqual([root.waves[0], { name: 'pods', total: 90, done: 26, failed: 1 }]);
  });

  it('is the root’s own progress where no shard runs', () => {
    expect(addShards(root, [], [])).toEqual({ ...root, itemsDone: 10, troubles: [] });
  });

  it('names troubles once, the most common first', () => {
    expect(addShards(root, [], ['store is down', 'api is down', 'api is down']).troubles).toEqual([
      'api is down',
      'store is down',
    ]);
  });
});
