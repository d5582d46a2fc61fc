import { isObject, type Json } from '../json.ts';
import { StrategicMergeError } from './strategicMergeValues.ts';

/** The entries of `original` that `toDelete` does not hold. */
export function deleteScalars(original: readonly Json[], toDelete: readonly Json[]): Json[] {
  return original.filter((entry) => !toDelete.includes(entry));
}

/** Both lists, each value once: like the original, the last entry takes the place of a removed one. */
export function mergeScalars(original: readonly Json[], patch: readonly Json[]): Json[] {
  const merged = [...original, ...patch];
  for (let i = 0; i < merged.length; i++) {
    for (let j = i + 1; j < merged.length; j++) {
      if (merged[i] !== merged[j]) continue;
      const last = merged.pop() ?? null;
      if (j < merged.length) merged[j] = last;
      j--;
    }
  }
  return merged;
}

/** Splits a list by whether `by` has the entry too; entries of lists of maps are told apart by their merge key. */
export function partition(
  list: readonly Json[],
  by: readonly Json[],
  mergeKey: string,
): { inside: Json[]; outside: Json[] } {
  const known = new Set(by.map((entry) => identity(entry, mergeKey)));
  const inside: Json[] = [];
  const outside: Json[] = [];
  for (const entry of list) (known.has(checkedIdentity(entry, mergeKey)) ? inside : outside).push(entry);
  return { inside, outside };
}

/**
 * Puts `inside` into the order of `order` and `outside` into that of `original`, and merges them: an entry of `outside` goes before the first
 * one of `inside` that it precedes in `original`.
 */
export function mergeOrder(
  inside: readonly Json[],
  outside: readonly Json[],
  order: readonly Json[],
  original: readonly Json[],
  mergeKey: string,
): Json[] {
  const right = sortBy(inside, order, mergeKey);
  const left = sortBy(outside, original, mergeKey);
  const positions = positionsOf(original, mergeKey);
  const merged: Json[] = [];
  while (left.length > 0 && right.length > 0) {
    const of = (entry: Json | undefined): number | undefined => positions.get(identity(entry ?? null, mergeKey));
    const l = of(left[0]);
    const r = of(right[0]);
    const next = l !== undefined && r !== undefined && l < r ? left.shift() : right.shift();
    merged.push(next ?? null);
  }
  return [...merged, ...left, ...right];
}

function sortBy(list: readonly Json[], order: readonly Json[], mergeKey: string): Json[] {
  for (const entry of [...list, ...order]) checkedIdentity(entry, mergeKey);
  const positions = positionsOf(order, mergeKey);
  const at = (entry: Json): number => positions.get(identity(entry, mergeKey)) ?? Number.MAX_SAFE_INTEGER;
  return [...list].sort((a, b) => at(a) - at(b));
}

/** Of the first one where entries repeat. */
function positionsOf(list: readonly Json[], mergeKey: string): Map<Json | undefined, number> {
  const positions = new Map<Json | undefined, number>();
  for (const [index, entry] of list.entries()) {
    const key = identity(entry, mergeKey);
    if (!positions.has(key)) positions.set(key, index);
  }
  return positions;
}

function identity(entry: Json, mergeKey: string): Json | undefined {
  if (mergeKey === '' || !isObject(entry)) return entry;
  return Object.hasOwn(entry, mergeKey) ? entry[mergeKey] : undefined;
}

function checkedIdentity(entry: Json, mergeKey: string): Json | undefined {
  const found = identity(entry, mergeKey);
  if (mergeKey !== '' && (found === undefined || !isObject(entry))) {
    throw new StrategicMergeError('invalid', `map does not contain declared merge key: ${mergeKey}`);
  }
  return found;
}
