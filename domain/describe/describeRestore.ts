import type { RestorePhase, RestoreStatus } from '../restore/restore.ts';
import { sortedRecord } from '../results/goJson.ts';
import { countResult, type Result } from '../results/results.ts';
import { alignColumns, DESCRIBE_COLUMNS, type Line } from './columns.ts';
import { describeHooks } from './describeHooks.ts';
import { listLines, mapLines } from './describeLines.ts';
import { describeOperations } from './describeOperations.ts';
import { describeSpec } from './describeSpec.ts';
import { describeVolumes } from './describeVolumes.ts';
import { describeWaits } from './describeWaits.ts';
import { printable, printTime } from './printable.ts';
import type { RestoreDescription } from './restoreDescription.ts';

type Colour = 'green' | 'red';
/** Puts text into a colour; it is given printable text only. */
export type Paint = (colour: Colour, text: string) => string;

const GOOD: ReadonlySet<RestorePhase> = new Set(['Completed']);
const BAD: ReadonlySet<RestorePhase> = new Set(['FailedValidation', 'PartiallyFailed', 'Failed']);
const HAS_HINT: ReadonlySet<RestorePhase> = new Set(['PartiallyFailed', 'Failed']);

/**
 * A restore as `velero restore describe` shows it (spec cli-and-status.md §6, R-455, R-457), followed by what only this software
 * knows. Times are in UTC; namespaces are sorted.
 * @param paint for terminals with colours.
 */
export function describeRestore(description: RestoreDescription, paint: Paint = (_, text) => text): string {
  const { restore, status, resourceList, volumeInfo, details = false } = description;
  const groups: Line[][] = [
    [
      ['Name:', printable(restore.name)],
      ['Namespace:', printable(restore.namespace)],
      ...mapLines('Labels', restore.labels),
      ...mapLines('Annotations', restore.annotations),
    ],
    describePhase(restore.name, status, paint),
    [
      ['Started:', printTime(status.startTimestamp)],
      ['Completed:', printTime(status.completionTimestamp)],
    ],
    describeValidationErrors(status, paint),
    describeResult('Warnings', status.warnings, description.results?.warnings),
    describeResult('Errors', status.errors, description.results?.errors),
    ...describeSpec(restore.spec, volumeInfo === undefined ? [] : describeVolumes(volumeInfo, details)),
    describeOperations(status, description.itemOperations, details),
    describeHookStatus(status),
    describeWaits(description.waits ?? []),
    describeExtra(description),
    description.hooks === undefined || description.hooks.length === 0 ? [] : describeHooks(description.hooks),
    resourceList === undefined ? [] : describeResourceList(resourceList),
  ];
  const lines = groups.filter((group) => group.length > 0).flatMap((group): Line[] => [...group, []]);
  return alignColumns(lines.slice(0, -1), DESCRIBE_COLUMNS);
}

function describePhase(name: string, { phase, progress }: RestoreStatus, paint: Paint): Line[] {
  const colour = GOOD.has(phase) ? 'green' : BAD.has(phase) ? 'red' : undefined;
  const text = colour === undefined ? phase : paint(colour, phase);
  const hint = HAS_HINT.has(phase) ? ` (run 'durable-restore logs ${printable(name)}' for more information)` : '';
  const lines: Line[] = [['Phase:', `${text}${hint}`]];
  if (progress === undefined) return lines;
  const [total, done] =
    phase === 'InProgress'
      ? ['Estimated total items to be restored:', 'Items restored so far:']
      : ['Total items to be restored:', 'Items restored:'];
  return [...lines, [total, String(progress.totalItems)], [done, String(progress.itemsRestored)]];
}

function describeValidationErrors({ validationErrors = [] }: RestoreStatus, paint: Paint): Line[] {
  if (validationErrors.length === 0) return [];
  const errors = validationErrors.map((error) => paint('red', printable(error)));
  return listLines('Validation errors', errors);
}

function describeResult(name: string, count = 0, result: Result | undefined): Line[] {
  if (result === undefined) return count === 0 ? [] : [[`${name}:`, `${count} (the results file is not available)`]];
  if (countResult(result) === 0) return [];
  const namespaces = Object.entries(sortedRecord(result.namespaces ?? {}));
  return [
    [`${name}:`],
    ...listLines('  Velero', (result.velero ?? []).map(printable)),
    ...listLines('  Cluster', (result.cluster ?? []).map(printable)),
    namespaces.length === 0 ? ['  Namespaces:', '<none>'] : ['  Namespaces:'],
    ...namespaces.flatMap(([namespace, texts]) => listLines(`    ${printable(namespace)}`, texts.map(printable))),
  ];
}

function describeHookStatus({ hookStatus }: RestoreStatus): Line[] {
  if (hookStatus === undefined) return [];
  return [
    ['HooksAttempted:', String(hookStatus.hooksAttempted ?? 0)],
    ['HooksFailed:', String(hookStatus.hooksFailed ?? 0)],
  ];
}

function describeExtra({ extra, status }: RestoreDescription): Line[] {
  const lines: Line[] = [];
  if (status.failureReason !== undefined) lines.push(['Failure reason:', printable(status.failureReason)]);
  if (extra?.workflowId !== undefined) lines.push(['Workflow:', printable(extra.workflowId)]);
  if (extra?.uiUrl !== undefined) lines.push(['Workflow UI:', printable(extra.uiUrl)]);
  return lines;
}

function describeResourceList(content: NonNullable<RestoreDescription['resourceList']>): Line[] {
  const kinds = Object.entries(sortedRecord(content)).flatMap(([key, entries]): Line[] => [
    [`  ${printable(key)}:`],
    ...entries.map((entry) => [`    - ${printable(entry)}`]),
  ]);
  return [['Resource List:'], ...kinds];
}
