import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../domain/json.ts';
import {
  type BackupVolumes,
  decidePersistentVolume,
  noBackupVolumes,
} from '../../../../domain/plan/persistentVolume.ts';
import type { VolumeDecision } from '../../../../domain/plan/planEntry.ts';
import { claimOf, item, volumeOf } from '../support/items.ts';
import { entryOf, planOf } from '../support/plans.ts';

function info(method: string): BackupVolumes {
  return { ...noBackupVolumes, methodByVolume: new Map([['pv-1', method]]) };
}

const native: BackupVolumes = { ...noBackupVolumes, nativeSnapshots: new Set(['pv-1']) };
const podVolume: BackupVolumes = { ...noBackupVolumes, podVolumeClaims: new Set(['ns-1/data']) };
const csi: BackupVolumes = { ...noBackupVolumes, csiSnapshotClaims: new Set(['ns-1/data']) };

describe('what becomes of a PersistentVolume, by volume info', () => {
  it.each<[string, 'Delete' | 'Retain', BackupVolumes, VolumeDecision]>([
    ['R-001 NativeSnapshot without a snapshot in the list', 'Retain', info('NativeSnapshot'), 'restore'],
    ['R-002 PodVolumeBackup', 'Retain', info('PodVolumeBackup'), 'provision'],
    ['R-003, R-004 CSISnapshot, moved or not', 'Retain', info('CSISnapshot'), 'provision'],
    ['R-005 skipped, Delete', 'Delete', info(''), 'provision'],
    ['R-006 skipped, Retain', 'Retain', info(''), 'restore'],
    [
      'a native snapshot',
      'Delete',
      { ...native, ...info('NativeSnapshot'), nativeSnapshots: native.nativeSnapshots },
      'nativeSnapshot',
    ],
    [
      'info wins over what the other files say',
      'Retain',
      { ...native, methodByVolume: info('').methodByVolume },
      'restore',
    ],
    [
      'info of another volume says nothing',
      'Retain',
      { ...noBackupVolumes, methodByVolume: new Map([['pv-2', 'CSISnapshot']]) },
      'restore',
    ],
  ])('%s', (_title, policy, volumes, expected) => {
    expect(decidePersistentVolume(volumeOf('pv-1', policy, 'ns-1/data'), volumes, { restorePVs: undefined })).toBe(
      expected,
    );
  });
});

describe('what becomes of a PersistentVolume, without volume info', () => {
  it.each<[string, JsonObject, BackupVolumes, VolumeDecision]>([
    ['R-085 Delete, no snapshot', volumeOf('pv-1', 'Delete', 'ns-1/data'), noBackupVolumes, 'provision'],
    ['R-086 Retain, no snapshot', volumeOf('pv-1', 'Retain', 'ns-1/data'), noBackupVolumes, 'restore'],
    ['R-087 Delete, native snapshot', volumeOf('pv-1', 'Delete', 'ns-1/data'), native, 'nativeSnapshot'],
    ['R-088 Retain, native snapshot', volumeOf('pv-1', 'Retain', 'ns-1/data'), native, 'nativeSnapshot'],
    ['a native snapshot of another volume', volumeOf('pv-2', 'Retain', 'ns-1/data'), native, 'restore'],
    ['a pod volume backup of its claim', volumeOf('pv-1', 'Retain', 'ns-1/data'), podVolume, 'provision'],
    ['a pod volume backup of another claim', volumeOf('pv-1', 'Retain', 'ns-2/data'), podVolume, 'restore'],
    [
      'R-124 fields of other types',
      item('v1', 'PersistentVolume', 'pv-1', { spec: { persistentVolumeReclaimPolicy: 1, claimRef: 'data' } }),
      csi,
      'restore',
    ],
    ['R-125 no VolumeSnapshot', volumeOf('pv-1', 'Retain', 'ns-1/data'), noBackupVolumes, 'restore'],
    [
      'R-126 a VolumeSnapshot of no claim',
      volumeOf('pv-1', 'Retain', 'ns-1/data'),
      { ...noBackupVolumes, csiSnapshotClaims: new Set() },
      'restore',
    ],
    ['R-127 no claimRef', volumeOf('pv-1', 'Retain'), csi, 'restore'],
    ['R-128, R-098 a VolumeSnapshot of its claim', volumeOf('pv-1', 'Retain', 'ns-1/data'), csi, 'provision'],
    ['the same claim name in another namespace', volumeOf('pv-1', 'Retain', 'ns-2/data'), csi, 'restore'],
    ['no reclaim policy', item('v1', 'PersistentVolume', 'pv-1'), noBackupVolumes, 'restore'],
  ])('%s', (_title, volume, volumes, expected) => {
    expect(decidePersistentVolume(volume, volumes, { restorePVs: undefined })).toBe(expected);
  });

  it.each<[string, BackupVolumes]>([
    ['by volume info', { ...native, methodByVolume: new Map([['pv-1', 'NativeSnapshot']]) }],
    ['by the list of snapshots', native],
  ])('restorePVs false leaves native snapshots unused: %s', (_title, volumes) => {
    const volume = volumeOf('pv-1', 'Delete', 'ns-1/data');

    expect(decidePersistentVolume(volume, volumes, { restorePVs: false })).toBe('restore');
    expect(decidePersistentVolume(volume, volumes, { restorePVs: true })).toBe('nativeSnapshot');
  });
});

describe('claims and their volumes in a plan', () => {
  it.each<[string, 'Delete' | 'Retain', BackupVolumes, VolumeDecision, true | undefined]>([
    ['R-085 Delete: a new volume, the claim forgets the old', 'Delete', noBackupVolumes, 'provision', true],
    ['R-086 Retain: the volume is restored, the claim names it', 'Retain', noBackupVolumes, 'restore', undefined],
    ['R-098 a CSI snapshot: a new volume, the claim forgets the old', 'Retain', csi, 'provision', true],
  ])('%s', async (_title, policy, volumes, volume, dropVolumeName) => {
    const objects = [
      volumeOf('pv-1', policy, 'ns-1/data'),
      claimOf('ns-1/data', 'pv-1'),
      claimOf('ns-1/other', 'pv-2'),
    ];

    const plan = await planOf({}, [...objects, volumeOf('pv-2', 'Retain', 'ns-1/other')], { volumes });

    expect(entryOf(plan, 'PersistentVolume pv-1').volume).toBe(volume);
    expect(entryOf(plan, 'PersistentVolumeClaim ns-1/data').dropVolumeName).toBe(dropVolumeName);
    expect(entryOf(plan, 'PersistentVolumeClaim ns-1/other').dropVolumeName).toBeUndefined();
  });

  it('decides for a volume that only its claim asks for', async () => {
    const plan = await planOf({ includedNamespaces: ['ns-1'] }, [
      volumeOf('pv-1', 'Delete', 'ns-1/data'),
      claimOf('ns-1/data', 'pv-1'),
    ]);

    expect(entryOf(plan, 'PersistentVolume pv-1').volume).toBe('provision');
    expect(entryOf(plan, 'PersistentVolumeClaim ns-1/data').dropVolumeName).toBe(true);
  });

  it('keeps the name of a volume that is left out, and says so (W16)', async () => {
    const plan = await planOf({ excludedResources: ['pv'], namespaceMapping: { 'ns-1': 'mapped' } }, [
      volumeOf('pv-1', 'Delete', 'ns-1/data'),
      claimOf('ns-1/data', 'pv-1'),
    ]);

    expect(entryOf(plan, 'PersistentVolumeClaim mapped/data').dropVolumeName).toBeUndefined();
    expect(plan.messages.map(({ scope }) => scope)).toEqual([{ namespace: 'mapped' }]);
    expect(plan.messages[0]?.text).toMatch(
      /^claim ns-1\/data keeps naming volume pv-1, which is in the backup but not restored/,
    );
  });

  it('warns once where the backup lacks the volume', async () => {
    const plan = await planOf({}, [claimOf('ns-1/data', 'pv-1')]);

    expect(plan.messages.map(({ text }) => text)).toEqual([expect.stringContaining('is not in the backup')]);
  });

  it('says nothing of a volume in other kinds', async () => {
    const plan = await planOf({}, [item('v1', 'ConfigMap', 'ns-1/c', { spec: { volumeName: 'pv-1' } })]);

    expect(plan.entries.map((entry) => Object.keys(entry))).toEqual([
      ['index', 'groupResource', 'apiVersion', 'kind', 'name', 'targetName'],
      ['index', 'groupResource', 'apiVersion', 'kind', 'namespace', 'targetNamespace', 'name'],
    ]);
    expect(plan.messages).toEqual([]);
  });
});
