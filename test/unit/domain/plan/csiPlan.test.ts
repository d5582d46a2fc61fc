import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../domain/json.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { claimOf, item, volumeOf } from '../support/items.ts';
import { entryOf, itemsOf, planOf, textsOf } from '../support/plans.ts';

const snapshot = item('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'ns-1/snap', {
  status: { boundVolumeSnapshotContentName: 'content-1' },
});
const content = item('snapshot.storage.k8s.io/v1', 'VolumeSnapshotContent', 'content-1', {
  metadata: {
    annotations: {
      'csi.storage.k8s.io/snapshotter-secret-name': 'key',
      'csi.storage.k8s.io/snapshotter-secret-namespace': 'ns-1',
    },
  },
});
const secret = item('v1', 'Secret', 'ns-1/key');

function snapshotted(): JsonObject {
  const claim = claimOf('ns-1/data', 'pv-1');
  return {
    ...claim,
    metadata: { name: 'data', namespace: 'ns-1', annotations: { 'velero.io/volume-snapshot-name': 'snap' } },
  };
}

const objects = [snapshotted(), snapshot, content, secret];
const onlyClaims: RestoreSpec = { includedResources: ['persistentvolumeclaims'] };
const csi = { csi: true, snapshotMoveData: false };

describe('what the CSI actions ask for', () => {
  it('brings a claim its snapshot, past the filter of resources, and the snapshot its content', async () => {
    const plan = await planOf({ ...onlyClaims, includedNamespaces: ['ns-1'] }, objects, { csi });

    expect(itemsOf(plan)).toEqual([
      'VolumeSnapshotContent content-1',
      'VolumeSnapshot ns-1/snap',
      'PersistentVolumeClaim ns-1/data',
    ]);
  });

  it('does so even without cluster-scoped resources', async () => {
    const plan = await planOf({ ...onlyClaims, includeClusterResources: false }, objects, { csi });

    expect(itemsOf(plan)).toContain('VolumeSnapshotContent content-1');
  });

  it('brings a content the Secret of its driver where the filters allow it', async () => {
    const plan = await planOf({ includedResources: ['persistentvolumeclaims', 'secrets'] }, objects, { csi });

    expect(itemsOf(plan)).toContain('Secret ns-1/key');
  });

  it.each([
    ['where the feature is off', undefined],
    ['where the data was moved', { csi: true, snapshotMoveData: true }],
  ])('asks for no snapshot %s', async (_, options) => {
    const plan = await planOf(onlyClaims, objects, options === undefined ? {} : { csi: options });

    expect(itemsOf(plan)).not.toContain('VolumeSnapshot ns-1/snap');
  });

  it('warns of a snapshot that is not in the backup', async () => {
    const plan = await planOf(onlyClaims, [snapshotted()], { csi });

    expect(textsOf(plan, 'warning')).toContainEqual(
      'additional item resources/volumesnapshots.snapshot.storage.k8s.io/namespaces/ns-1/snap.json of resources/persistentvolumeclaims/namespaces/ns-1/data.json (velero.io/csi-pvc-restorer) is not in the backup',
    );
  });
});

describe('volumes whose data was moved, in a backup without volume info', () => {
  const upload = (namespace: string, claim: string): JsonObject =>
    item('velero.io/v2alpha1', 'DataUpload', 'velero/upload', {
      spec: { sourceNamespace: namespace, sourcePVC: claim },
    });
  const unbound = volumeOf('pv-1', 'Retain');

  it.each<[string, JsonObject, JsonObject, 'provision' | 'restore']>([
    ['R-099 the DataUpload of its claim', volumeOf('pv-1', 'Retain', 'ns-1/data'), upload('ns-1', 'data'), 'provision'],
    ['R-130 a volume without a claim', unbound, upload('', ''), 'restore'],
    [
      'R-131, R-132 the DataUpload of another claim',
      volumeOf('pv-1', 'Retain', 'ns-1/data'),
      upload('ns-1', 'other'),
      'restore',
    ],
    ['R-129 a volume that is no volume', { ...unbound, spec: 'none' }, upload('ns-1', 'data'), 'restore'],
  ])('%s', async (_, volume, dataUpload, decision) => {
    const plan = await planOf({}, [volume, dataUpload]);

    expect(entryOf(plan, 'PersistentVolume pv-1').volume).toBe(decision);
  });
});
