import { getArray, getString, isObject, type JsonObject } from '../json.ts';

/**
 * Whether the API server has taken up a CustomResourceDefinition: conditions `Established` and `NamesAccepted` are both True (spec
 * restore-pipeline.md §22). Both versions of definitions say it alike.
 */
export function isDefinitionReady(definition: JsonObject): boolean {
  const conditions = (getArray(definition, ['status', 'conditions']) ?? []).filter(isObject);
  return ['Established', 'NamesAccepted'].every((type) =>
    conditions.some((one) => getString(one, ['type']) === type && getString(one, ['status']) === 'True'),
  );
}
