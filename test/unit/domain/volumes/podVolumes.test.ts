import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { BackupVolumeInfo } from '../../../../domain/backup/volumeInfo.ts';
import { parseVolumeInfos } from '../../../../domain/backup/volumeInfo.ts';
import { parseQuantity, QuantityError, quantityValue } from '../../../../domain/go/quantity.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { stubHasServed } from '../../../../domain/volumes/groupSnapshotCleanup.ts';
import { podVolumeRestore } from '../../../../domain/volumes/podVolumeRestore.ts';
import { podVolumeEnd, runsNodeAgent } from '../../../../domain/volumes/podVolumeState.ts';
import { podVolumesOf } from '../../../../domain/volumes/podVolumes.ts';
import {
  dataDownloadOf,
  type LiveVolume,
  volumePatchStep,
  volumesToPatch,
} from '../../../../domain/volumes/volumePatch.ts';
import { item } from '../support/items.ts';

const HOUR = 3_600_000;

describe('volumes of pods that a node agent restores', () => {
  const backup = (pod: string, volume: string): JsonObject => ({
    spec: { pod: { name: pod, namespace: 'ns-1' }, volume, uploaderType: 'kopia' },
    status: { snapshotID: `k-${volume}`, progress: { totalBytes: 7 } },
  });
  const backups = [backup('pod-1', 'a'), backup('pod-2', 'b'), backup('pod-2', 'c')];
  const pod = (name: string): JsonObject =>
    item('v1', 'Pod', `target/${name}`, { metadata: { uid: `uid-of-${name}` } });

  it.each([
    ['R-100 the first pod', 'pod-1', ['a']],
    ['R-100 the second pod', 'pod-2', ['b', 'c']],
    ['R-100, R-101 a pod without backups', 'pod-3', []],
  ])('%s', (_, name, volumes) => {
    expect(podVolumesOf(pod(name), 'ns-1', backups).map(({ volume }) => volume)).toEqual(volumes);
  });

  it('R-101 backups of another namespace match no pod', () => {
    expect(podVolumesOf(pod('pod-1'), 'target', backups)).toEqual([]);
  });

  it('become PodVolumeRestores as the node agent expects them, under one name at every attempt', () => {
    const [volume] = podVolumesOf(pod('pod-1'), 'ns-1', backups);
    const make = (): JsonObject =>
      podVolumeRestore(
        { name: 'again', namespace: 'velero', uid: 'ours', spec: { uploaderConfig: { parallelFilesDownload: 2 } } },
        {
          name: 'b',
          namespace: 'velero',
          labels: {},
          storageLocation: 'far',
          snapshotMoveData: false,
          csiSnapshotTimeout: undefined,
          formatVersion: '1.1.0',
          phase: 'Completed',
          startTimestamp: undefined,
        },
        pod('pod-1'),
        volume!,
        {
          owner: { kind: 'Restore', name: 'again', uid: 'owner' },
          sourceNamespace: 'ns-1',
          claim: item('v1', 'PersistentVolumeClaim', 'target/a', { metadata: { uid: 'claim-uid' } }),
        },
      );

    expect(make()).toEqual(make());
    expect(make()).toEqual({
      apiVersion: 'velero.io/v1',
      kind: 'PodVolumeRestore',
      metadata: {
        name: expect.stringMatching(/^again-[0-9a-f]{10}$/),
        namespace: 'velero',
        ownerReferences: [{ kind: 'Restore', name: 'again', uid: 'owner' }],
        labels: {
          'velero.io/restore-name': 'again',
          'velero.io/restore-uid': 'owner',
          'velero.io/pod-uid': 'uid-of-pod-1',
          'velero.io/pvc-uid': 'claim-uid',
        },
      },
      spec: {
        pod: { kind: 'Pod', namespace: 'target', name: 'pod-1', uid: 'uid-of-pod-1' },
        volume: 'a',
        snapshotID: 'k-a',
        snapshotSize: 7,
        backupStorageLocation: 'far',
        repoIdentifier: '',
        uploaderType: 'kopia',
        sourceNamespace: 'ns-1',
        uploaderSettings: { WriteSparseFiles: 'false', ParallelFilesDownload: '2' },
      },
    });
  });

  const running = (status: JsonObject): JsonObject =>
    item('velero.io/v1', 'PodVolumeRestore', 'velero/again-1', {
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { pod: { namespace: 'ns-1', name: 'web' }, volume: 'a' },
      status,
    });
  const at = Date.parse('2026-01-01T01:00:00Z');

  it.each<[string, JsonObject, number, unknown]>([
    ['completed', { phase: 'Completed' }, HOUR, { error: undefined }],
    ['failed', { phase: 'Failed', message: 'no space' }, HOUR, { error: 'pod volume restore failed: no space' }],
    ['cancelled', { phase: 'Canceled', message: 'by hand' }, HOUR, { error: 'pod volume restore canceled: by hand' }],
    ['at work', { phase: 'InProgress' }, HOUR, undefined],
    ['not begun', {}, HOUR, undefined],
    [
      'too late',
      { phase: 'InProgress' },
      HOUR - 1,
      { error: 'timed out waiting for all PodVolumeRestores to complete: volume a of pod ns-1/web' },
    ],
  ])('end: %s', (_, status, timeoutMs, expected) => {
    expect(podVolumeEnd(running(status), at, timeoutMs)).toEqual(expected);
  });

  it("are waited for only where an agent runs on the pod's node", () => {
    const agent = (nodeName: string, phase: string): JsonObject => ({ spec: { nodeName }, status: { phase } });

    expect(runsNodeAgent([agent('n1', 'Running')], 'n1')).toBe(true);
    expect(runsNodeAgent([agent('n2', 'Running'), agent('n1', 'Pending')], 'n1')).toBe(false);
  });
});

describe('volumes that were provisioned anew', () => {
  const info = (content: Partial<BackupVolumeInfo>): BackupVolumeInfo => {
    const [read] = parseVolumeInfos(
      JSON.stringify([
        { pvcName: 'data', pvcNamespace: 'ns-1', pvInfo: { reclaimPolicy: 'Retain', labels: { a: '1' } } },
      ]),
      'x',
    );
    return { ...read!, ...content };
  };
  const find = (infos: BackupVolumeInfo[], created = true): unknown =>
    volumesToPatch(
      infos,
      () => created,
      () => 'target',
    );
  const wanted = { namespace: 'target', claim: 'data', reclaimPolicy: 'Retain', labels: { a: '1' } };

  it.each<[string, BackupVolumeInfo[], boolean, unknown]>([
    ['R-327 not of a native snapshot', [info({ backupMethod: 'NativeSnapshot' })], true, []],
    ['R-328 not of a claim that the restore did not create', [info({ backupMethod: 'CSISnapshot' })], false, []],
    ['R-331 in the target namespace', [info({ backupMethod: 'PodVolumeBackup' })], true, [wanted]],
    [
      'R-332 of both kinds',
      [info({ backupMethod: 'PodVolumeBackup' }), info({ backupMethod: 'CSISnapshot' })],
      true,
      [wanted, wanted],
    ],
    ['not where nothing is known of the old one', [info({ backupMethod: 'CSISnapshot', pvInfo: undefined })], true, []],
  ])('%s', (_, infos, created, expected) => {
    expect(find(infos, created)).toEqual(expected);
  });

  const claim = (phase: string, volumeName = 'pv-new'): JsonObject =>
    item('v1', 'PersistentVolumeClaim', 'target/data', { spec: { volumeName }, status: { phase } });
  const volume = (labels: Record<string, string>, policy: string, claimName = 'data'): JsonObject =>
    item('v1', 'PersistentVolume', 'pv-new', {
      metadata: { labels },
      spec: { persistentVolumeReclaimPolicy: policy, claimRef: { namespace: 'target', name: claimName } },
      status: { phase: 'Bound' },
    });
  const live = (content: Partial<LiveVolume>): LiveVolume => ({
    claim: claim('Bound'),
    storageClass: undefined,
    volume: volume({ a: '1' }, 'Retain'),
    ...content,
  });

  it.each<[string, LiveVolume, object]>([
    ['R-329 policy and labels are right', live({}), { step: 'done' }],
    [
      'R-330 policy and labels differ',
      live({ volume: volume({ b: '2' }, 'Delete') }),
      {
        step: 'patch',
        volume: 'pv-new',
        patch: { metadata: { labels: { a: '1', b: null } }, spec: { persistentVolumeReclaimPolicy: 'Retain' } },
      },
    ],
    [
      'R-333, R-334 bound to another claim',
      live({ volume: volume({}, 'Delete', 'other') }),
      { step: 'error', text: 'PV pv-new is bound to PVC target/other, expected target/data' },
    ],
    ['the claim is not there', live({ claim: undefined }), { step: 'wait', awaited: 'claim target/data' }],
    [
      'the claim is not bound',
      live({ claim: claim('Pending', '') }),
      { step: 'wait', awaited: 'claim target/data to be bound' },
    ],
    [
      'the claim waits for its first pod',
      live({ claim: claim('Pending', ''), storageClass: { volumeBindingMode: 'WaitForFirstConsumer' } }),
      { step: 'done' },
    ],
    [
      'the volume is not there',
      live({ volume: undefined }),
      { step: 'wait', awaited: 'volume pv-new of claim target/data to be bound' },
    ],
  ])('%s', (_, found, expected) => {
    expect(volumePatchStep(wanted, found)).toEqual(expected);
  });
});

describe('data that a data mover brings to a claim', () => {
  const download = (namespace: string, pvc: string, phase = 'Completed'): JsonObject =>
    item('velero.io/v2alpha1', 'DataDownload', 'velero/d', {
      spec: { targetVolume: { namespace, pvc } },
      status: { phase },
    });
  const claim = { namespace: 'target', claim: 'data' };

  it.each<[string, JsonObject[], boolean]>([
    ['R-341 none', [], false],
    ['R-342 one for the claim, and one for another', [download('target', 'other'), download('target', 'data')], true],
    ['R-343 one for a claim of that name elsewhere', [download('other', 'data')], false],
  ])('%s', (_, downloads, expected) => {
    expect(dataDownloadOf(claim, downloads) !== undefined).toBe(expected);
  });

  it.each([
    ['Failed', { step: 'done' }],
    ['Completed', { step: 'wait', awaited: 'claim target/data' }],
  ])('%s: what it did not bring is not waited for', (phase, expected) => {
    const wanted = { ...claim, reclaimPolicy: 'Retain', labels: {} };
    const live = {
      claim: undefined,
      storageClass: undefined,
      volume: undefined,
      dataDownload: download('target', 'data', phase),
    };

    expect(volumePatchStep(wanted, live)).toEqual(expected);
  });
});

describe('stubs of group snapshots', () => {
  const stub = (handles?: string[]): JsonObject => ({
    spec: { source: handles === undefined ? {} : { groupSnapshotHandles: { volumeSnapshotHandles: handles } } },
  });
  const content = (snapshotHandle: string, readyToUse: boolean): JsonObject => ({
    spec: { source: { snapshotHandle } },
    status: { readyToUse },
  });

  it.each<[string, JsonObject, JsonObject[], boolean]>([
    ['R-345 its member is ready', stub(['h1']), [content('h1', true)], true],
    ['R-346 both members are ready', stub(['h1', 'h2']), [content('h1', true), content('h2', true)], true],
    ['one member is not', stub(['h1', 'h2']), [content('h1', true), content('h2', false)], false],
    ['a member is not there', stub(['h1']), [], false],
    ['R-348 it has no handles', stub(), [], true],
  ])('have served: %s', (_, one, contents, expected) => {
    expect(stubHasServed(one, contents)).toBe(expected);
  });
});

describe('parseQuantity', () => {
  const vectors = JSON.parse(readFileSync(new URL('../go/vectors/quantity.json', import.meta.url), 'utf8')) as {
    text: string;
    error?: boolean;
    nano?: string;
  }[];

  it.each(vectors.filter(({ error }) => error !== true))('reads $text as $nano billionths', ({ text, nano }) => {
    expect(parseQuantity(text).toString()).toBe(nano);
  });

  it.each([
    ['1Gi', '1073741824'],
    ['1500m', '2'],
    ['-1500m', '-2'],
  ])('has whole units rounded up: %s', (text, units) => {
    expect(quantityValue(text).toString()).toBe(units);
  });

  it.each(vectors.filter(({ error }) => error === true))('refuses "$text"', ({ text }) => {
    expect(() => parseQuantity(text)).toThrow(QuantityError);
  });
});
