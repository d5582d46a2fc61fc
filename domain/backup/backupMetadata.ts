import { getString, isObject, type Json } from '../json.ts';
import { parseJson } from '../jsonText.ts';
import type { Backup } from './backup.ts';
import { backupMetadataSchema } from './backupMetadata.schema.ts';
import { describeJsonError } from './parseItem.ts';
import { describeSchemaIssues } from './schemaError.ts';

/** A file of a backup, other than its tarball, that cannot be understood. */
export class BackupFileError extends Error {
  readonly type = 'InvalidBackupFile';
  constructor(file: string, problem: string) {
    super(`${file}: ${problem}`);
    this.name = 'BackupFileError';
  }
}

/** Reads JSON text of the file called `file`. @throws BackupFileError that gives the position, not the content. */
export function parseBackupFile(text: string, file: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new BackupFileError(file, `not JSON: ${describeJsonError(text, error)}`);
  }
}

function checkKind(value: Json, file: string): void {
  const [apiVersion, kind] = [getString(value, ['apiVersion']), getString(value, ['kind'])];
  if (!isObject(value)) throw new BackupFileError(file, 'expected a JSON object of kind Backup');
  if (apiVersion === 'velero.io/v1' && kind === 'Backup') return;
  const found = `${apiVersion ?? 'no apiVersion'}/${kind ?? 'no kind'}`;
  throw new BackupFileError(file, `unexpected type: found ${found}, expected velero.io/v1/Backup`);
}

/**
 * Reads `velero-backup.json` (spec backup-format.md §2.1). Every phase is accepted: Velero does not check it when a restore
 * names its backup.
 * @param file names the file in messages.
 * @throws BackupFileError
 */
export function parseBackupMetadata(text: string, file: string): Backup {
  const value = parseBackupFile(text, file);
  checkKind(value, file);
  const result = backupMetadataSchema.safeParse(value);
  if (!result.success) {
    throw new BackupFileError(file, describeSchemaIssues(value, result.error.issues, 'a known field').join('; '));
  }
  const { metadata, spec, status } = result.data;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    labels: metadata.labels ?? {},
    storageLocation: spec?.storageLocation ?? '',
    snapshotMoveData: spec?.snapshotMoveData ?? false,
    csiSnapshotTimeout: spec?.csiSnapshotTimeout ?? undefined,
    formatVersion: status?.formatVersion ?? '',
    phase: status?.phase ?? '',
    startTimestamp: status?.startTimestamp ?? undefined,
  };
}
