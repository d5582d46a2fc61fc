import { describe, expect, it } from '@jest/globals';
import {
  describeEntry,
  PLAN_BLOCK_SIZE,
  type PlanEntry,
  parsePlanBlock,
  planBlockOf,
  renderPlanBlock,
} from '../../../../domain/plan/planEntry.ts';

const pod: PlanEntry = {
  index: 0,
  groupResource: 'pods',
  apiVersion: 'v1',
  kind: 'Pod',
  namespace: 'shop',
  targetNamespace: 'shop-copy',
  name: 'web',
};
const claim: PlanEntry = { ...pod, index: 1, groupResource: 'persistentvolumeclaims', dropVolumeName: true };
const volume: PlanEntry = {
  index: 2,
  groupResource: 'persistentvolumes',
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  name: 'line\nend "quoted" \u2028',
  volume: 'provision',
};

describe('plan blocks', () => {
  it('come back as they were written, one entry a line', () => {
    const text = renderPlanBlock([pod, claim, volume]);

    expect(text.split('\n')).toHaveLength(4);
    expect(parsePlanBlock(text)).toEqual([pod, claim, volume]);
    expect(parsePlanBlock(renderPlanBlock([]))).toEqual([]);
  });

  it.each([
    [0, 0],
    [PLAN_BLOCK_SIZE - 1, 0],
    [PLAN_BLOCK_SIZE, 1],
    [10 * PLAN_BLOCK_SIZE + 1, 10],
  ])('entry %i is in block %i', (index, block) => {
    expect(planBlockOf(index)).toBe(block);
  });
});

describe('describeEntry', () => {
  it.each<[string, PlanEntry, string]>([
    ['a namespaced item by its target', pod, 'Pod shop-copy/web'],
    ['a cluster-scoped item', { ...volume, name: 'pv-1' }, 'PersistentVolume pv-1'],
    [
      'a namespace by its target name',
      { index: 0, groupResource: 'namespaces', apiVersion: 'v1', kind: 'Namespace', name: 'a', targetName: 'b' },
      'Namespace b',
    ],
  ])('names %s', (_title, entry, expected) => {
    expect(describeEntry(entry)).toBe(expected);
  });
});
