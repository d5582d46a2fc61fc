import { getString, isObject, type Json, type JsonObject } from '../json.ts';
import { deleteScalars, mergeOrder, mergeScalars, partition } from './strategicMergeLists.ts';
import { type MergeSchema, schemaOfKind } from './strategicMergeSchema.ts';
import {
  DIRECTIVE,
  elementType,
  goType,
  StrategicMergeError,
  withoutDirectives,
  withoutNulls,
} from './strategicMergeValues.ts';

export { StrategicMergeError } from './strategicMergeValues.ts';

const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const SET_ORDER = '$setElementOrder';

type Entries = Map<string, Json>;

/**
 * Applies a strategic merge patch with the meaning of `strategicpatch.StrategicMergeMapPatch` of k8s.io/apimachinery: lists are merged by the keys of the
 * object's kind; `$patch`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` do what they do there. A field that the kind does not have is
 * no error: maps are merged, lists replaced. Neither argument is changed.
 * @throws StrategicMergeError for a kind without merge keys (a custom resource) and for a patch that does not fit. No values are in its message.
 */
export function applyStrategicMergePatch(object: JsonObject, patch: JsonObject): JsonObject {
  return mergeMap(
    object,
    patch,
    schemaOfKind(getString(object, ['apiVersion']) ?? '', getString(object, ['kind']) ?? ''),
  );
}

function mergeMap(original: JsonObject, patch: JsonObject, schema: MergeSchema): JsonObject {
  const directive = Object.hasOwn(patch, DIRECTIVE) ? patch[DIRECTIVE] : undefined;
  if (directive !== undefined) return replaceMap(directive, patch);
  const merged: Entries = new Map(Object.entries(original));
  const rest: Entries = new Map(Object.entries(patch));
  retainKeys(merged, rest);
  for (const key of [...rest.keys()]) if (key.startsWith(SET_ORDER)) setElementOrder(merged, rest, key, schema);
  for (const [key, value] of rest) mergeField(merged, key, value, schema);
  return Object.fromEntries(merged);
}

function replaceMap(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'replace') return Object.fromEntries(Object.entries(patch).filter(([key]) => key !== DIRECTIVE));
  if (directive === 'delete') return {};
  throw new StrategicMergeError(
    'invalid',
    `unknown patch type: ${JSON.stringify(directive)}, expected replace or delete`,
  );
}

/** Keys of the original that the patch does not list go. */
function retainKeys(merged: Entries, rest: Entries): void {
  const keys = rest.get(RETAIN_KEYS);
  if (keys === undefined) return;
  rest.delete(RETAIN_KEYS);
  const invalid = new StrategicMergeError('invalid', 'invalid patch format of retainKeys');
  if (!Array.isArray(keys)) throw invalid;
  for (const [key, value] of rest) {
    if (value === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER)) continue;
    if (!keys.includes(key)) throw invalid;
  }
  for (const key of [...merged.keys()]) if (!keys.includes(key)) merged.delete(key);
}

/** Merges the list that a `$setElementOrder/<list>` is for, and puts it into that order. */
function setElementOrder(merged: Entries, rest: Entries, directive: string, schema: MergeSchema): void {
  const order = listOrThrow(rest.get(directive) ?? null);
  rest.delete(directive);
  const key = keyOfDirective(directive, SET_ORDER, 'invalid patch format of setElementOrder list');
  const original = merged.has(key) ? listOrThrow(merged.get(key) ?? null) : undefined;
  const patch = rest.has(key) ? listOrThrow(rest.get(key) ?? null) : undefined;
  const field = schema.field(key);
  checkOrder(patch ?? [], order, field.key);
  if (original === undefined && patch === undefined) return;
  const list = mergedList(original, patch, field);
  const { inside, outside } = partition(list, order, field.key);
  const isMaps = elementType(original ?? [], patch ?? []) === 'map';
  merged.set(key, mergeOrder(inside, outside, order, original ?? [], isMaps ? field.key : ''));
  rest.delete(key);
}

function mergedList(
  original: Json[] | undefined,
  patch: Json[] | undefined,
  field: ReturnType<MergeSchema['field']>,
): Json[] {
  if (original === undefined) return listOrThrow(withoutDirectives(patch ?? []) ?? []);
  return patch === undefined ? original : mergeListField(original, patch, field, false);
}

/** Entries of the patch stand in the order that it asks for. */
function checkOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const wanted = patch.filter((entry) => !isObject(entry) || !Object.hasOwn(entry, DIRECTIVE));
  let position = 0;
  for (const entry of order) {
    if (position < wanted.length && sameKey(wanted[position] ?? null, entry, mergeKey)) position++;
  }
  if (position < wanted.length) {
    throw new StrategicMergeError('invalid', `the order in the patch list does not match the ${SET_ORDER} list`);
  }
}

function sameKey(left: Json, right: Json, mergeKey: string): boolean {
  if (mergeKey === '') return left === right;
  return keyValue(left, mergeKey) === keyValue(right, mergeKey);
}

function mergeField(merged: Entries, patchKey: string, value: Json, schema: MergeSchema): void {
  const isDeletion = patchKey.startsWith(DELETE_FROM_LIST);
  const key = isDeletion
    ? keyOfDirective(patchKey, DELETE_FROM_LIST, 'invalid patch format of primitive list')
    : patchKey;
  if (value === null) {
    merged.delete(key);
    return;
  }
  const before = merged.get(key);
  if (before === undefined || goType(before) !== goType(value)) {
    if (isDeletion) return;
    setOrDrop(merged, key, withoutDirectives(withoutNulls(value)));
    return;
  }
  const field = schema.field(key);
  if (isObject(before) && isObject(value)) {
    merged.set(key, field.strategy === 'replace' ? value : mergeMap(before, value, field.schema));
  } else if (Array.isArray(before) && Array.isArray(value)) {
    merged.set(key, mergeListField(before, value, field, isDeletion));
  } else {
    merged.set(key, value);
  }
}

function setOrDrop(merged: Entries, key: string, value: Json | undefined): void {
  if (value === undefined) merged.delete(key);
  else merged.set(key, value);
}

function mergeListField(
  original: Json[],
  patch: Json[],
  { strategy, key, schema }: ReturnType<MergeSchema['field']>,
  isDeletion: boolean,
): Json[] {
  if (strategy !== 'merge' && !isDeletion) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  if (elementType(original, patch) !== 'map') {
    if (isDeletion) return deleteScalars(original, patch);
    const merged = mergeScalars(original, patch);
    const { inside, outside } = partition(merged, patch, key);
    return mergeOrder(inside, outside, patch, original, '');
  }
  if (key === '') throw new StrategicMergeError('invalid', 'cannot merge lists without merge key for struct');
  const special = applySpecialEntries(original, patch, key);
  const merged = mergeEntries(special.original, special.patch, key, schema);
  const { inside, outside } = partition(merged, special.patch, key);
  return mergeOrder(inside, outside, special.patch, special.original, key);
}

/** `$patch: delete` and `$patch: replace` as entries of a list. */
function applySpecialEntries(original: Json[], patch: Json[], mergeKey: string): { original: Json[]; patch: Json[] } {
  let kept = original;
  let replaces = false;
  const ordinary: Json[] = [];
  for (const entry of patch) {
    const directive = isObject(entry) && Object.hasOwn(entry, DIRECTIVE) ? entry[DIRECTIVE] : undefined;
    switch (directive) {
      case undefined:
        ordinary.push(entry);
        break;
      case 'delete': {
        const value = keyValue(entry, mergeKey);
        kept = kept.filter((one) => !isObject(one) || !Object.hasOwn(one, mergeKey) || one[mergeKey] !== value);
        break;
      }
      case 'replace':
        replaces = true;
        break;
      case 'merge':
        throw new StrategicMergeError('invalid', 'merging lists cannot yet be specified in the patch');
      default:
        throw new StrategicMergeError(
          'invalid',
          `unknown patch type: ${JSON.stringify(directive)}, expected replace or delete`,
        );
    }
  }
  return replaces ? { original: ordinary, patch: [] } : { original: kept, patch: ordinary };
}

function mergeEntries(
  original: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
  schema: MergeSchema,
): Json[] {
  const merged = [...original];
  for (const entry of patch) {
    const value = keyValue(entry, mergeKey);
    const index = merged.findIndex((one) => isObject(one) && Object.hasOwn(one, mergeKey) && one[mergeKey] === value);
    const found = merged[index];
    if (isObject(found) && isObject(entry)) merged[index] = mergeMap(found, entry, schema);
    else merged.push(entry);
  }
  return merged;
}

function keyValue(entry: Json, mergeKey: string): Json {
  const value = isObject(entry) && Object.hasOwn(entry, mergeKey) ? entry[mergeKey] : undefined;
  if (value !== undefined) return value;
  throw new StrategicMergeError('invalid', `map does not contain declared merge key: ${mergeKey}`);
}

function keyOfDirective(directive: string, prefix: string, message: string): string {
  if (!directive.startsWith(`${prefix}/`)) throw new StrategicMergeError('invalid', message);
  return directive.slice(prefix.length + 1);
}

function listOrThrow(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  throw new StrategicMergeError('invalid', `expected a list, found ${value === null ? 'null' : goType(value)}`);
}
