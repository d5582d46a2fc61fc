import { describe, expect, it } from '@jest/globals';
import { csiPvcAction } from '../../../../domain/actions/csiPvc.ts';
import { csiVolumeSnapshotAction } from '../../../../domain/actions/csiVolumeSnapshot.ts';
import { csiVolumeSnapshotClassAction } from '../../../../domain/actions/csiVolumeSnapshotClass.ts';
import { csiVolumeSnapshotContentAction } from '../../../../domain/actions/csiVolumeSnapshotContent.ts';
import { dataUploadAction } from '../../../../domain/actions/dataUpload.ts';
import { getIn, getString, type JsonObject, setIn } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/jsonText.ts';
import { item } from '../support/items.ts';
import { clusterOf, MemoryObjects, runAction } from './runAction.ts';

const claim = (annotations: Record<string, string>, spec: JsonObject = {}): JsonObject =>
  item('v1', 'PersistentVolumeClaim', 'ns-1/data', {
    metadata: { uid: '4f0d6d4e-6b0a-4a1e-8f7e-2f0d6d4e6b0a', annotations },
    spec: { volumeName: 'pv-1', storageClassName: 'fast', dataSourceRef: { name: 'old' }, ...spec },
  });
const snapshotted = claim({ 'velero.io/volume-snapshot-name': 'snap' });
const moved = claim({ 'velero.io/data-upload-name': 'upload' });

const upload = item('velero.io/v2alpha1', 'DataUpload', 'velero/upload', {
  spec: { sourceNamespace: 'ns-1', sourcePVC: 'data', datamover: 'velero' },
  status: { snapshotID: 'k1', progress: { totalBytes: 1024 }, nodeOS: 'linux', dataMoverResult: { a: 'b' } },
});

async function resultsOf(...uploads: JsonObject[]): Promise<JsonObject[]> {
  const objects = new MemoryObjects();
  for (const one of uploads) await runAction(dataUploadAction, one, { objects });
  return [...objects.written.values()];
}

describe('velero.io/dataupload', () => {
  it('makes a ConfigMap for the claim and restores no DataUpload', async () => {
    const objects = new MemoryObjects();

    expect(
      (await runAction(dataUploadAction, upload, { objects, backup: { storageLocation: 'far' } })).skipRestore,
    ).toBe(true);
    const [result] = objects.written.values();
    expect(getIn(result, ['metadata', 'name'])).toMatch(/^upload-[0-9a-f]{10}$/);
    expect(getIn(result, ['metadata', 'labels'])).toEqual({
      'velero.io/restore-uid': '7c0b',
      'velero.io/pvc-namespace-name': 'ns-1.data',
      'velero.io/resource-usage': 'DataUpload',
    });
    expect(parseJson(getString(result, ['data', '7c0b']) ?? '')).toEqual({
      backupStorageLocation: 'far',
      datamover: 'velero',
      snapshotID: 'k1',
      sourceNamespace: 'ns-1',
      dataMoverResult: { a: 'b' },
      nodeOS: 'linux',
      snapshotSize: 1024,
    });
  });

  it('has one name for it at every attempt', async () => {
    expect(await resultsOf(upload, upload)).toHaveLength(1);
  });

  it('leaves zero values out and shortens long names', async () => {
    const long = item('velero.io/v2alpha1', 'DataUpload', 'velero/u', {
      spec: { sourceNamespace: 'n'.repeat(40), sourcePVC: 'c'.repeat(40) },
    });
    const [result] = await resultsOf(long);

    expect(getIn(result, ['metadata', 'labels', 'velero.io/pvc-namespace-name'])).toHaveLength(63);
    expect(Object.keys(parseJson(getString(result, ['data', '7c0b']) ?? '') as JsonObject)).toEqual([
      'backupStorageLocation',
      'sourceNamespace',
    ]);
  });
});

describe('velero.io/csi-pvc-restorer', () => {
  it.each([
    ['exists in the target', { cluster: { 'persistentvolumeclaims ns-1': [snapshotted] } }],
    [
      'exists in the mapped namespace',
      { cluster: { 'persistentvolumeclaims mapped': [snapshotted] }, spec: { namespaceMapping: { 'ns-1': 'mapped' } } },
    ],
  ])('leaves a claim alone that %s', async (_, context) => {
    expect(await runAction(csiPvcAction, snapshotted, context)).toEqual({
      item: snapshotted,
      additionalItems: [],
      skipRestore: false,
    });
  });

  it('with restorePVs false only clears where the data came from', async () => {
    const { item: restored, additionalItems } = await runAction(csiPvcAction, snapshotted, {
      spec: { restorePVs: false },
    });

    expect(restored['spec']).toEqual({ storageClassName: 'fast' });
    expect(additionalItems).toEqual([]);
  });

  it('names the restored snapshot as the source, and asks for it by its old name', async () => {
    const { item: restored, additionalItems } = await runAction(csiPvcAction, snapshotted, {
      spec: { namespaceMapping: { 'ns-1': 'mapped' } },
    });

    expect(restored['spec']).toEqual({
      storageClassName: 'fast',
      dataSource: {
        apiGroup: 'snapshot.storage.k8s.io',
        kind: 'VolumeSnapshot',
        name: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    expect(additionalItems).toEqual([
      { group: 'snapshot.storage.k8s.io', resource: 'volumesnapshots', namespace: 'ns-1', name: 'snap' },
    ]);
  });

  it('reads annotations of the backup: an earlier action has removed them from the item', async () => {
    const stripped = setIn(snapshotted, ['metadata', 'annotations'], {});

    expect((await runAction(csiPvcAction, stripped, { itemFromBackup: snapshotted })).additionalItems).toHaveLength(1);
    expect((await runAction(csiPvcAction, stripped)).item).toEqual(stripped);
  });

  it('lets a data mover bring moved data, as an operation', async () => {
    const objects = new MemoryObjects();
    const output = await runAction(csiPvcAction, setIn(moved, ['spec', 'selector'], { matchLabels: { kept: 'yes' } }), {
      itemFromBackup: moved,
      backup: { snapshotMoveData: true, csiSnapshotTimeout: '10m0s' },
      spec: {
        namespaceMapping: { 'ns-1': 'mapped' },
        uploaderConfig: { writeSparseFiles: true, parallelFilesDownload: 4 },
      },
      cluster: { 'configmaps velero': await resultsOf(upload) },
      objects,
    });

    expect(output.operationId).toBe('dd-7c0b.4f0d6d4e-6b0a-4a1e-8f7e-2f0d6d4e6b0a');
    expect(getIn(output.item, ['spec', 'volumeName'])).toBeUndefined();
    expect(getIn(output.item, ['spec', 'selector', 'matchLabels'])).toEqual({
      kept: 'yes',
      'velero.io/dynamic-pv-restore': expect.stringMatching(/^mapped\.data\.[0-9a-f]{5}$/),
    });
    const [download] = objects.written.values();
    expect(download).toEqual({
      apiVersion: 'velero.io/v2alpha1',
      kind: 'DataDownload',
      metadata: {
        name: expect.stringMatching(/^again-[0-9a-f]{10}$/),
        namespace: 'velero',
        ownerReferences: [await objects.owner()],
        labels: {
          'velero.io/restore-name': 'again',
          'velero.io/restore-uid': '7c0b',
          'velero.io/async-operation-id': output.operationId,
        },
      },
      spec: {
        targetVolume: { pvc: 'data', pv: '', namespace: 'mapped' },
        backupStorageLocation: 'default',
        datamover: 'velero',
        snapshotID: 'k1',
        snapshotSize: 1024,
        nodeOS: 'linux',
        sourceNamespace: 'ns-1',
        operationTimeout: '10m0s',
        dataMoverConfig: { WriteSparseFiles: 'true', ParallelFilesDownload: '4' },
      },
    });
  });

  it('has the same operation at a second attempt, which finds its own claim in the cluster', async () => {
    const objects = new MemoryObjects();
    const context = { backup: { snapshotMoveData: true }, objects };
    const configMaps = { 'configmaps velero': await resultsOf(upload) };
    const first = await runAction(csiPvcAction, moved, { ...context, cluster: configMaps });
    const second = await runAction(csiPvcAction, moved, {
      ...context,
      cluster: { ...configMaps, 'persistentvolumeclaims ns-1': [first.item] },
    });

    expect(second).toEqual(first);
    expect(objects.written.size).toBe(1);
  });

  it('leaves a claim without a DataUpload to other ways', async () => {
    expect(await runAction(csiPvcAction, snapshotted, { backup: { snapshotMoveData: true } })).toMatchObject({
      item: snapshotted,
    });
  });

  it.each<[string, JsonObject[], string]>([
    ['no result', [], 'no DataUpload result cm found with labels velero.io/pvc-namespace-name=ns-1.data,'],
    [
      'another key',
      [
        item('v1', 'ConfigMap', 'velero/a', {
          metadata: {
            labels: {
              'velero.io/pvc-namespace-name': 'ns-1.data',
              'velero.io/restore-uid': '7c0b',
              'velero.io/resource-usage': 'DataUpload',
            },
          },
          data: { x: '{}' },
        }),
      ],
      'no DataUpload result found with restore key 7c0b',
    ],
    [
      'no JSON',
      [
        item('v1', 'ConfigMap', 'velero/a', {
          metadata: {
            labels: {
              'velero.io/pvc-namespace-name': 'ns-1.data',
              'velero.io/restore-uid': '7c0b',
              'velero.io/resource-usage': 'DataUpload',
            },
          },
          data: { '7c0b': '{' },
        }),
      ],
      'error to unmarshal DataUploadResult',
    ],
    [
      'R-132 a label with another separator',
      [
        item('v1', 'ConfigMap', 'velero/a', {
          metadata: {
            labels: {
              'velero.io/pvc-namespace-name': 'ns-1/data',
              'velero.io/restore-uid': '7c0b',
              'velero.io/resource-usage': 'DataUpload',
            },
          },
        }),
      ],
      'no DataUpload result cm found',
    ],
  ])('is an error of the claim where there is %s', async (_, configMaps, message) => {
    const run = runAction(csiPvcAction, moved, {
      backup: { snapshotMoveData: true },
      cluster: { 'configmaps velero': configMaps },
      objects: new MemoryObjects(),
    });

    await expect(run).rejects.toThrow(message);
  });

  const download = (phase: string, status: JsonObject = {}): JsonObject =>
    item('velero.io/v2alpha1', 'DataDownload', 'velero/again-1', {
      metadata: { labels: { 'velero.io/async-operation-id': 'op' } },
      status: { phase, progress: { bytesDone: 5, totalBytes: 10 }, startTimestamp: 'T1', ...status },
    });
  const progressOf = async (downloads: JsonObject[], operationId = 'op'): Promise<unknown> =>
    csiPvcAction.progress?.(operationId, {
      restore: { name: 'again', namespace: 'velero', uid: '7c0b', spec: {} },
      cluster: clusterOf({ 'datadownloads.velero.io velero': downloads }),
    });

  it.each<[string, JsonObject, object]>([
    ['not begun', download('New'), { completed: false }],
    [
      'running',
      download('InProgress'),
      {
        completed: false,
        description: 'InProgress',
        operationUnits: 'Bytes',
        nCompleted: 5,
        nTotal: 10,
        started: 'T1',
      },
    ],
    [
      'completed',
      download('Completed', { completionTimestamp: 'T2' }),
      {
        completed: true,
        description: 'Completed',
        operationUnits: 'Bytes',
        nCompleted: 5,
        nTotal: 10,
        started: 'T1',
        updated: 'T2',
      },
    ],
    [
      'cancelled',
      download('Canceled'),
      expect.objectContaining({ completed: true, error: 'DataDownload is canceled' }),
    ],
    [
      'failed',
      download('Failed', { message: 'disk full' }),
      expect.objectContaining({ completed: true, error: 'disk full' }),
    ],
  ])('tells how far it has come: %s', async (_, one, expected) => {
    expect(await progressOf([one])).toEqual(expected);
  });

  it.each([
    ['none', [], 'op', "didn't find DataDownload"],
    ['two', [download('New'), download('New')], 'op', 'find multiple DataDownloads'],
    ['no operation', [], '', 'operation ID  is invalid'],
  ])('cannot tell of %s', async (_, downloads, operationId, message) => {
    await expect(progressOf(downloads, operationId)).rejects.toThrow(message);
  });

  it('asks the data mover to stop', async () => {
    const objects = new MemoryObjects();
    const context = {
      restore: { name: 'again', namespace: 'velero', uid: '7c0b', spec: {} },
      cluster: clusterOf({ 'datadownloads.velero.io velero': [download('InProgress')] }),
      objects,
    };

    await csiPvcAction.cancel?.('op', context);
    expect(objects.patches).toEqual([{ name: 'again-1', patch: { spec: { cancel: true } }, subresource: undefined }]);
  });
});

const group = {
  'velero.io/csi-volumegroupsnapshot-handle': 'group-1',
  'velero.io/csi-volumesnapshot-handle': 'handle-1',
  'velero.io/csi-driver-name': 'rbd.example.com',
};
const snapshot = (annotations: Record<string, string> = {}): JsonObject =>
  item('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'ns-1/snap', {
    metadata: { annotations },
    spec: { source: { persistentVolumeClaimName: 'data' }, volumeSnapshotClassName: 'old' },
    status: { boundVolumeSnapshotContentName: 'content-1', readyToUse: true },
  });

describe('velero.io/csi-volumesnapshot-restorer', () => {
  it('binds the snapshot to its new content, also where it has no annotations', async () => {
    const { item: restored, additionalItems } = await runAction(csiVolumeSnapshotAction, snapshot());
    const name = getIn(restored, ['metadata', 'name']);

    expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect(restored['spec']).toEqual({ source: { volumeSnapshotContentName: name } });
    expect(getIn(restored, ['metadata', 'annotations'])).toEqual({ 'velero.io/csi-vsc-deletion-policy': 'Retain' });
    expect(additionalItems).toEqual([
      { group: 'snapshot.storage.k8s.io', resource: 'volumesnapshotcontents', namespace: '', name: 'content-1' },
    ]);
  });

  it('has the name that its claim and its content use', async () => {
    const { item: vs } = await runAction(csiVolumeSnapshotAction, snapshot());
    const { item: pvc } = await runAction(csiPvcAction, snapshotted);
    const { item: content } = await runAction(csiVolumeSnapshotContentAction, contentOf());

    expect(getIn(pvc, ['spec', 'dataSource', 'name'])).toBe(getIn(vs, ['metadata', 'name']));
    expect(getIn(content, ['metadata', 'name'])).toBe(getIn(vs, ['metadata', 'name']));
  });

  it('is skipped with restorePVs false, and an error without a bound content', async () => {
    expect((await runAction(csiVolumeSnapshotAction, snapshot(), { spec: { restorePVs: false } })).skipRestore).toBe(
      true,
    );
    await expect(runAction(csiVolumeSnapshotAction, { ...snapshot(), status: {} })).rejects.toThrow(
      "VS snap doesn't have bound VSC",
    );
  });

  it.each(Object.keys(group))('makes no stub without annotation %s', async (missing) => {
    const objects = new MemoryObjects();
    const annotations = Object.fromEntries(Object.entries(group).filter(([key]) => key !== missing));

    await runAction(csiVolumeSnapshotAction, snapshot(annotations), { objects });
    expect(objects.written.size).toBe(0);
  });

  it('makes one stub for a group and adds the handles of its members', async () => {
    const objects = new MemoryObjects();
    const cluster = {
      'volumegroupsnapshotclasses.groupsnapshot.storage.k8s.io': [
        {
          metadata: { name: 'c' },
          driver: 'rbd.example.com',
          parameters: {
            'csi.storage.k8s.io/group-snapshotter-secret-name': 's',
            'csi.storage.k8s.io/group-snapshotter-secret-namespace': 'n',
          },
        },
      ],
    };
    for (const handle of ['handle-1', 'handle-2', 'handle-1']) {
      await runAction(csiVolumeSnapshotAction, snapshot({ ...group, 'velero.io/csi-volumesnapshot-handle': handle }), {
        objects,
        cluster,
      });
    }

    const [stub, ...others] = objects.written.values();
    expect(others).toEqual([]);
    const name = getString(stub, ['metadata', 'name']) ?? '';
    expect(stub).toEqual({
      apiVersion: 'groupsnapshot.storage.k8s.io/v1beta2',
      kind: 'VolumeGroupSnapshotContent',
      metadata: {
        name: expect.stringMatching(/^[0-9a-f]{64}$/),
        labels: { 'velero.io/restore-name': 'again' },
        annotations: {
          'groupsnapshot.storage.kubernetes.io/deletion-secret-name': 's',
          'groupsnapshot.storage.kubernetes.io/deletion-secret-namespace': 'n',
        },
      },
      spec: {
        deletionPolicy: 'Retain',
        driver: 'rbd.example.com',
        source: {
          groupSnapshotHandles: {
            volumeGroupSnapshotHandle: 'group-1',
            volumeSnapshotHandles: ['handle-1', 'handle-2'],
          },
        },
        volumeGroupSnapshotRef: { name: `stub-vgs-${name.slice(0, 8)}`, namespace: 'ns-1' },
      },
      status: { volumeGroupSnapshotHandle: 'group-1' },
    });
  });
});

function contentOf(content: JsonObject = {}): JsonObject {
  return item('snapshot.storage.k8s.io/v1', 'VolumeSnapshotContent', 'content-1', {
    spec: {
      driver: 'rbd.example.com',
      deletionPolicy: 'Delete',
      source: { volumeHandle: 'vol' },
      volumeSnapshotClassName: 'old',
      volumeSnapshotRef: { name: 'snap', namespace: 'ns-1', uid: 'u', resourceVersion: '1' },
    },
    status: { snapshotHandle: 'handle-1' },
    ...content,
  });
}

describe('velero.io/csi-volumesnapshotcontent-restorer', () => {
  it('refers to the snapshot by its handle and never deletes it', async () => {
    const { item: restored, additionalItems } = await runAction(csiVolumeSnapshotContentAction, contentOf(), {
      spec: { namespaceMapping: { 'ns-1': 'mapped' } },
    });
    const name = getIn(restored, ['metadata', 'name']);

    expect(restored['spec']).toEqual({
      driver: 'rbd.example.com',
      deletionPolicy: 'Retain',
      source: { snapshotHandle: 'handle-1' },
      volumeSnapshotRef: { name, namespace: 'mapped' },
    });
    expect(additionalItems).toEqual([]);
  });

  it('takes the first class of the target that has its driver', async () => {
    const cluster = {
      'volumesnapshotclasses.snapshot.storage.k8s.io': [
        { metadata: { name: 'other' }, driver: 'x' },
        { metadata: { name: 'mine' }, driver: 'rbd.example.com' },
      ],
    };

    expect(
      getIn((await runAction(csiVolumeSnapshotContentAction, contentOf(), { cluster })).item, [
        'spec',
        'volumeSnapshotClassName',
      ]),
    ).toBe('mine');
  });

  it.each<[string, Record<string, string>, number]>([
    [
      'both annotations',
      { 'csi.storage.k8s.io/snapshotter-secret-name': 's', 'csi.storage.k8s.io/snapshotter-secret-namespace': 'n' },
      1,
    ],
    ['one of them', { 'csi.storage.k8s.io/snapshotter-secret-name': 's' }, 0],
  ])('asks for the Secret of its driver with %s', async (_, annotations, count) => {
    expect(
      (await runAction(csiVolumeSnapshotContentAction, contentOf({ metadata: { annotations } }))).additionalItems,
    ).toHaveLength(count);
  });

  it('is skipped with restorePVs false, and an error without a handle', async () => {
    expect(
      (await runAction(csiVolumeSnapshotContentAction, contentOf(), { spec: { restorePVs: false } })).skipRestore,
    ).toBe(true);
    await expect(runAction(csiVolumeSnapshotContentAction, contentOf({ status: {} }))).rejects.toThrow(
      /^fail to get snapshot handle from VSC [0-9a-f]{64} status$/,
    );
  });
});

describe('velero.io/csi-volumesnapshotclass-restorer', () => {
  const snapshotClass = item('snapshot.storage.k8s.io/v1', 'VolumeSnapshotClass', 'c', {
    metadata: {
      annotations: {
        'csi.storage.k8s.io/snapshotter-list-secret-name': 's',
        'csi.storage.k8s.io/snapshotter-list-secret-namespace': 'n',
      },
    },
  });

  it('leaves the class as it is and asks for its Secret', async () => {
    expect(await runAction(csiVolumeSnapshotClassAction, snapshotClass)).toEqual({
      item: snapshotClass,
      additionalItems: [{ group: '', resource: 'secrets', namespace: 'n', name: 's' }],
      skipRestore: false,
    });
  });

  it('is skipped with restorePVs false', async () => {
    expect(
      (await runAction(csiVolumeSnapshotClassAction, snapshotClass, { spec: { restorePVs: false } })).skipRestore,
    ).toBe(true);
  });
});
