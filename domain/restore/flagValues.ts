import { parseGoBool } from '../go/bool.ts';
import { formatGoDuration, parseGoDuration } from '../go/duration.ts';
import { messageOf } from '../messageOf.ts';

/** Thrown for command-line flags of `restore create` that make no Restore. */
export class RestoreFlagsError extends Error {
  readonly type = 'InvalidRestoreFlags';
  constructor(message: string) {
    super(message);
    this.name = 'RestoreFlagsError';
  }
}

/** What Velero's flag library says about a value that it cannot read. */
export function invalidFlag(flag: string, value: string, reason: string): RestoreFlagsError {
  return new RestoreFlagsError(`invalid argument ${JSON.stringify(value)} for "--${flag}" flag: ${reason}`);
}

/** `a,b`, split without trimming as in Velero. @throws RestoreFlagsError for an empty name, which would match nothing. */
export function parseListFlag(flag: string, value: string): string[] {
  const names = value.split(',');
  if (names.includes('')) throw invalidFlag(flag, value, 'found an empty name, expected names separated by commas');
  return names;
}

/**
 * `k=v,k2=v2`, where an entry in double quotes may contain commas (`"k=a,b",k2=v2`); of one key given twice the last counts.
 * @param uses every use of the flag: they add up.
 * @param delimiter between key and value.
 * @throws RestoreFlagsError
 */
export function parseMapFlag(flag: string, uses: readonly string[], delimiter: '=' | ':'): Record<string, string> {
  const entries = uses.flatMap((value) =>
    splitEntries(flag, value).map((entry): [string, string] => {
      const position = entry.indexOf(delimiter);
      if (position > 0) return [entry.slice(0, position), entry.slice(position + 1)];
      throw invalidFlag(flag, value, `error parsing ${JSON.stringify(entry)}, expected key${delimiter}value`);
    }),
  );
  return Object.fromEntries(entries);
}

/** `--flag` is true, `--flag=false` is false; any spelling that Go knows. @throws RestoreFlagsError */
export function parseBoolFlag(flag: string, value: boolean | string): boolean {
  if (typeof value === 'boolean') return value;
  try {
    return parseGoBool(value);
  } catch (error) {
    throw invalidFlag(flag, value, messageOf(error));
  }
}

/** @returns the duration as Go writes it; undefined for zero, which means the default. @throws RestoreFlagsError */
export function parseDurationFlag(flag: string, value: string): string | undefined {
  try {
    const milliseconds = parseGoDuration(value);
    return milliseconds === 0 ? undefined : formatGoDuration(milliseconds);
  } catch (error) {
    throw invalidFlag(flag, value, messageOf(error));
  }
}

/** @throws RestoreFlagsError */
export function parseIntegerFlag(flag: string, value: string): number {
  const integer = Number(value);
  if (/^[+-]?\d+$/.test(value) && Number.isSafeInteger(integer)) return integer;
  throw invalidFlag(flag, value, 'expected an integer');
}

/** One line of CSV. */
function splitEntries(flag: string, value: string): string[] {
  const entry = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  const entries: string[] = [];
  for (;;) {
    const match = entry.exec(value);
    if (match === null) {
      throw invalidFlag(flag, value, 'found a double quote inside an entry, expected it around the whole entry');
    }
    entries.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return entries;
  }
}
