import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A case that a restore has to pass. */
export interface SpecCase {
  /** `R-001`, hooks `H-001`, `HX-01`. */
  readonly id: string;
  readonly group: string;
  readonly title: string;
}

export class CasesError extends Error {
  readonly type = 'Cases';
}

const CASE_ID = /^(?:R-\d{3}|H-\d{3}|HX-\d{2})$/;
/** An id in a test, or the first and last of several: `R-133…R-143`. */
const NAMED = /\b(R-\d{3}|H-\d{3}|HX-\d{2})(?:…(R-\d{3}|H-\d{3}|HX-\d{2}))?\b/g;
/** Comments name cases that a function is made for; that is no test of them. */
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;

export interface CaseList {
  readonly cases: readonly SpecCase[];
  /** Why a case has no test, by its id. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** Its group has reasons instead of titles. */
const LEFT_OUT = 'leftOut';

/**
 * Reads the list of cases: groups, each with its ids and titles, and `leftOut`, ids with the reason why they have no test.
 * @param where names it in messages
 * @throws CasesError
 */
export function parseCases(text: string, where: string): CaseList {
  const groups: unknown = parse(text);
  if (!isRecord(groups)) throw new CasesError(`${where}: expected groups of cases`);
  const { [LEFT_OUT]: reasons = {}, ...rest } = groups;
  const cases = readGroups(rest, where);
  const leftOut = readGroups({ [LEFT_OUT]: reasons }, where).map(({ id, title }) => [id, title] as const);
  const unknown = leftOut.find(([left]) => !cases.some(({ id }) => id === left));
  if (unknown !== undefined) throw new CasesError(`${where}: ${LEFT_OUT}: ${unknown[0]} is no case of the list`);
  return { cases, leftOut: new Map(leftOut) };
}

function readGroups(groups: Record<string, unknown>, where: string): SpecCase[] {
  return Object.entries(groups).flatMap(([group, cases]) => {
    if (!isRecord(cases)) throw new CasesError(`${where}: ${group}: expected ids with titles`);
    return Object.entries(cases).map(([id, title]) => {
      if (!CASE_ID.test(id)) throw new CasesError(`${where}: ${group}: ${id}: expected an id such as R-001 or HX-01`);
      if (typeof title !== 'string') throw new CasesError(`${where}: ${id}: expected a title`);
      return { id, group, title };
    });
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The ids that a test file names, comments apart; those between the ends of a range are named too. */
export function namedIn(testFile: string): string[] {
  return [...testFile.replace(COMMENT, '').matchAll(NAMED)].flatMap(([, from = '', to]) =>
    to === undefined ? [from] : range(from, to),
  );
}

function range(from: string, to: string): string[] {
  const [prefix = '', first = ''] = from.split(/(?<=-)/);
  const count = Number(to.slice(prefix.length)) - Number(first) + 1;
  return Array.from(
    { length: Math.max(0, count) },
    (_value, index) => prefix + String(Number(first) + index).padStart(first.length, '0'),
  );
}

export interface Coverage {
  /** Cases that no test names, and that are not left out. */
  readonly missing: readonly SpecCase[];
  /** Ids that tests name and that are no case. */
  readonly unknown: readonly string[];
  /** Ids that are left out and that a test names all the same. */
  readonly stale: readonly string[];
}

export function coverageOf({ cases, leftOut }: CaseList, named: ReadonlySet<string>): Coverage {
  const known = new Set(cases.map(({ id }) => id));
  return {
    missing: cases.filter(({ id }) => !named.has(id) && !leftOut.has(id)),
    unknown: [...named].filter((id) => !known.has(id)).sort(),
    stale: [...leftOut.keys()].filter((id) => named.has(id)),
  };
}

/** Every id that a test below a folder names. */
export async function namedBelow(folder: string): Promise<Set<string>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.test.ts'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return new Set(texts.flatMap(namedIn));
}
