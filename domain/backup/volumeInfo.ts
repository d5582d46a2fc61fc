import type { z } from 'zod';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { BackupFileError, parseBackupFile } from './backupMetadata.ts';
import { describeSchemaIssues } from './schemaError.ts';
import { volumeInfoSchema, volumeSnapshotSchema } from './volumeInfo.schema.ts';

/** How a volume was backed up (spec backup-format.md §2.3); `backupMethod` is absent for a skipped volume. */
export type BackupVolumeInfo = z.output<typeof volumeInfoSchema>;

/** A snapshot taken by a volume snapshotter plugin (spec backup-format.md §2.2). */
export type NativeVolumeSnapshot = z.output<typeof volumeSnapshotSchema>;

/** The list in a file; Go writes an empty slice as `null`. @throws BackupFileError */
function listIn(text: string, file: string): Json[] {
  const value = parseBackupFile(text, file);
  if (value === null) return [];
  if (!Array.isArray(value)) throw new BackupFileError(file, 'expected a JSON list');
  return value;
}

function typedListIn<T>(schema: z.ZodType<T>, text: string, file: string): T[] {
  return listIn(text, file).map((value, index) => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const problems = describeSchemaIssues(value, result.error.issues, 'a known field');
    throw new BackupFileError(file, `entry ${index}: ${problems.join('; ')}`);
  });
}

/** Reads the text of `N-volumeinfo.json`. @throws BackupFileError */
export function parseVolumeInfos(text: string, file: string): BackupVolumeInfo[] {
  return typedListIn(volumeInfoSchema, text, file);
}

/** Volume infos by PV name, the last one wins; those without a PV share the key `''` (spec backup-format.md §2.3). */
export function volumeInfosByPvName(infos: readonly BackupVolumeInfo[]): Map<string, BackupVolumeInfo> {
  return new Map(infos.map((info) => [info.pvName ?? '', info]));
}

/** Reads the text of `N-volumesnapshots.json`. @throws BackupFileError */
export function parseVolumeSnapshots(text: string, file: string): NativeVolumeSnapshot[] {
  return typedListIn(volumeSnapshotSchema, text, file);
}

/** Reads a file that lists whole objects: PodVolumeBackups (§2.4), legacy CSI VolumeSnapshots (§2.5). @throws BackupFileError */
export function parseObjectList(text: string, file: string): JsonObject[] {
  return listIn(text, file).map((value, index) => {
    if (isObject(value)) return value;
    throw new BackupFileError(file, `entry ${index}: expected a JSON object`);
  });
}
