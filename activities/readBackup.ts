import {
  readBackup,
  readCsiVolumeSnapshots,
  readPodVolumeBackups,
  readVolumeInfos,
  readVolumeSnapshots,
} from '../adapters/storage/backupFiles.ts';
import type { Backup } from '../domain/backup/backup.ts';
import { BackupFileError } from '../domain/backup/backupMetadata.ts';
import { BACKUPS_FOLDER } from '../domain/backup/layout.ts';
import { type ObjectStore, ObjectStoreError } from '../domain/backup/objectStore.ts';
import { volumeInfosByPvName } from '../domain/backup/volumeInfo.ts';
import { getString, type JsonObject } from '../domain/json.ts';
import type { BackupVolumes } from '../domain/plan/persistentVolume.ts';

/** The backup's own description; undefined where there is no such backup. @throws BackupFileError, ObjectStoreError */
export async function findBackup(store: ObjectStore, name: string): Promise<Backup | undefined> {
  try {
    return await readBackup(store, name);
  } catch (error) {
    if (error instanceof ObjectStoreError && error.type === 'NotFound') return undefined;
    throw error;
  }
}

/** Every backup of the store whose description can be read; for choosing one of a schedule. */
export async function readAllBackups(store: ObjectStore): Promise<Backup[]> {
  const backups: Backup[] = [];
  for (const name of await store.listFolders(BACKUPS_FOLDER)) {
    try {
      const backup = await findBackup(store, name);
      if (backup !== undefined) backups.push(backup);
    } catch (error) {
      if (!(error instanceof BackupFileError)) throw error;
      // One broken backup must not hide the others; asked for by name it is an error.
    }
  }
  return backups;
}

/** What the backup's files say of its volumes. @throws BackupFileError, ObjectStoreError */
export async function readBackupVolumes(store: ObjectStore, backup: string): Promise<BackupVolumes> {
  const [infos, snapshots, podVolumes, csi] = await Promise.all([
    readVolumeInfos(store, backup),
    readVolumeSnapshots(store, backup),
    readPodVolumeBackups(store, backup),
    readCsiVolumeSnapshots(store, backup),
  ]);
  const byName = volumeInfosByPvName(infos);
  return {
    methodByVolume: new Map([...byName].map(([name, info]) => [name, info.backupMethod ?? ''])),
    nativeSnapshots: new Set(
      snapshots.map(({ spec }) => spec.persistentVolumeName).filter((name) => name !== undefined),
    ),
    podVolumes: podVolumes.length > 0,
    podVolumeClaims: claims(podVolumes, podVolumeClaim),
    csiSnapshotClaims: claims(csi, snapshotClaim),
  };
}

function claims(objects: readonly JsonObject[], claimOf: (object: JsonObject) => string | undefined): Set<string> {
  return new Set(objects.map(claimOf).filter((claim) => claim !== undefined));
}

/** A pod volume backup without a snapshot id holds no data. */
function podVolumeClaim(backup: JsonObject): string | undefined {
  const name = getString(backup, ['metadata', 'annotations', 'velero.io/pvc-name']);
  const namespace = getString(backup, ['spec', 'pod', 'namespace']);
  const snapshot = getString(backup, ['status', 'snapshotID']) ?? '';
  return name === undefined || namespace === undefined || snapshot === '' ? undefined : `${namespace}/${name}`;
}

function snapshotClaim(snapshot: JsonObject): string | undefined {
  const name = getString(snapshot, ['spec', 'source', 'persistentVolumeClaimName']);
  const namespace = getString(snapshot, ['metadata', 'namespace']);
  return name === undefined || namespace === undefined ? undefined : `${namespace}/${name}`;
}
