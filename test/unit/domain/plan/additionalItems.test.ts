import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../domain/json.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { claimOf, item, podOf, podWithClaims, volumeOf, withLabels } from '../support/items.ts';
import { itemsOf, planOf } from '../support/plans.ts';

const pod = podWithClaims('ns-1/pod-1', ['data']);
const claim = claimOf('ns-1/data', 'pv-1');
const volume = volumeOf('pv-1', 'Retain', 'ns-1/data');
/** A pod that asks for a claim of another namespace: it says so itself, as a file in the wrong folder would. */
const otherNamespace = { ...pod, metadata: { ...(pod['metadata'] as JsonObject), namespace: 'ns-2' } };

describe('additional items of the built-in actions', () => {
  it.each<[string, RestoreSpec, JsonObject[], string[]]>([
    [
      'R-072 also picked directly: planned once',
      {},
      [pod, claim, volume],
      ['PersistentVolume pv-1', 'PersistentVolumeClaim ns-1/data', 'Pod ns-1/pod-1'],
    ],
    [
      'R-074 namespace filter, cluster scope unset: the volume is planned',
      { includedNamespaces: ['ns-1'] },
      [pod, claim, volume],
      ['PersistentVolume pv-1', 'PersistentVolumeClaim ns-1/data', 'Pod ns-1/pod-1'],
    ],
    [
      'R-076 includedResources pods: nothing else',
      { includedResources: ['pods'] },
      [pod, claim, volume],
      ['Pod ns-1/pod-1'],
    ],
    [
      'label selectors do not keep them away',
      { labelSelector: { matchLabels: { app: 'web' } } },
      [podWithClaims('ns-1/pod-1', ['data'], withLabels({ app: 'web' })), claim, volume],
      ['PersistentVolume pv-1', 'PersistentVolumeClaim ns-1/data', 'Pod ns-1/pod-1'],
    ],
    [
      'a claim that was not bound asks for nothing',
      { includedNamespaces: ['ns-1'] },
      [{ ...claim, status: { phase: 'Pending' }, spec: {} }, volume],
      ['PersistentVolumeClaim ns-1/data'],
    ],
    [
      'a priority class comes with its pod',
      { includedNamespaces: ['ns-1'] },
      [
        podOf('ns-1/pod-1', { spec: { priorityClassName: 'urgent' } }),
        item('scheduling.k8s.io/v1', 'PriorityClass', 'urgent'),
        item('scheduling.k8s.io/v1', 'PriorityClass', 'other'),
      ],
      ['PriorityClass urgent', 'Pod ns-1/pod-1'],
    ],
  ])('%s', async (_title, spec, objects, expected) => {
    const plan = await planOf(spec, objects);

    expect(itemsOf(plan)).toEqual(expected);
    expect(plan.messages).toEqual([]);
  });

  it('R-073 an item of an excluded namespace is not planned, without a word', async () => {
    const files = [
      {
        item: { groupResource: 'pods', namespace: 'ns-1', name: 'pod-1' },
        text: JSON.stringify(otherNamespace),
      },
    ];

    const plan = await planOf({ includedNamespaces: ['ns-1'] }, [claimOf('ns-2/data', 'pv-1')], { files });

    expect(itemsOf(plan)).toEqual(['Pod ns-1/pod-1']);
    expect(plan.messages).toEqual([]);
  });

  it('R-075 includeClusterResources false: no volume, and the claim that names it is warned of (W16)', async () => {
    const plan = await planOf({ includeClusterResources: false }, [pod, claim, volume]);

    expect(itemsOf(plan)).toEqual(['PersistentVolumeClaim ns-1/data', 'Pod ns-1/pod-1']);
    expect(plan.messages).toEqual([
      {
        level: 'warning',
        scope: { namespace: 'ns-1' },
        text: 'claim ns-1/data keeps naming volume pv-1, which is in the backup but not restored: it stays unbound unless the cluster has that volume and it is free',
      },
    ]);
  });

  it('plans an item once that many ask for', async () => {
    const parents = Array.from({ length: 20 }, (_, index) => podWithClaims(`ns-1/pod-${index}`, ['data', 'data']));

    const plan = await planOf({ labelSelector: { matchLabels: { app: 'web' } } }, [
      ...parents.map((parent) => ({
        ...parent,
        metadata: { ...(parent['metadata'] as JsonObject), labels: { app: 'web' } },
      })),
      claim,
      volume,
    ]);

    expect(itemsOf(plan).filter((description) => !description.startsWith('Pod '))).toEqual([
      'PersistentVolume pv-1',
      'PersistentVolumeClaim ns-1/data',
    ]);
    expect(plan.entries).toHaveLength(1 + 2 + parents.length);
    expect(plan.messages).toEqual([]);
  });

  it.each<[string, JsonObject[], { namespace: string } | 'cluster', string]>([
    [
      'a claim',
      [podWithClaims('ns-1/pod-1', ['absent'])],
      { namespace: 'ns-1' },
      'additional item resources/persistentvolumeclaims/namespaces/ns-1/absent.json of resources/pods/namespaces/ns-1/pod-1.json (velero.io/add-pvc-from-pod) is not in the backup',
    ],
    [
      'a volume',
      [claim],
      'cluster',
      'additional item resources/persistentvolumes/cluster/pv-1.json of resources/persistentvolumeclaims/namespaces/ns-1/data.json (velero.io/pvc) is not in the backup',
    ],
    [
      'a priority class',
      [podOf('ns-1/pod-1', { spec: { priorityClassName: 'urgent' } })],
      'cluster',
      'additional item resources/priorityclasses.scheduling.k8s.io/cluster/urgent.json of resources/pods/namespaces/ns-1/pod-1.json (velero.io/pod) is not in the backup',
    ],
  ])('warns of %s that the backup lacks, in its original namespace', async (_title, objects, scope, text) => {
    const plan = await planOf({ namespaceMapping: { 'ns-1': 'mapped' } }, objects);

    expect(plan.entries).toHaveLength(2);
    expect(plan.messages).toEqual([{ level: 'warning', scope, text }]);
  });

  it('warns for everyone who asks in vain', async () => {
    const plan = await planOf({}, [podWithClaims('ns-1/a', ['absent']), podWithClaims('ns-1/b', ['absent'])]);

    expect(plan.messages).toHaveLength(2);
  });

  it.each<[string, JsonObject]>([
    ['a pod that succeeded', { status: { phase: 'Succeeded' } }],
    ['a pod that failed', { status: { phase: 'Failed' } }],
    ['a mirror pod', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'hash' } } }],
    ['a pod whose status says nothing', { status: 1 }],
  ])('%s asks for nothing', async (_title, content) => {
    const plan = await planOf({ labelSelector: { matchLabels: { app: 'web' } } }, [
      podWithClaims('ns-1/pod-1', ['data', 'absent'], {
        ...content,
        metadata: { labels: { app: 'web' }, ...(content['metadata'] as JsonObject | undefined) },
      }),
      claim,
      volume,
    ]);

    expect(itemsOf(plan)).toEqual(['Pod ns-1/pod-1']);
    expect(plan.messages).toEqual([]);
  });
});
