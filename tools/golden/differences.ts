import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../../domain/messageOf.ts';
import type { FoundDifference } from './comparison.ts';
import { type DifferenceKind, differencesSchema } from './differences.schema.ts';

export type { DifferenceKind } from './differences.schema.ts';

/** One kind of line that is meant to be there. */
export interface DifferenceEntry {
  /** Name of the difference it belongs to. */
  readonly id: string;
  readonly cases: readonly string[];
  readonly kind: DifferenceKind;
  readonly pattern: string;
  readonly times: number;
  /** A line without which the entry does not apply; it goes with the first. */
  readonly with: { readonly kind: DifferenceKind; readonly line: string } | undefined;
}

/** A difference from Velero that is written down, with its reason. */
export interface ListedDifference {
  readonly id: string;
  readonly reason: string;
  /** What is still to be built; undefined for a difference that is meant to stay. */
  readonly until: string | undefined;
  readonly entries: readonly DifferenceEntry[];
}

export class DifferencesError extends Error {
  readonly type = 'Differences';
}

/** Reads the list of differences. @throws DifferencesError naming what is wrong with it */
export async function readDifferences(path: string): Promise<ListedDifference[]> {
  return parseDifferences(await readFile(path, 'utf8'), path);
}

/** @param where names the text in messages. @throws DifferencesError */
export function parseDifferences(text: string, where: string): ListedDifference[] {
  const checked = differencesSchema.safeParse(readYaml(text, where));
  if (!checked.success) throw new DifferencesError(`${where}: ${z.prettifyError(checked.error)}`);
  const differences = checked.data.map(({ id, reason, until, entries }) => ({
    id,
    reason: reason.trim(),
    until,
    entries: entries.map((entry) => ({
      ...entry,
      id,
      cases: typeof entry.cases === 'string' ? [entry.cases] : entry.cases,
      with: entry.with,
    })),
  }));
  const ids = differences.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new DifferencesError(`${where}: ${twice} is listed twice`);
  for (const { entries } of differences) for (const { pattern } of entries) checkPattern(pattern, where);
  return differences;
}

function readYaml(text: string, where: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new DifferencesError(`${where}: ${messageOf(error)}`);
  }
}

function checkPattern(pattern: string, where: string): void {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    throw new DifferencesError(`${where}: pattern ${pattern}: ${messageOf(error)}`);
  }
}

export interface SortedDifferences {
  /** Those that no entry takes out. */
  readonly unlisted: readonly FoundDifference[];
  /** How many lines each entry took out; entries without any are missing. */
  readonly taken: ReadonlyMap<DifferenceEntry, number>;
}

/** Takes the listed differences out of what a case differs in, entry by entry. */
export function sortDifferences(
  caseName: string,
  found: readonly FoundDifference[],
  listed: readonly ListedDifference[],
): SortedDifferences {
  const unlisted = [...found];
  const taken = new Map<DifferenceEntry, number>();
  for (const entry of entriesFor(caseName, listed)) {
    const pattern = wholeLine(entry.pattern);
    for (let applied = 0; applied < entry.times; applied++) {
      const lines = unlisted.map((difference) => linesTaken(entry, pattern, difference, unlisted));
      const first = lines.find((taking) => taking.length > 0);
      if (first === undefined) break;
      for (const one of first) unlisted.splice(unlisted.indexOf(one), 1);
      taken.set(entry, (taken.get(entry) ?? 0) + first.length);
    }
  }
  return { unlisted, taken };
}

/** The line and the one that must go with it; none where the entry does not apply to the line. */
function linesTaken(
  entry: DifferenceEntry,
  pattern: RegExp,
  difference: FoundDifference,
  others: readonly FoundDifference[],
): FoundDifference[] {
  const match = difference.kind === entry.kind ? pattern.exec(difference.line) : null;
  if (match === null) return [];
  if (entry.with === undefined) return [difference];
  const { kind, line } = entry.with;
  const wanted = line.replace(/\$(\d)/g, (_text, group: string) => match[Number(group)] ?? '');
  const second = others.find((one) => one !== difference && one.kind === kind && one.line === wanted);
  return second === undefined ? [] : [difference, second];
}

/** Entries that apply to a case of that name. */
export function entriesFor(caseName: string, listed: readonly ListedDifference[]): DifferenceEntry[] {
  return listed
    .flatMap(({ entries }) => entries)
    .filter(({ cases }) => cases.some((one) => wildcard(one).test(caseName)));
}

function wholeLine(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'su');
}

function wildcard(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
