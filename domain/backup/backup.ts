/** What a restore needs of `velero-backup.json` (spec backup-format.md §7). */
export interface Backup {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly storageLocation: string;
  readonly snapshotMoveData: boolean;
  readonly csiSnapshotTimeout: string | undefined;
  readonly formatVersion: string;
  readonly phase: string;
  readonly startTimestamp: string | undefined;
}
