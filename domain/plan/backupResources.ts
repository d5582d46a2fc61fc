import { getArray, getIn, getObject, getString, type Json, type JsonObject } from '../json.ts';
import type { ApiResource } from '../kubernetes/resourceTable.ts';

function strings(value: Json[] | undefined): string[] {
  return (value ?? []).filter((entry): entry is string => typeof entry === 'string');
}

/**
 * What the API server will serve once a CustomResourceDefinition of the backup is restored: lets filters name resources that the
 * target does not know yet (Velero resolves them before the CRDs are there, spec restore-pipeline.md §32 W8).
 */
export function resourcesOfDefinition(definition: JsonObject): ApiResource[] {
  const names = getObject(definition, ['spec', 'names']);
  const group = getString(definition, ['spec', 'group']);
  const resource = getString(names, ['plural']);
  const kind = getString(names, ['kind']);
  if (group === undefined || resource === undefined || kind === undefined) return [];
  const versions = (getArray(definition, ['spec', 'versions']) ?? [])
    .filter((version) => getIn(version, ['served']) === true)
    .map((version) => getString(version, ['name']))
    .filter((version) => version !== undefined);
  return versions.map((version) => ({
    group,
    version,
    resource,
    singular: getString(names, ['singular']) ?? kind.toLowerCase(),
    shortNames: strings(getArray(names, ['shortNames'])),
    kind,
    namespaced: getString(definition, ['spec', 'scope']) === 'Namespaced',
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  }));
}
