import type { Restore, RestoreStatus } from '../restore/restore.ts';
import { sortedRecord } from '../results/goJson.ts';
import { alignColumns, type Line, TABLE_COLUMNS } from './columns.ts';
import { formatLabelSelector } from './formatLabelSelector.ts';
import { printable, printTime } from './printable.ts';

export interface RestoreTableRow {
  readonly restore: Restore;
  readonly status: RestoreStatus;
  /** RFC 3339: when the restore was asked for. */
  readonly createdAt?: string | undefined;
}

export interface RestoreTableOptions {
  /** Labels that get a column of their own: `--label-columns`. */
  readonly labelColumns?: readonly string[] | undefined;
  /** A last column with all labels: `--show-labels`. */
  readonly showLabels?: boolean | undefined;
}

const HEADINGS = ['NAME', 'BACKUP', 'STATUS', 'STARTED', 'COMPLETED', 'ERRORS', 'WARNINGS', 'CREATED', 'SELECTOR'];

/** The table of `velero restore get` (spec cli-and-status.md §3, R-454), in the order given. */
export function restoreTable(
  rows: readonly RestoreTableRow[],
  { labelColumns = [], showLabels = false }: RestoreTableOptions = {},
): string {
  const labelHeadings = labelColumns.map((label) => printable(label.split('/').at(-1) ?? label).toUpperCase());
  const headings = [...HEADINGS, ...labelHeadings, ...(showLabels ? ['LABELS'] : [])];
  const lines = rows.map((row): Line => {
    const labels = row.restore.labels ?? {};
    const ownColumns = labelColumns.map((label) =>
      printable(Object.hasOwn(labels, label) ? (labels[label] ?? '') : ''),
    );
    return [...cellsOf(row), ...ownColumns, ...(showLabels ? [allLabels(labels)] : [])];
  });
  return alignColumns([headings, ...lines], TABLE_COLUMNS);
}

function cellsOf({ restore, status, createdAt }: RestoreTableRow): string[] {
  return [
    printable(restore.name),
    printable(restore.spec.backupName ?? ''),
    status.phase,
    printTime(status.startTimestamp),
    printTime(status.completionTimestamp),
    String(status.errors ?? 0),
    String(status.warnings ?? 0),
    printTime(createdAt),
    formatLabelSelector(restore.spec.labelSelector),
  ];
}

function allLabels(labels: Readonly<Record<string, string>>): string {
  const texts = Object.entries(sortedRecord(labels)).map(([key, value]) => printable(`${key}=${value}`));
  return texts.join(',') || '<none>';
}
