/**
 * Keys of an object store below bucket and prefix (spec backup-format.md §1). Nothing is ever kept outside `backups/` and
 * `restores/`: any other first folder makes Velero call the whole location unavailable.
 */

const BACKUP_FILE_SUFFIXES = {
  contents: '.tar.gz',
  logs: '-logs.gz',
  results: '-results.gz',
  resourceList: '-resource-list.json.gz',
  volumeSnapshots: '-volumesnapshots.json.gz',
  podVolumeBackups: '-podvolumebackups.json.gz',
  itemOperations: '-itemoperations.json.gz',
  volumeInfo: '-volumeinfo.json.gz',
  csiVolumeSnapshots: '-csi-volumesnapshots.json.gz',
} as const;

const RESTORE_FILE_SUFFIXES = {
  logs: '-logs.gz',
  results: '-results.gz',
  resourceList: '-resource-list.json.gz',
  itemOperations: '-itemoperations.json.gz',
  volumeInfo: '-volumeinfo.json.gz',
} as const;

/** A file of a backup beside `velero-backup.json`. */
export type BackupFile = keyof typeof BACKUP_FILE_SUFFIXES;
/** A file that a restore leaves for `velero restore describe` and `velero restore logs`. */
export type RestoreFile = keyof typeof RESTORE_FILE_SUFFIXES;

class InvalidKeyError extends Error {
  readonly type = 'InvalidKey';
  constructor(what: string, value: string) {
    super(`${what}: ${JSON.stringify(value)} cannot be part of a key of an object store: expected a name without "/"`);
    this.name = 'InvalidKeyError';
  }
}

/** Names come from users: one that is no single path segment would reach another folder. */
function segment(what: string, value: string): string {
  if (value === '' || value === '.' || value === '..' || /[/\\\0]/.test(value)) throw new InvalidKeyError(what, value);
  return value;
}

/** Block numbers have eight digits, so that keys sort as their numbers do. */
function blockNumber(what: string, block: number): string {
  if (!Number.isInteger(block) || block < 0 || block > 99_999_999) throw new InvalidKeyError(what, String(block));
  return String(block).padStart(8, '0');
}

/** Like block numbers; indexes of entries beside the plan have more digits. */
function itemIndex(index: number): string {
  if (!Number.isSafeInteger(index) || index < 0) throw new InvalidKeyError('plan index', String(index));
  return String(index).padStart(8, '0');
}

/** Folder whose children are the backups. */
export const BACKUPS_FOLDER = 'backups/';
/** Folder whose children are the restores. */
export const RESTORES_FOLDER = 'restores/';

/** Everything of one backup lies below this prefix. @throws InvalidKeyError */
export function backupFolder(backupName: string): string {
  return `${BACKUPS_FOLDER}${segment('backup name', backupName)}/`;
}

/** A backup exists where this object does. @throws InvalidKeyError */
export function backupMetadataKey(backupName: string): string {
  return `${backupFolder(backupName)}velero-backup.json`;
}

/** @throws InvalidKeyError */
export function backupFileKey(backupName: string, file: BackupFile): string {
  return `${backupFolder(backupName)}${backupName}${BACKUP_FILE_SUFFIXES[file]}`;
}

/** Everything of one restore lies below this prefix, the work store included. @throws InvalidKeyError */
export function restoreFolder(restoreName: string): string {
  return `${RESTORES_FOLDER}${segment('restore name', restoreName)}/`;
}

/** Velero leaves the `restore-` prefix out of the volume info, and of that file only. @throws InvalidKeyError */
export function restoreFileKey(restoreName: string, file: RestoreFile): string {
  const prefix = file === 'volumeInfo' ? '' : 'restore-';
  return `${restoreFolder(restoreName)}${prefix}${restoreName}${RESTORE_FILE_SUFFIXES[file]}`;
}

/** One restore in the work store: the uid keeps a second restore of the same name apart. */
export interface RestoreIdentity {
  readonly name: string;
  readonly uid: string;
}

/** The work store of a restore (design §2): plan, outcomes, resume states, long messages. @throws InvalidKeyError */
export function workFolder({ name, uid }: RestoreIdentity): string {
  return `${restoreFolder(name)}durable/${segment('restore uid', uid)}/`;
}

/** What validation found out about a restore. @throws InvalidKeyError */
export function restoreRecordKey(restore: RestoreIdentity): string {
  return `${workFolder(restore)}restore.json`;
}

/** The status with which a restore ended. @throws InvalidKeyError */
export function restoreStatusKey(restore: RestoreIdentity): string {
  return `${workFolder(restore)}status.json`;
}

/** Counts and waves of a plan; written last, so a plan is complete where this exists. @throws InvalidKeyError */
export function planSummaryKey(restore: RestoreIdentity): string {
  return `${workFolder(restore)}plan/summary.json`;
}

/** A block of NDJSON plan entries. @throws InvalidKeyError */
export function planBlockKey(restore: RestoreIdentity, block: number): string {
  return `${workFolder(restore)}plan/${blockNumber('plan block', block)}.ndjson`;
}

/** Prefix of all outcome blocks, for the one who merges them. @throws InvalidKeyError */
export function outcomesFolder(restore: RestoreIdentity): string {
  return `${workFolder(restore)}outcomes/`;
}

/**
 * A block of NDJSON outcomes. `writer` names who wrote it and is the same when that is tried again (e.g. `shard-3-7`,
 * `group-00000420`), so that writing twice is harmless.
 * @throws InvalidKeyError
 */
export function outcomeBlockKey(restore: RestoreIdentity, writer: string): string {
  return `${outcomesFolder(restore)}${segment('writer', writer)}.ndjson`;
}

/**
 * Where a suspended item goes on, by its index in the plan and the position of the action behind which it stopped: after a reset of
 * the workflow the earlier stop is still there.
 * @throws InvalidKeyError
 */
export function resumeStateKey(restore: RestoreIdentity, planIndex: number, actionIndex: number): string {
  return `${workFolder(restore)}state/${itemIndex(planIndex)}-${actionIndex}.json`;
}

/** Prefix of the entries beside the plan. @throws InvalidKeyError */
export function additionalEntriesFolder(restore: RestoreIdentity): string {
  return `${workFolder(restore)}additional/`;
}

/** Operations that actions have started, and how far they are. @throws InvalidKeyError */
export function operationsKey(restore: RestoreIdentity): string {
  return `${workFolder(restore)}operations.json`;
}

/** An entry beside the plan: an item that only an action asked for. @throws InvalidKeyError */
export function additionalEntryKey(restore: RestoreIdentity, index: number): string {
  return `${additionalEntriesFolder(restore)}${itemIndex(index)}.json`;
}

/** Prefix of what became of volumes that were made from native snapshots. @throws InvalidKeyError */
export function nativeVolumesFolder(restore: RestoreIdentity): string {
  return `${workFolder(restore)}volumes/`;
}

/** What became of a volume that was made from a native snapshot. @throws InvalidKeyError */
export function nativeVolumeKey(restore: RestoreIdentity, volume: string): string {
  return `${nativeVolumesFolder(restore)}${segment('volume', volume)}.json`;
}

/** Exists once a provider was asked to make that volume. @throws InvalidKeyError */
export function nativeVolumeBeginKey(restore: RestoreIdentity, volume: string): string {
  return `${nativeVolumesFolder(restore)}${segment('volume', volume)}.begun`;
}

/** What became of volumes after their items were restored. @throws InvalidKeyError */
export function settledVolumesKey(restore: RestoreIdentity): string {
  return `${workFolder(restore)}volumes-settled.json`;
}

/** A message too long for a payload, by the index in the plan and its position among the item's messages. @throws InvalidKeyError */
export function messageKey(restore: RestoreIdentity, planIndex: number, position: number): string {
  return `${workFolder(restore)}messages/${itemIndex(planIndex)}-${blockNumber('position', position)}.txt`;
}
