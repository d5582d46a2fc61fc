import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Backup } from '../domain/backup/backup.ts';
import { BackupFileError, parseBackupMetadata } from '../domain/backup/backupMetadata.ts';
import { type BackupFile, backupFileKey, backupMetadataKey } from '../domain/backup/layout.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import {
  parseObjectList,
  parseVolumeInfos,
  parseVolumeSnapshots,
  volumeInfosByPvName,
} from '../domain/backup/volumeInfo.ts';
import { getString, type JsonObject } from '../domain/json.ts';
import type { BackupVolumes } from '../domain/plan/persistentVolume.ts';

const text = new TextDecoder();
const decompress = promisify(gunzip);

/** The backup's own description; undefined where there is no such backup. @throws BackupFileError, ObjectStoreError */
export async function readBackup(store: ObjectStore, name: string): Promise<Backup | undefined> {
  const key = backupMetadataKey(name);
  const content = await store.get(key);
  return content === undefined ? undefined : parseBackupMetadata(text.decode(content), key);
}

/** Every backup of the store whose description can be read; for choosing one of a schedule. */
export async function readAllBackups(store: ObjectStore): Promise<Backup[]> {
  const backups: Backup[] = [];
  for (const name of await store.listFolders('backups/')) {
    try {
      const backup = await readBackup(store, name);
      if (backup !== undefined) backups.push(backup);
    } catch (error) {
      if (!(error instanceof BackupFileError)) throw error;
      // One broken backup must not hide the others; asked for by name it is an error.
    }
  }
  return backups;
}

/** Text of an optional compressed file of a backup. @throws BackupFileError where it is there but no gzip. */
async function readOptional(store: ObjectStore, backup: string, file: BackupFile): Promise<string | undefined> {
  const key = backupFileKey(backup, file);
  const content = await store.get(key);
  if (content === undefined) return undefined;
  try {
    return text.decode(await decompress(content));
  } catch {
    throw new BackupFileError(key, 'expected a gzip file');
  }
}

/** What the backup's files say of its volumes. @throws BackupFileError */
export async function readBackupVolumes(store: ObjectStore, backup: string): Promise<BackupVolumes> {
  const [infos, snapshots, podVolumes, csi] = await Promise.all([
    readOptional(store, backup, 'volumeInfo'),
    readOptional(store, backup, 'volumeSnapshots'),
    readOptional(store, backup, 'podVolumeBackups'),
    readOptional(store, backup, 'csiVolumeSnapshots'),
  ]);
  const byName = volumeInfosByPvName(infos === undefined ? [] : parseVolumeInfos(infos, 'volume info'));
  const native = snapshots === undefined ? [] : parseVolumeSnapshots(snapshots, 'volume snapshots');
  return {
    methodByVolume: new Map([...byName].map(([name, info]) => [name, info.backupMethod ?? ''])),
    nativeSnapshots: new Set(native.map(({ spec }) => spec.persistentVolumeName).filter((name) => name !== undefined)),
    podVolumeClaims: claims(podVolumes, 'pod volume backups', podVolumeClaim),
    csiSnapshotClaims: claims(csi, 'CSI volume snapshots', snapshotClaim),
  };
}

function claims(
  content: string | undefined,
  file: string,
  claimOf: (object: JsonObject) => string | undefined,
): Set<string> {
  const objects = content === undefined ? [] : parseObjectList(content, file);
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
