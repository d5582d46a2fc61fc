import { createHash } from 'node:crypto';

const BACKUP_NAME_LABEL = 'velero.io/backup-name';
export const RESTORE_NAME_LABEL = 'velero.io/restore-name';
export const SCHEDULE_NAME_LABEL = 'velero.io/schedule-name';

const MAX_LABEL_LENGTH = 63;
const HASH_LENGTH = 6;

/**
 * A name as a label value: names longer than 63 characters become their first 57 characters and the first 6 hex digits of
 * their SHA-256 (spec backup-format.md §7, R-236, R-237).
 */
export function toLabelValue(name: string): string {
  if (name.length <= MAX_LABEL_LENGTH) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return name.slice(0, MAX_LABEL_LENGTH - HASH_LENGTH) + hash;
}

/** The two labels that every restored object gets (spec restore-pipeline.md §17). */
export function restoreLabels(backupName: string, restoreName: string): Record<string, string> {
  return { [BACKUP_NAME_LABEL]: toLabelValue(backupName), [RESTORE_NAME_LABEL]: toLabelValue(restoreName) };
}

/** Selects what carries the restore's name. */
export function restoreNameSelector(restoreName: string): string {
  return `${RESTORE_NAME_LABEL}=${toLabelValue(restoreName)}`;
}
