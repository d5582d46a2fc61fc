import { isObject, type Json, type JsonObject } from '../json.ts';

/**
 * Whether two unstructured objects are the same for Kubernetes' `equality.Semantic.DeepEqual`, which Velero uses to tell
 * whether an existing object differs from the backup's: order of keys does not count, order of lists does, and a key that is
 * missing differs from one whose value is null, empty or zero.
 *
 * In the original, an integer (int64) never equals a floating point number; here that holds for integers beyond 2^53, which
 * are `bigint`. For smaller ones the difference cannot occur: both a backup and the API server write 1.0 as 1.
 */
export function semanticEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && listsEqual(a, b);
  if (isObject(a)) return isObject(b) && mapsEqual(a, b);
  return false;
}

function listsEqual(a: readonly Json[], b: readonly Json[]): boolean {
  return a.length === b.length && a.every((item, index) => semanticEqual(item, b[index] ?? null));
}

function mapsEqual(a: JsonObject, b: JsonObject): boolean {
  const entries = Object.entries(a);
  if (entries.length !== Object.keys(b).length) return false;
  return entries.every(([key, value]) => Object.hasOwn(b, key) && semanticEqual(value, b[key] ?? null));
}
