import { isObject, type Json, type JsonObject } from '../json.ts';

export const DIRECTIVE = '$patch';

/** A strategic merge patch that does not apply; its message holds no values of the object. */
export class StrategicMergeError extends Error {
  readonly type = 'StrategicMerge';
  constructor(
    readonly fault: 'unknownKind' | 'invalid',
    message: string,
  ) {
    super(message);
    this.name = 'StrategicMergeError';
  }
}

/** Go's type of a value, as far as merging asks for it. */
export function goType(value: Json): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'bigint' ? 'int64' : typeof value;
}

/** The one type of all entries of both lists. @throws StrategicMergeError where they differ or are lists. */
export function elementType(...lists: (readonly Json[])[]): string {
  const types = new Set(lists.flat().map(goType));
  const [first] = types;
  if (types.size > 1)
    throw new StrategicMergeError('invalid', `list element types are not identical: ${[...types].join(', ')}`);
  if (first === undefined) throw new StrategicMergeError('invalid', 'no elements in any of the given slices');
  if (first === 'list') throw new StrategicMergeError('invalid', 'lists of lists are not supported');
  return first;
}

/** What is left without the maps that carry a directive; undefined where nothing is. */
export function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((entry) => entry !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const entries = Object.entries(value).map(([key, entry]) => [key, withoutDirectives(entry)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** Nulls in maps go, however deep. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(kept.map(([key, entry]) => [key, withoutNulls(entry)])) satisfies JsonObject;
}
