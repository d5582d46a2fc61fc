import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Backup } from '../../domain/backup/backup.ts';
import { BackupFileError, parseBackupMetadata } from '../../domain/backup/backupMetadata.ts';
import { type BackupFile, backupFileKey, backupMetadataKey } from '../../domain/backup/layout.ts';
import { type ObjectStore, ObjectStoreError } from '../../domain/backup/objectStore.ts';
import {
  type BackupVolumeInfo,
  type NativeVolumeSnapshot,
  parseObjectList,
  parseVolumeInfos,
  parseVolumeSnapshots,
} from '../../domain/backup/volumeInfo.ts';
import type { JsonObject } from '../../domain/json.ts';
import { errorParts } from './errorParts.ts';

/** Bound of one decompressed file: 256 MiB. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;
const unzip = promisify(gunzip);

/**
 * Reads `velero-backup.json`.
 * @throws ObjectStoreError `NotFound` where there is no such backup; BackupFileError where the file cannot be understood
 */
export async function readBackup(store: ObjectStore, backupName: string): Promise<Backup> {
  const key = backupMetadataKey(backupName);
  const content = await store.get(key);
  if (content === undefined) {
    throw new ObjectStoreError('NotFound', `backup ${JSON.stringify(backupName)}: no "${key}" in ${store.description}`);
  }
  return parseBackupMetadata(Buffer.from(content).toString('utf8'), key);
}

/** Text of an optional file; undefined where it is missing (spec backup-format.md §2). @throws BackupFileError */
async function optionalText(store: ObjectStore, key: string): Promise<string | undefined> {
  const content = await store.get(key);
  if (content === undefined) return undefined;
  try {
    const bytes = await unzip(content, { maxOutputLength: MAX_TEXT_BYTES });
    return bytes.toString('utf8');
  } catch (error) {
    const { code, message } = errorParts(error);
    throw new BackupFileError(key, `not gzip data, damaged, or too large (${code ?? message})`);
  }
}

async function optionalList<T>(
  store: ObjectStore,
  backupName: string,
  file: BackupFile,
  parse: (text: string, file: string) => T[],
): Promise<T[]> {
  const key = backupFileKey(backupName, file);
  const text = await optionalText(store, key);
  return text === undefined ? [] : parse(text, key);
}

/** How volumes were backed up; empty where the file is missing. @throws BackupFileError, ObjectStoreError */
export function readVolumeInfos(store: ObjectStore, backupName: string): Promise<BackupVolumeInfo[]> {
  return optionalList(store, backupName, 'volumeInfo', parseVolumeInfos);
}

/** Snapshots of volume snapshotter plugins; empty where the file is missing. @throws BackupFileError, ObjectStoreError */
export function readVolumeSnapshots(store: ObjectStore, backupName: string): Promise<NativeVolumeSnapshot[]> {
  return optionalList(store, backupName, 'volumeSnapshots', parseVolumeSnapshots);
}

/** PodVolumeBackup objects; empty where the file is missing. @throws BackupFileError, ObjectStoreError */
export function readPodVolumeBackups(store: ObjectStore, backupName: string): Promise<JsonObject[]> {
  return optionalList(store, backupName, 'podVolumeBackups', parseObjectList);
}

/** VolumeSnapshot objects of backups up to Velero 1.16; empty where the file is missing. @throws BackupFileError, ObjectStoreError */
export function readCsiVolumeSnapshots(store: ObjectStore, backupName: string): Promise<JsonObject[]> {
  return optionalList(store, backupName, 'csiVolumeSnapshots', parseObjectList);
}
