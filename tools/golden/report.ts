import type { DifferenceEntry } from './differences.ts';
import type { CaseReport, GoldenReport } from './golden.ts';

/** Lines of unlisted differences per case: more are counted only. */
const MAX_LINES = 60;

function isOk({ fault, unlisted }: CaseReport): boolean {
  return fault === undefined && unlisted.length === 0;
}

/** Whether no case has an unlisted difference or could not be carried out. */
export function isGood({ cases }: GoldenReport): boolean {
  return cases.every(isOk);
}

/** A case in one line, or in several where it differs. @param verbose also names the listed differences */
export function describeCase(report: CaseReport, verbose = false): string {
  const { name, fault, unlisted, taken, elapsedMs } = report;
  const ids = listedIds(taken.keys());
  const seconds = `${(elapsedMs / 1000).toFixed(1)} s`;
  const details = verbose
    ? [...countById(taken)].map(([id, count]) => `  listed: ${id} (${plural(count, 'line')})`)
    : [];
  if (fault !== undefined) return [`${name}  FAIL (${seconds})`, `  ${fault.replaceAll('\n', '\n  ')}`].join('\n');
  if (unlisted.length === 0) {
    return [`${name}  ok (${plural(ids.length, 'listed difference')}, ${seconds})`, ...details].join('\n');
  }
  const shown = unlisted.slice(0, MAX_LINES).map(({ kind, line }) => `  ${kind}: ${line}`);
  const rest = unlisted.length > MAX_LINES ? [`  … and ${unlisted.length - MAX_LINES} more`] : [];
  const head = `${name}  FAIL (${plural(unlisted.length, 'unlisted difference')}, ${plural(ids.length, 'listed')}, ${seconds})`;
  return [head, ...shown, ...rest, ...details].join('\n');
}

/** The closing lines: entries that nothing needed any more, and the count of cases. */
export function describeEnd(report: GoldenReport): string {
  const failed = report.cases.filter((one) => !isOk(one)).length;
  const ids = listedIds(report.cases.flatMap(({ taken }) => [...taken.keys()]));
  const lines = report.isComplete ? unusedEntries(report).map(describeUnused) : [];
  if (report.directory !== undefined) lines.push(`kept: ${report.directory}`);
  const count = report.cases.length;
  lines.push(
    `${plural(count, 'case')}: ${count - failed} as Velero left it (${plural(ids.length, 'listed difference')}), ${failed} different`,
  );
  return lines.join('\n');
}

/** Entries of the list that took nothing out of any case. */
export function unusedEntries({ cases, listed }: GoldenReport): DifferenceEntry[] {
  const used = new Set(cases.flatMap(({ taken }) => [...taken.keys()]));
  return listed.flatMap(({ entries }) => entries).filter((entry) => !used.has(entry));
}

function describeUnused({ id, cases, kind, pattern }: DifferenceEntry): string {
  return `note: ${id} never applied: ${kind} of ${cases.join(', ')}: ${pattern}`;
}

function listedIds(entries: Iterable<DifferenceEntry>): string[] {
  return [...new Set([...entries].map(({ id }) => id))];
}

function countById(taken: ReadonlyMap<DifferenceEntry, number>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [{ id }, count] of taken) counts.set(id, (counts.get(id) ?? 0) + count);
  return counts;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 || noun === 'listed' ? '' : 's'}`;
}
