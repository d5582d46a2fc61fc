import type { Backup } from '../backup/backup.ts';
import { SCHEDULE_NAME_LABEL } from './labels.ts';

/**
 * The backup that a Restore from a schedule means: the newest one labelled with the schedule whose phase is `Completed`
 * (spec restore-pipeline.md §3 rule 9, R-291, R-311…R-313). Errors are in Velero's words.
 */
export function pickBackupForSchedule(
  backups: Iterable<Backup>,
  scheduleName: string,
): { backupName: string } | { errors: string[] } {
  const ofSchedule = backupsOfSchedule(backups, scheduleName);
  const newest = newestBackup(ofSchedule, ['Completed']);
  if (newest !== undefined) return { backupName: newest.name };
  const errors = ['No completed backups found for schedule'];
  return { errors: ofSchedule.length > 0 ? errors : ['No backups found for schedule', ...errors] };
}

/** Backups that carry the schedule's label, in the order given. */
export function backupsOfSchedule(backups: Iterable<Backup>, scheduleName: string): Backup[] {
  return [...backups].filter(({ labels }) => {
    return Object.hasOwn(labels, SCHEDULE_NAME_LABEL) && labels[SCHEDULE_NAME_LABEL] === scheduleName;
  });
}

/**
 * The backup in one of `phases` that started last; one without a start time is older than all others. Of two
 * that started together it is the one with the greater name, so that the same backups always lead to the same choice.
 */
export function newestBackup(backups: Iterable<Backup>, phases: readonly string[]): Backup | undefined {
  const candidates = [...backups].filter(({ phase }) => phases.includes(phase));
  return candidates.sort((a, b) => startTime(b) - startTime(a) || (a.name < b.name ? 1 : -1))[0];
}

function startTime({ startTimestamp }: Backup): number {
  const time = Date.parse(startTimestamp ?? '');
  return Number.isNaN(time) ? Number.MIN_SAFE_INTEGER : time;
}
