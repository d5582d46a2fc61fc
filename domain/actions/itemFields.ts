import { getIn, isObject, type Json, type JsonObject, type JsonPath, setIn, withoutKeys } from '../json.ts';
import { ActionError } from './actionError.ts';

/**
 * Readers for actions. Velero converts items to Go structs and refuses those that do not fit; these readers refuse what the
 * action has to read and leave the rest of the item alone (spec item-actions.md §4). As in Go, null counts as missing. All throw
 * ActionError `ItemFieldType`, which names the path and the types but never the value: items may be Secrets.
 */
function read(item: JsonObject, path: JsonPath): Json | undefined {
  let value: Json | undefined = item;
  for (const [depth, step] of path.entries()) {
    if (value === undefined || value === null) return undefined;
    const fits = typeof step === 'number' ? Array.isArray(value) : isObject(value);
    if (!fits) throw wrongType(path.slice(0, depth), typeof step === 'number' ? 'a list' : 'an object', value);
    value = getIn(value, [step]);
  }
  return value ?? undefined;
}

export function readString(item: JsonObject, path: JsonPath): string | undefined {
  const value = read(item, path);
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(path, 'a string', value);
}

export function readBoolean(item: JsonObject, path: JsonPath): boolean | undefined {
  const value = read(item, path);
  if (value === undefined || typeof value === 'boolean') return value;
  throw wrongType(path, 'a boolean', value);
}

export function readInteger(item: JsonObject, path: JsonPath): number | bigint | undefined {
  const value = read(item, path);
  if (value === undefined || typeof value === 'bigint' || Number.isInteger(value)) return value as number | bigint;
  throw wrongType(path, 'an integer', value);
}

export function readObject(item: JsonObject, path: JsonPath): JsonObject | undefined {
  const value = read(item, path);
  if (value === undefined || isObject(value)) return value;
  throw wrongType(path, 'an object', value);
}

export function readList(item: JsonObject, path: JsonPath): Json[] | undefined {
  const value = read(item, path);
  if (value === undefined || Array.isArray(value)) return value;
  throw wrongType(path, 'a list', value);
}

/** The list of objects at `path`; empty where it is missing. */
export function readObjects(item: JsonObject, path: JsonPath): JsonObject[] {
  return (readList(item, path) ?? []).map((entry, index) => {
    if (isObject(entry)) return entry;
    throw wrongType([...path, index], 'an object', entry);
  });
}

/** A copy of `item` with every object of the list at `path` changed; `item` itself where nothing changes. */
export function mapObjects(
  item: JsonObject,
  path: readonly string[],
  change: (entry: JsonObject, entryPath: JsonPath) => JsonObject,
): JsonObject {
  const before = readObjects(item, path);
  const after = before.map((entry, index) => change(entry, [...path, index]));
  return after.every((entry, index) => entry === before[index]) ? item : setIn(item, path, after);
}

/**
 * A copy of `item` without `keys` in the object at `path`, and without that object where nothing is left in it: Go writes no
 * empty maps. `item` itself where it has none of the keys.
 */
export function removeKeys(item: JsonObject, path: readonly string[], keys: readonly string[]): JsonObject {
  const before = readObject(item, path);
  if (before === undefined) return item;
  const after = withoutKeys(before, keys);
  if (after === before) return item;
  return Object.keys(after).length > 0 ? setIn(item, path, after) : removeKey(item, path);
}

/** As {@link removeKeys} for the list `key` of `owner`: what is left of it, or no list at all where nothing is. */
export function keepEntries(owner: JsonObject, key: string, before: readonly Json[], kept: Json[]): JsonObject {
  if (kept.length === before.length) return owner;
  return kept.length > 0 ? { ...owner, [key]: kept } : withoutKeys(owner, [key]);
}

function removeKey(item: JsonObject, path: readonly string[]): JsonObject {
  const owner = readObject(item, path.slice(0, -1));
  return owner === undefined ? item : setIn(item, path.slice(0, -1), withoutKeys(owner, path.slice(-1)));
}

/** The error for a field that is not what the action has to find there. */
export function wrongType(path: JsonPath, expected: string, found: Json): ActionError {
  return new ActionError('ItemFieldType', `${formatPath(path)}: expected ${expected}, found ${typeName(found)}`);
}

/** `spec.volumes[0].name`; keys that are no plain names are quoted: `metadata.annotations["a.b/c"]`. */
function formatPath(path: JsonPath): string {
  const text = path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[\w:-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('');
  return text === '' ? 'item' : text.replace(/^\./, '');
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}
