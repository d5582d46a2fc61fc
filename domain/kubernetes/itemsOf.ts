import { getArray, isObject, type JsonObject } from '../json.ts';

/** The objects of a list that the API server answered. */
export function itemsOf(list: JsonObject): JsonObject[] {
  return (getArray(list, ['items']) ?? []).filter(isObject);
}
