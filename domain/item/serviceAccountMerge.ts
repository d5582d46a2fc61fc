import { getArray, getObject, getString, type Json, type JsonObject, setIn } from '../json.ts';

function mergeReferences(live: Json[], backup: Json[]): Json[] {
  const merged = [...live];
  const names = new Set(live.map((reference) => getString(reference, ['name'])));
  for (const reference of backup) {
    const name = getString(reference, ['name']);
    if (names.has(name)) continue;
    names.add(name);
    merged.push(reference);
  }
  return merged;
}

function mergeList(merged: JsonObject, backup: JsonObject, key: string): JsonObject {
  const fromBackup = getArray(backup, [key]);
  if (fromBackup === undefined || fromBackup.length === 0) return merged;
  return { ...merged, [key]: mergeReferences(getArray(merged, [key]) ?? [], fromBackup) };
}

function mergeMap(merged: JsonObject, backup: JsonObject, key: string): JsonObject {
  const fromBackup = getObject(backup, ['metadata', key]);
  if (fromBackup === undefined || Object.keys(fromBackup).length === 0) return merged;
  return setIn(merged, ['metadata', key], { ...fromBackup, ...getObject(merged, ['metadata', key]) });
}

/**
 * An existing ServiceAccount with what the backup adds: secrets and pull secrets by name, labels and annotations by key;
 * what the cluster has stays as it is (spec restore-pipeline.md §18, R-246…R-261). The restore's own labels are not part of
 * it: `backup` is the item as stored, with its actions applied but before labelling.
 */
export function mergeServiceAccount(live: JsonObject, backup: JsonObject): JsonObject {
  const lists = mergeList(mergeList(live, backup, 'secrets'), backup, 'imagePullSecrets');
  return mergeMap(mergeMap(lists, backup, 'labels'), backup, 'annotations');
}
