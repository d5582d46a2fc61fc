import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type BackupFile, backupFileKey, restoreFileKey } from '../../domain/backup/layout.ts';
import { getArray, getIn, getString, type JsonObject, setIn } from '../../domain/json.ts';
import { makeBackup } from './support/backupBucket.ts';
import { type Environment, startEnvironment } from './support/environment.ts';
import { configMap, definition, deployment, namespace, pod } from './support/objects.ts';
import { endOf, restore, startRestore } from './support/restore.ts';

jest.setTimeout(240_000);

let environment: Environment;

/** Velero's definition of Restores has no status of its own. */
const restores = setIn(
  definition({ group: 'velero.io', kind: 'Restore' }),
  ['spec', 'versions'],
  [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  ],
);
const server = setIn(
  deployment('velero', 'velero'),
  ['spec', 'template', 'spec', 'containers'],
  [{ name: 'velero', image: 'example.invalid/velero:v1.18.3' }],
);
const nodeAgent = setIn({ ...deployment('velero', 'node-agent'), kind: 'DaemonSet' }, ['spec'], {
  selector: { matchLabels: { role: 'node-agent' } },
  template: {
    metadata: { labels: { role: 'node-agent' } },
    spec: { containers: [{ name: 'a', image: 'example.invalid/velero:v1.18.3' }] },
  },
});
const restoreObject = (name: string): JsonObject => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name, namespace: 'velero' },
});
const podVolumeRestores = { group: 'velero.io', version: 'v1', resource: 'podvolumerestores', namespace: 'velero' };

beforeAll(async () => {
  environment = await startEnvironment();
  const definitions = [restores, definition({ group: 'velero.io', kind: 'PodVolumeRestore' })];
  await environment.cluster.create(namespace('velero'), server, ...definitions);
  while (!['restores', 'podvolumerestores'].every((name) => served.has(name))) await look();
}, 1_200_000);

const served = new Set<string>();

async function look(): Promise<void> {
  const { resources } = await environment.cluster.api.discover({ refresh: true });
  for (const { group, resource } of resources) if (group === 'velero.io') served.add(resource);
  await sleep(200);
}

afterAll(async () => {
  await environment.stop();
});

async function writeBackupFile(backup: string, file: BackupFile, content: unknown): Promise<void> {
  await writeFile(join(environment.bucket, backupFileKey(backup, file)), gzipSync(JSON.stringify(content)));
}

/** A pod with a claim whose files a node agent has backed up. */
async function backupWithPodVolume(name: string): Promise<void> {
  const claim: JsonObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'files', namespace: name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      volumeName: 'pv-old',
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
    },
    status: { phase: 'Bound' },
  };
  const volume: JsonObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv-old' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      hostPath: { path: '/x' },
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { namespace: name, name: 'files' },
    },
  };
  const web = setIn(
    pod(name, 'web'),
    ['spec', 'volumes'],
    [{ name: 'data', persistentVolumeClaim: { claimName: 'files' } }],
  );
  await makeBackup(environment.bucket, name, [namespace(name), claim, volume, web]);
  const backupOf = (veleroNamespace: string, snapshotID: string): JsonObject => ({
    metadata: { namespace: veleroNamespace, annotations: { 'velero.io/pvc-name': 'files' } },
    spec: { pod: { namespace: name, name: 'web' }, volume: 'data', uploaderType: 'kopia' },
    status: { snapshotID },
  });
  await writeBackupFile(name, 'podVolumeBackups', [backupOf('velero', 'k-1')]);
  await writeBackupFile(name, 'volumeInfo', [
    {
      pvcName: 'files',
      pvcNamespace: name,
      pvName: 'pv-old',
      backupMethod: 'PodVolumeBackup',
      snapshotDataMoved: false,
      skipped: false,
      pvInfo: { reclaimPolicy: 'Retain', labels: { tier: 'gold' } },
    },
  ]);
}

describe('volumes of pods', () => {
  it('R-101 say at once that no node agent is there; the pod is created and waits', async () => {
    await backupWithPodVolume('no-agent');
    const ended = await restore(
      environment,
      { backupName: 'no-agent', includedNamespaces: ['no-agent'] },
      { options: { resourceTimeoutMs: 1_000 } },
    );

    expect(ended.status.phase).toBe('PartiallyFailed');
    expect(ended.results.errors.velero).toEqual([
      expect.stringMatching(/^error to check node agent status: daemonset not found: pod no-agent\/web /),
    ]);
    const live = await environment.cluster.live(pod('no-agent', 'web'));
    expect(getIn(live, ['spec', 'initContainers', 0])).toMatchObject({
      name: 'restore-wait',
      image: 'example.invalid/velero:v1.18.3',
      volumeMounts: [{ name: 'data', mountPath: '/restores/data' }],
    });
  });

  it('R-100, R-330 are brought back by the node agent; the new volume gets policy and labels of the old one', async () => {
    await environment.cluster.create(nodeAgent);
    await backupWithPodVolume('with-agent');
    const handle = await startRestore(
      environment,
      { backupName: 'with-agent', includedNamespaces: ['with-agent'] },
      { name: 'brought-back' },
    );
    const asked = await askedOf('brought-back');
    const owner = await environment.cluster.live(restoreObject('brought-back'));
    expect(getIn(asked, ['metadata', 'ownerReferences'])).toEqual([
      expect.objectContaining({ kind: 'Restore', name: 'brought-back', uid: getString(owner, ['metadata', 'uid']) }),
    ]);
    expect(getString(owner, ['status', 'phase'])).toBe('InProgress');
    expect(asked['spec']).toMatchObject({
      volume: 'data',
      snapshotID: 'k-1',
      uploaderType: 'kopia',
      backupStorageLocation: 'default',
      sourceNamespace: 'with-agent',
      pod: { namespace: 'with-agent', name: 'web' },
    });
    const live = await environment.cluster.live(pod('with-agent', 'web'));
    expect(getIn(live, ['spec', 'initContainers', 0, 'args'])).toEqual([getString(owner, ['metadata', 'uid'])]);

    await bindClaim('with-agent');
    await environment.cluster.setStatus(asked, { phase: 'Completed', progress: { totalBytes: 42 } });
    const ended = await endOf(environment, handle);

    expect(ended.results.errors).toEqual({});
    expect(ended.status.phase).toBe('Completed');
    const volume = await environment.cluster.live({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-new' },
    });
    expect(getIn(volume, ['spec', 'persistentVolumeReclaimPolicy'])).toBe('Retain');
    expect(getIn(volume, ['metadata', 'labels'])).toEqual({ tier: 'gold' });
    expect(getString(await environment.cluster.live(restoreObject('brought-back')), ['status', 'phase'])).toBe(
      'Completed',
    );
    const info: unknown = JSON.parse(
      gunzipSync(await readFile(join(environment.bucket, restoreFileKey('brought-back', 'volumeInfo')))).toString(
        'utf8',
      ),
    );
    expect(info).toEqual([
      expect.objectContaining({ pvcName: 'files', pvName: 'pv-new', restoreMethod: 'PodVolumeRestore' }),
    ]);
  });

  it('R-333 a node agent that fails makes the restore PartiallyFailed', async () => {
    await backupWithPodVolume('failing-agent');
    const handle = await startRestore(
      environment,
      { backupName: 'failing-agent', includedNamespaces: ['failing-agent'] },
      { name: 'failed-back', options: { resourceTimeoutMs: 1_000 } },
    );
    await environment.cluster.setStatus(await askedOf('failed-back'), { phase: 'Failed', message: 'no such snapshot' });
    const ended = await endOf(environment, handle);

    expect(ended.results.errors.velero).toEqual(['pod volume restore failed: no such snapshot']);
    expect(ended.results.errors.namespaces?.['failing-agent']).toEqual([
      'fail to patch dynamic PV, err: timed out waiting for claim failing-agent/files to be bound, PVC: files',
    ]);
    expect(ended.status.phase).toBe('PartiallyFailed');
  });

  it('are given up where the restore is cancelled', async () => {
    await backupWithPodVolume('cancelled-agent');
    const handle = await startRestore(
      environment,
      { backupName: 'cancelled-agent', includedNamespaces: ['cancelled-agent'] },
      { name: 'given-up' },
    );
    await environment.cluster.setStatus(await askedOf('given-up'), { phase: 'InProgress' });
    await handle.cancel();
    const ended = await endOf(environment, handle);

    expect(ended.status).toMatchObject({ phase: 'Failed', failureReason: 'cancelled' });
    expect(getIn(await askedOf('given-up'), ['spec', 'cancel'])).toBe(true);
    expect(getString(await environment.cluster.live(restoreObject('given-up')), ['status', 'phase'])).toBe('Failed');
  });

  /** What a node agent finds of a restore. */
  async function askedOf(restoreName: string): Promise<JsonObject> {
    for (;;) {
      const listed = await environment.cluster.api.list(podVolumeRestores, {
        labelSelector: `velero.io/restore-name=${restoreName}`,
      });
      const found = listed.ok ? getIn(listed.object, ['items', 0]) : undefined;
      if (found !== undefined)
        return { apiVersion: 'velero.io/v1', kind: 'PodVolumeRestore', ...(found as JsonObject) };
      await sleep(200);
    }
  }

  /** What provisioner and volume controller do. */
  async function bindClaim(name: string): Promise<void> {
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'files', namespace: name } };
    const live = await environment.cluster.live(claim);
    expect(getIn(live, ['spec', 'volumeName'])).toBeUndefined();
    await environment.cluster.patch(claim, { spec: { volumeName: 'pv-new' } });
    const [volume] = await environment.cluster.create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-new', labels: { other: 'x' } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/x' },
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { namespace: name, name: 'files' },
      },
    });
    await environment.cluster.setStatus({ apiVersion: 'v1', kind: 'PersistentVolume', ...volume }, { phase: 'Bound' });
    await environment.cluster.setStatus(
      { ...live, ...claim },
      { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    );
  }
});

describe('CSI snapshots', () => {
  const group = 'groupsnapshot.storage.k8s.io';
  const snapshots = 'snapshot.storage.k8s.io';
  const contents = { group: snapshots, version: 'v1', resource: 'volumesnapshotcontents' };
  const stubOf = (name: string, restoreName: string): JsonObject => ({
    apiVersion: `${group}/v1beta2`,
    kind: 'VolumeGroupSnapshotContent',
    metadata: { name, labels: { 'velero.io/restore-name': restoreName } },
    spec: {},
  });
  const stubs = { group, version: 'v1beta2', resource: 'volumegroupsnapshotcontents' };

  /** Groups of Kubernetes want to know who has approved of them. */
  function approved(crd: JsonObject): JsonObject {
    return setIn(crd, ['metadata', 'annotations'], { 'api-approved.kubernetes.io': 'unapproved, for a test' });
  }

  async function namesOf(location: typeof stubs): Promise<string[]> {
    const listed = await environment.cluster.api.list(location);
    if (!listed.ok) throw new Error(listed.message);
    return (getArray(listed.object, ['items']) ?? []).map((one) => getString(one, ['metadata', 'name']) ?? '');
  }

  beforeAll(async () => {
    await environment.cluster.create(
      approved(definition({ group, kind: 'VolumeGroupSnapshotContent', scope: 'Cluster', versions: ['v1beta2'] })),
      approved(definition({ group: snapshots, kind: 'VolumeSnapshotContent', scope: 'Cluster' })),
      approved(definition({ group: snapshots, kind: 'VolumeSnapshot' })),
    );
    for (;;) {
      const { resources } = await environment.cluster.api.discover({ refresh: true });
      const found = new Set(resources.map(({ resource }) => resource));
      if (['volumegroupsnapshotcontents', 'volumesnapshotcontents', 'volumesnapshots'].every((one) => found.has(one)))
        break;
      await sleep(200);
    }
    const claim: JsonObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'csi', annotations: { 'velero.io/volume-snapshot-name': 'snap' } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeName: 'pv-csi',
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'csi',
      },
    };
    const snapshot: JsonObject = {
      apiVersion: `${snapshots}/v1`,
      kind: 'VolumeSnapshot',
      metadata: {
        name: 'snap',
        namespace: 'csi',
        annotations: {
          'velero.io/csi-volumegroupsnapshot-handle': 'group-1',
          'velero.io/csi-volumesnapshot-handle': 'handle-1',
          'velero.io/csi-driver-name': 'rbd.example.com',
        },
      },
      spec: { source: { persistentVolumeClaimName: 'data' } },
      status: { boundVolumeSnapshotContentName: 'content-1', restoreSize: '1Gi' },
    };
    const content: JsonObject = {
      apiVersion: `${snapshots}/v1`,
      kind: 'VolumeSnapshotContent',
      metadata: { name: 'content-1' },
      spec: {
        driver: 'rbd.example.com',
        deletionPolicy: 'Delete',
        source: { volumeHandle: 'v' },
        volumeSnapshotRef: { name: 'snap', namespace: 'csi' },
      },
      status: { snapshotHandle: 'handle-1' },
    };
    await makeBackup(environment.bucket, 'csi', [namespace('csi'), claim, snapshot, content]);
    await environment.cluster.create(stubOf('of-another', 'another'));
  });

  it('R-344 without the feature are restored as they are, and no stub is made or missed', async () => {
    const ended = await restore(environment, {
      backupName: 'csi',
      includedNamespaces: ['csi'],
      namespaceMapping: { csi: 'csi-plain' },
    });

    expect(ended.results.errors).toEqual({});
    expect(await namesOf(contents)).toEqual([]);
    expect(await namesOf(stubs)).toEqual(['of-another']);
    const claim = await environment.cluster.live({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'csi-plain' },
    });
    expect(getIn(claim, ['spec', 'dataSource'])).toBeUndefined();
  });

  it('R-345, R-347 are the source of their claims; the stub of their group goes when they are ready, others stay', async () => {
    const handle = await startRestore(
      environment,
      { backupName: 'csi', includedNamespaces: ['csi'] },
      { name: 'csi-1', options: { features: ['EnableCSI'] } },
    );
    let made: string | undefined;
    while (made === undefined) {
      made = (await namesOf(contents)).find((name) => name !== 'content-1');
      await sleep(200);
    }
    while ((await namesOf(stubs)).length < 2) await sleep(200);
    const content = await environment.cluster.live({
      apiVersion: `${snapshots}/v1`,
      kind: 'VolumeSnapshotContent',
      metadata: { name: made },
    });
    expect(content['spec']).toEqual({
      driver: 'rbd.example.com',
      deletionPolicy: 'Retain',
      source: { snapshotHandle: 'handle-1' },
      volumeSnapshotRef: { name: made, namespace: 'csi' },
    });
    await environment.cluster.setStatus(
      { apiVersion: `${snapshots}/v1`, kind: 'VolumeSnapshotContent', ...content },
      { readyToUse: true },
    );
    const ended = await endOf(environment, handle);

    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    expect(await namesOf(stubs)).toEqual(['of-another']);
    const claim = await environment.cluster.live({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'csi' },
    });
    expect(getIn(claim, ['spec', 'dataSource'])).toEqual({ apiGroup: snapshots, kind: 'VolumeSnapshot', name: made });
    expect(getIn(claim, ['spec', 'volumeName'])).toBeUndefined();
    const info: unknown = JSON.parse(
      gunzipSync(await readFile(join(environment.bucket, restoreFileKey('csi-1', 'volumeInfo')))).toString('utf8'),
    );
    expect(info).toEqual([
      expect.objectContaining({
        pvcName: 'data',
        restoreMethod: 'CSISnapshot',
        csiSnapshotInfo: expect.objectContaining({ snapshotHandle: 'handle-1' }) as unknown,
      }),
    ]);
  });
});

describe('data that a data mover brings back', () => {
  const downloads = { group: 'velero.io', version: 'v2alpha1', resource: 'datadownloads', namespace: 'velero' };

  it('R-349 is waited for as an operation; what told where the data is goes at the end', async () => {
    await environment.cluster.create(
      definition({ group: 'velero.io', kind: 'DataDownload', versions: ['v2alpha1'] }),
      definition({ group: 'velero.io', kind: 'DataUpload', versions: ['v2alpha1'] }),
    );
    for (;;) {
      const { resources } = await environment.cluster.api.discover({ refresh: true });
      const found = new Set(resources.map(({ resource }) => resource));
      if (['datadownloads', 'datauploads'].every((one) => found.has(one))) break;
      await sleep(200);
    }
    const claim: JsonObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: 'data',
        namespace: 'moved',
        uid: 'claim-uid',
        annotations: { 'velero.io/data-upload-name': 'upload' },
      },
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeName: 'pv-moved',
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'csi',
      },
    };
    const upload: JsonObject = {
      apiVersion: 'velero.io/v2alpha1',
      kind: 'DataUpload',
      metadata: { name: 'upload', namespace: 'velero' },
      spec: { sourceNamespace: 'moved', sourcePVC: 'data' },
      status: { snapshotID: 'k-9', progress: { totalBytes: 7 } },
    };
    await makeBackup(environment.bucket, 'moved', [namespace('moved'), claim, upload], {
      spec: { snapshotMoveData: true },
    });
    const handle = await startRestore(
      environment,
      { backupName: 'moved', includedNamespaces: ['moved'] },
      { name: 'moved-1', options: { features: ['EnableCSI'] } },
    );
    let asked: JsonObject | undefined;
    while (asked === undefined) {
      const listed = await environment.cluster.api.list(downloads);
      asked = listed.ok ? (getIn(listed.object, ['items', 0]) as JsonObject | undefined) : undefined;
      await sleep(200);
    }
    expect(asked['spec']).toMatchObject({
      targetVolume: { pvc: 'data', namespace: 'moved' },
      snapshotID: 'k-9',
      snapshotSize: 7,
    });
    const live = await environment.cluster
      .live({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'moved' } })
      .catch(() => undefined);
    expect(getIn(live, ['spec', 'volumeName'])).toBeUndefined();
    await environment.cluster.setStatus(
      { apiVersion: 'velero.io/v2alpha1', kind: 'DataDownload', ...asked },
      { phase: 'Completed', progress: { bytesDone: 7, totalBytes: 7 } },
    );
    const ended = await endOf(environment, handle);

    expect(ended.results.errors).toEqual({});
    expect(ended.status).toMatchObject({
      phase: 'Completed',
      restoreItemOperationsAttempted: 1,
      restoreItemOperationsCompleted: 1,
    });
    const left = await environment.cluster.api.list(
      { group: '', version: 'v1', resource: 'configmaps', namespace: 'velero' },
      { labelSelector: 'velero.io/resource-usage=DataUpload' },
    );
    expect(left.ok && getArray(left.object, ['items'])).toEqual([]);
    const info: unknown = JSON.parse(
      gunzipSync(await readFile(join(environment.bucket, restoreFileKey('moved-1', 'volumeInfo')))).toString('utf8'),
    );
    expect(info).toEqual([expect.objectContaining({ pvcName: 'data', snapshotDataMoved: true })]);
  });
});

describe('resource modifiers', () => {
  const modifiers = (name: string, text: string): JsonObject => configMap('velero', name, { data: { rules: text } });
  const rules = (operation: string): string => `version: v1
resourceModifierRules:
- conditions: {groupResource: configmaps, resourceNameRegex: ^set}
  patches: [{operation: ${operation}, path: /data/key, value: changed}]
- conditions: {groupResource: configmaps, resourceNameRegex: ^set}
  patches: [{operation: remove, path: /data/nothing}]
`;

  beforeAll(async () => {
    await makeBackup(environment.bucket, 'modified', [
      namespace('modified'),
      configMap('modified', 'settings'),
      configMap('modified', 'other'),
    ]);
  });

  it.each([
    ['R-314 that are not there', undefined, 'ConfigMap', 'failed to get resource modifiers configmap velero/m-0'],
    [
      'R-316 with an unknown key, asked for as CONFIGMAP',
      'version1: v1',
      'CONFIGMAP',
      'Error in parsing resource modifiers provided in configmap velero/m-1: failed to decode yaml data into resource modifiers, err: version1: unknown field (value "v1"), expected one of version, resourceModifierRules',
    ],
    [
      'R-317 with an unknown operation',
      rules('upsert'),
      'configmap',
      'Validation error in resource modifiers provided in configmap velero/m-2: unsupported operation upsert (resourceModifierRules[0].patches[0].operation)',
    ],
  ])('%s are refused before anything is changed', async (title, text, kind, message) => {
    const name = `m-${['R-314', 'R-316', 'R-317'].indexOf(title.slice(0, 5))}`;
    if (text !== undefined) await environment.cluster.create(modifiers(name, text));
    const handle = await startRestore(environment, { backupName: 'modified', resourceModifier: { kind, name } });

    await expect(handle.result()).rejects.toMatchObject({
      type: 'RestoreValidationFailed',
      validationErrors: [message],
    });
    expect(await environment.cluster.find(namespace('modified'))).toBeUndefined();
  });

  it('R-315 change items; what cannot be done is an error, and the item is there all the same', async () => {
    await environment.cluster.create(modifiers('m-3', rules('replace')));
    const ended = await restore(environment, {
      backupName: 'modified',
      resourceModifier: { kind: 'configmap', name: 'm-3' },
    });

    expect(ended.results.errors).toEqual({
      namespaces: {
        modified: [
          "error in applying patch error in applying JSON Patch error in remove for path: '/data/nothing': unable to remove nonexistent key: nothing: missing value",
        ],
      },
    });
    expect(ended.status.phase).toBe('PartiallyFailed');
    expect((await environment.cluster.live(configMap('modified', 'settings')))['data']).toEqual({ key: 'changed' });
    expect((await environment.cluster.live(configMap('modified', 'other')))['data']).toEqual({ key: 'value' });
    expect(ended.resourceList['v1/ConfigMap']).toContain('modified/settings(created)');
  });
});
