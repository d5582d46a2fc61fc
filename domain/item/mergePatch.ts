import { isObject, type Json, type JsonObject } from '../json.ts';

function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, index) => sameJson(value, b[index]));
  }
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
    );
  }
  return false;
}

/**
 * The JSON merge patch (RFC 7386) that turns `from` into `to`, or undefined where they are the same (spec
 * restore-pipeline.md §18, R-255…R-258). What only `from` has becomes null; lists are replaced whole.
 */
export function createMergePatch(from: JsonObject, to: JsonObject): JsonObject | undefined {
  const patch: [string, Json][] = [];
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (!Object.hasOwn(to, key)) {
      patch.push([key, null]);
      continue;
    }
    // Own keys only: `__proto__` would otherwise find the prototype.
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    const after = to[key] ?? null;
    if (isObject(before) && isObject(after)) {
      const inner = createMergePatch(before, after);
      if (inner !== undefined) patch.push([key, inner]);
    } else if (!sameJson(before, after)) {
      patch.push([key, after]);
    }
  }
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}

/**
 * What `patch` makes of `target` (RFC 7386), with the meaning of evanphx/json-patch v5, which differs from the RFC in lists: objects inside of a list lose
 * their nulls where the list is new or replaces something that is no object. Neither argument is changed.
 */
export function applyMergePatch(target: Json, patch: Json): Json {
  if (!isObject(target)) return withoutNulls(patch);
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const before = merged.get(key) ?? null;
    if (value === null) merged.delete(key);
    else merged.set(key, before === null ? withoutNulls(value) : applyMergePatch(before, value));
  }
  return Object.fromEntries(merged);
}

/** Nulls in maps go, however deep; entries of lists stay. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(kept.map(([key, entry]) => [key, withoutNulls(entry)]));
}
