import { describe, expect, it } from '@jest/globals';
import { ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';
import {
  defaultResourcePriorities,
  formatResourcePriorities,
  orderResources,
  parseResourcePriorities,
  type ResourcePriorities,
  ResourcePrioritiesError,
} from '../../../../domain/plan/priorities.ts';
import { item, podOf, volumeOf } from '../support/items.ts';
import { itemsOf, planOf } from '../support/plans.ts';
import { servedResources } from '../support/table.ts';

describe('restore order', () => {
  it('R-028 high priorities, the alphabet, low priorities; what discovery does not list is restored all the same', async () => {
    const withoutClaims = servedResources.filter(({ resource }) => resource !== 'persistentvolumeclaims');
    const objects = [
      podOf('ns-1/pod-1'),
      podOf('ns-2/pod-2'),
      volumeOf('pv-1', 'Retain'),
      volumeOf('pv-2', 'Retain'),
      item('apps/v1', 'Deployment', 'ns-1/deploy-1'),
      item('v1', 'ServiceAccount', 'ns-1/sa-1'),
      item('v1', 'PersistentVolumeClaim', 'ns-1/pvc-1'),
    ];

    const plan = await planOf({}, objects, {
      table: new ResourceTable(withoutClaims, []),
      priorities: {
        high: ['persistentvolumes', 'persistentvolumeclaims', 'serviceaccounts'],
        low: ['deployments.apps'],
      },
    });

    expect(itemsOf(plan)).toEqual([
      'PersistentVolume pv-1',
      'PersistentVolume pv-2',
      'PersistentVolumeClaim ns-1/pvc-1',
      'ServiceAccount ns-1/sa-1',
      'Pod ns-1/pod-1',
      'Pod ns-2/pod-2',
      'Deployment ns-1/deploy-1',
    ]);
    expect(plan.messages).toEqual([]);
  });

  it.each<[string, ResourcePriorities, string[], string[]]>([
    ['R-029 only high priorities', { high: ['c', 'a', 'b'], low: [] }, [], ['c', 'a', 'b']],
    ['R-030 only resources of the backup', { high: [], low: [] }, ['b', 'c', 'a'], ['a', 'b', 'c']],
    [
      'R-031 high priorities and resources, one in both',
      { high: ['x', 'b'], low: [] },
      ['c', 'b', 'a'],
      ['x', 'b', 'a', 'c'],
    ],
    [
      'R-032 high, low and resources, one of them low',
      { high: ['x', 'b'], low: ['a', 'z'] },
      ['d', 'c', 'b', 'a'],
      ['x', 'b', 'c', 'd', 'a', 'z'],
    ],
    ['a resource in both lists counts as high', { high: ['a'], low: ['a', 'b'] }, [], ['a', 'b']],
  ])('%s', (_title, priorities, backupResources, expected) => {
    expect(orderResources(priorities, backupResources)).toEqual(expected);
  });
});

describe('--restore-resource-priorities', () => {
  const defaults: ResourcePriorities = { high: ['h'], low: ['l'] };

  it.each<[string, ResourcePriorities, string]>([
    ['R-033 only high', { high: ['a', 'b'], low: [] }, 'a,b'],
    ['R-033 high and low', { high: ['a', 'b'], low: ['c', 'd'] }, 'a,b,-,c,d'],
    ['R-033 only low', { high: [], low: ['c'] }, '-,c'],
  ])('%s is written', (_title, priorities, text) => {
    expect(formatResourcePriorities(priorities)).toBe(text);
  });

  it.each<[string, string, ResourcePriorities]>([
    ['R-034 empty', '', defaults],
    ['R-035 one name', 'a', { high: ['a'], low: ['l'] }],
    ['R-036 dash and a name', '-,a', { high: ['h'], low: ['a'] }],
    ['R-037 only a dash', '-', defaults],
    ['R-039 three names, dash, one name', 'a,b,c,-,d', { high: ['a', 'b', 'c'], low: ['d'] }],
    ['R-040 name and a dash at the end', 'a,-', { high: ['a'], low: ['l'] }],
    ['blanks around names', ' a , b ,-, c ', { high: ['a', 'b'], low: ['c'] }],
  ])('%s', (_title, text, expected) => {
    expect(parseResourcePriorities(text, defaults)).toEqual(expected);
  });

  it('R-038 two dashes are refused', () => {
    expect(() => parseResourcePriorities('a,-,b,-,c', defaults)).toThrow(
      new ResourcePrioritiesError(
        'resource priorities: expected at most one "-" between the first and the last resources, got "a,-,b,-,c"',
      ),
    );
  });

  it("reads Velero's defaults back as they are written", () => {
    const text = formatResourcePriorities(defaultResourcePriorities);

    expect(parseResourcePriorities(text, { high: [], low: [] })).toEqual(defaultResourcePriorities);
  });
});
