import { describe, expect, it } from '@jest/globals';
import { type RestoreItemAction, updated } from '../../../../domain/actions/action.ts';
import { resourceId } from '../../../../domain/item/prepareItem.ts';
import { getIn, type JsonObject, setIn, withoutKeys } from '../../../../domain/json.ts';
import { claimOf, item, podOf, volumeOf, withLabels } from '../support/items.ts';
import { objectOf, type PrepareOptions, planEntryOf, prepare } from '../support/prepare.ts';

const labels = { 'velero.io/backup-name': 'backup-1', 'velero.io/restore-name': 'restore-1' };

describe('the object that is created', () => {
  it('R-043 keeps labels, annotations and finalizers, gets the restore labels, loses what the old cluster wrote', async () => {
    const metadata = {
      labels: { key: 'val' },
      annotations: { note: 'x' },
      finalizers: ['finalizer-1'],
      uid: 'uid',
      resourceVersion: '1',
      ownerReferences: [{ kind: 'ReplicaSet', name: 'r', uid: 'u' }],
    };

    expect(await objectOf(podOf('ns-1/pod-1', { metadata, spec: { nodeName: 'n1' } }))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: 'ns-1',
        name: 'pod-1',
        labels: { key: 'val', ...labels },
        annotations: { note: 'x' },
        finalizers: ['finalizer-1'],
      },
      spec: {},
    });
  });

  it('R-044 has no status', async () => {
    expect(await objectOf(podOf('ns-1/pod-1', { status: { phase: 'Running' } }))).not.toHaveProperty('status');
  });

  it('R-056 carries the managedFields of the backup', async () => {
    const managedFields = [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:data': {} } }];

    const object = await objectOf(item('v1', 'ConfigMap', 'ns-1/c', { metadata: { managedFields } }));

    expect(getIn(object, ['metadata', 'managedFields'])).toEqual(managedFields);
  });

  it.each<[string, JsonObject, PrepareOptions, string | undefined]>([
    ['R-026 the mapped namespace', podOf('ns-1/pod-1'), { spec: { namespaceMapping: { 'ns-1': 'mapped' } } }, 'mapped'],
    ['its own namespace', podOf('ns-1/pod-1'), {}, 'ns-1'],
    ['none in cluster scope', item('v1', 'Node', 'n1'), { spec: { namespaceMapping: { '': 'mapped' } } }, undefined],
  ])('is in %s', async (_title, object, options, expected) => {
    expect(getIn(await objectOf(object, options), ['metadata', 'namespace'])).toBe(expected);
  });

  it('comes with the labels that tell whose it is', async () => {
    expect(await prepare(podOf('ns-1/pod-1'))).toMatchObject({ labels, status: undefined });
  });
});

describe('actions that change the item', () => {
  const changing = (name: string, change: (item: JsonObject) => JsonObject): RestoreItemAction => ({
    name,
    appliesTo: { includedResources: ['pods'] },
    execute: ({ item }) => updated(change(item)),
  });
  const pod = podOf('ns-1/pod-1', withLabels({ of: 'backup' }));

  it.each<[string, (item: JsonObject) => JsonObject, JsonObject]>([
    [
      'R-066 a label that is set',
      (one) => setIn(one, ['metadata', 'labels', 'updated'], 'true'),
      { of: 'backup', updated: 'true' },
    ],
    ['R-067 labels that are taken away', (one) => setIn(one, ['metadata', 'labels'], {}), {}],
    [
      'R-067 the map of labels is taken away',
      (one) => setIn(one, ['metadata'], withoutKeys(getIn(one, ['metadata']) as JsonObject, ['labels'])),
      {},
    ],
  ])('%s: the restore labels are there all the same', async (_title, change, expected) => {
    const object = await objectOf(pod, { actions: [changing('example.com/change', change)] });
    expect(getIn(object, ['metadata', 'labels'])).toEqual({ ...expected, ...labels });
  });

  it('R-066 each action gets what the one before it has made, and the pristine item beside it', async () => {
    const seen: unknown[] = [];
    const first = changing('example.com/first', (one) => setIn(one, ['metadata', 'labels', 'first'], 'yes'));
    const second: RestoreItemAction = {
      ...first,
      name: 'example.com/second',
      execute: ({ item, itemFromBackup }) => {
        seen.push(getIn(item, ['metadata', 'labels']), getIn(itemFromBackup, ['metadata', 'labels']));
        return updated(item);
      },
    };
    await objectOf(pod, { actions: [first, second] });
    expect(seen).toEqual([{ of: 'backup', first: 'yes' }, { of: 'backup' }]);
  });
});

describe('volumes and claims', () => {
  it('R-085 the claim of a volume that is not restored: no volumeName, no binding, other annotations kept', async () => {
    expect(await objectOf(claimOf('ns-1/data', 'pv-1'), { planned: { dropVolumeName: true } })).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'ns-1', name: 'data', labels, annotations: { 'example.com/kept': 'yes' } },
      spec: { storageClassName: 'fast' },
    });
  });

  it('R-085 the volume itself ends as skipped', async () => {
    const result = await prepare(volumeOf('pv-1', 'Delete', 'ns-1/data'), { planned: { volume: 'provision' } });

    expect(result).toEqual({ end: { action: 'skipped', reason: 'volumeNotRestored', tracked: true } });
  });

  it.each<[string, Record<string, string> | undefined, string]>([
    ['R-086 keeps its claim, but not the identity of it', undefined, 'ns-1'],
    ['R-094 in the target namespace', { 'ns-1': 'mapped' }, 'mapped'],
  ])('a volume that is restored %s', async (_title, namespaceMapping, namespace) => {
    const object = await objectOf(volumeOf('pv-1', 'Retain', 'ns-1/data'), {
      spec: { namespaceMapping },
      planned: { volume: 'restore' },
    });

    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-1', labels, annotations: { 'pv.kubernetes.io/provisioned-by': 'csi.example.com' } },
      spec: { persistentVolumeReclaimPolicy: 'Retain', claimRef: { namespace, name: 'data' } },
    });
  });

  it('R-094 its claim keeps naming it', async () => {
    const object = await objectOf(claimOf('ns-1/data', 'pv-1'));

    expect(getIn(object, ['spec', 'volumeName'])).toBe('pv-1');
    expect(getIn(object, ['metadata', 'annotations'])).toEqual({ 'example.com/kept': 'yes' });
  });

  it('a volume with a native snapshot is an error that says what to do', async () => {
    const result = await prepare(volumeOf('pv-1', 'Delete', 'ns-1/data'), { planned: { volume: 'nativeSnapshot' } });

    expect(result).toEqual({
      end: {
        action: 'failed',
        reason: 'unreadable',
        tracked: true,
        messages: [
          {
            level: 'error',
            scope: 'cluster',
            text: expect.stringMatching(
              /^error preparing persistentvolumes\/pv-1: .*native snapshot.*restorePVs=false/,
            ),
          },
        ],
      },
    });
  });
});

describe('items that end before they are created', () => {
  it.each<[string, JsonObject, unknown]>([
    [
      'R-024 a mirror pod is skipped',
      podOf('ns-1/pod-1', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'hash' } } }),
      { action: 'skipped', reason: 'mirrorPod', tracked: true },
    ],
    [
      'a completed pod is skipped and not listed',
      podOf('ns-1/pod-1', { status: { phase: 'Succeeded' } }),
      { action: 'skipped', reason: 'completed', tracked: false },
    ],
    [
      'a completed job is skipped and not listed',
      item('batch/v1', 'Job', 'ns-1/job-1', { status: { completionTime: '2026-11-30T16:06:01Z' } }),
      { action: 'skipped', reason: 'completed', tracked: false },
    ],
    [
      'a completed mirror pod counts as completed, which is asked first',
      podOf('ns-1/pod-1', {
        status: { phase: 'Failed' },
        metadata: { annotations: { 'kubernetes.io/config.mirror': 'hash' } },
      }),
      { action: 'skipped', reason: 'completed', tracked: false },
    ],
    [
      'an item that a built-in action skips',
      item('apiregistration.k8s.io/v1', 'APIService', 'v1.apps', {
        metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      }),
      { action: 'skipped', reason: 'action', tracked: true },
    ],
  ])('%s', async (_title, object, end) => {
    expect(await prepare(object)).toEqual({ end });
  });

  it.each<[string, JsonObject, string]>([
    [
      'a status that is no map',
      podOf('ns-1/pod-1', { status: 1 }),
      '.status: expected a map, cannot tell whether the item has completed',
    ],
    [
      'a field that an action must read',
      podOf('ns-1/pod-1', { spec: { volumes: 'none' } }),
      'spec.volumes: expected a list, found a string',
    ],
  ])('%s is an error under its target namespace', async (_title, object, reason) => {
    const result = await prepare(object, { spec: { namespaceMapping: { 'ns-1': 'mapped' } } });

    expect(result).toEqual({
      end: {
        action: 'failed',
        reason: 'unreadable',
        tracked: true,
        messages: [
          { level: 'error', scope: { namespace: 'mapped' }, text: `error preparing pods/mapped/pod-1: ${reason}` },
        ],
      },
    });
  });

  it('no metadata is an error', async () => {
    const result = await prepare({ apiVersion: 'v1', kind: 'ConfigMap' });

    expect(result).toMatchObject({
      end: { action: 'failed', messages: [{ text: 'error preparing configmaps/: metadata not found' }] },
    });
  });
});

describe('resourceId', () => {
  it.each([
    ['a namespaced item by its target', podOf('ns-1/pod-1'), undefined, 'pods/mapped/pod-1'],
    ['a cluster-scoped item', volumeOf('pv-1', 'Retain'), undefined, 'persistentvolumes/pv-1'],
    ['another name', podOf('ns-1/pod-1'), 'renamed', 'pods/mapped/renamed'],
  ])('names %s', (_title, object, name, expected) => {
    const entry = planEntryOf(object, { spec: { namespaceMapping: { 'ns-1': 'mapped' } } });

    expect(name === undefined ? resourceId(entry) : resourceId(entry, name)).toBe(expected);
  });
});
