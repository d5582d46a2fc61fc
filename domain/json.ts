/** JSON as Go's unstructured decoding sees it: integers that a double cannot hold are `bigint` (see jsonText.ts). */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type JsonPath = readonly (string | number)[];

/** Own properties only: a backup may hold a key called `constructor` or `__proto__`. */
function child(value: Json | undefined, key: string | number): Json | undefined {
  if (typeof key === 'number') return Array.isArray(value) ? value[key] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value at `path`, or undefined where any step is missing or of another type. */
export function getIn(value: Json | undefined, path: JsonPath): Json | undefined {
  return path.reduce(child, value);
}

export function getString(value: Json | undefined, path: JsonPath): string | undefined {
  const found = getIn(value, path);
  return typeof found === 'string' ? found : undefined;
}

export function getObject(value: Json | undefined, path: JsonPath): JsonObject | undefined {
  const found = getIn(value, path);
  return isObject(found) ? found : undefined;
}

export function getArray(value: Json | undefined, path: JsonPath): Json[] | undefined {
  const found = getIn(value, path);
  return Array.isArray(found) ? found : undefined;
}

/** The string entries of the map at `path` (labels, annotations); entries of other types are left out. */
export function getStringMap(value: Json | undefined, path: JsonPath): Record<string, string> {
  const entries = Object.entries(getObject(value, path) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** A copy of `object` without `keys`; the object itself where it has none of them. */
export function withoutKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/**
 * A copy of `object` with `value` at `path`, sharing what lies beside the path. Missing maps on the way are made; a value
 * of another type on the way is replaced by a map.
 */
export function setIn(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return isObject(value) ? value : object;
  const next = rest.length === 0 ? value : setIn(getObject(object, [key]) ?? {}, rest, value);
  return { ...object, [key]: next };
}

/** A copy of `object` without the key at `path`, sharing what lies beside it; the object itself where it is not there. */
export function deleteIn(object: JsonObject, path: readonly string[]): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(object, key)) return object;
  if (rest.length === 0) return withoutKeys(object, [key]);
  const inner = object[key];
  if (!isObject(inner)) return object;
  const changed = deleteIn(inner, rest);
  return changed === inner ? object : { ...object, [key]: changed };
}
