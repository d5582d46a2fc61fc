import { getArray, getIn, getString, type Json, type JsonObject } from '../../domain/json.ts';
import type { ApiResource } from '../../domain/kubernetes/resourceTable.ts';

export interface DiscoveredGroup {
  readonly group: string;
  /** In the API server's order: the preferred version first. */
  readonly versions: readonly DiscoveredVersion[];
}

export interface DiscoveredVersion {
  readonly version: string;
  /** Undefined where they could not be read. */
  readonly resources: readonly ApiResource[] | undefined;
}

/**
 * Reads a document of aggregated discovery (apidiscovery.k8s.io APIGroupDiscoveryList). Versions marked stale count as not
 * read: the API server only remembers them, and an empty list would look like removed resources.
 */
export function parseAggregatedGroups(document: JsonObject): readonly DiscoveredGroup[] {
  return (getArray(document, ['items']) ?? []).map((item) => {
    const group = getString(item, ['metadata', 'name']) ?? '';
    const versions = getArray(item, ['versions']) ?? [];
    return { group, versions: versions.map((version) => aggregatedVersion(group, version)) };
  });
}

function aggregatedVersion(group: string, document: Json): DiscoveredVersion {
  const version = getString(document, ['version']) ?? '';
  if (getString(document, ['freshness']) === 'Stale') return { version, resources: undefined };
  const resources = getArray(document, ['resources']) ?? [];
  return {
    version,
    // Without a kind it is only the home of subresources.
    resources: resources
      .filter((resource) => getString(resource, ['responseKind', 'kind']))
      .map((resource) => ({
        group,
        version,
        resource: getString(resource, ['resource']) ?? '',
        singular: getString(resource, ['singularResource']) ?? '',
        shortNames: strings(getArray(resource, ['shortNames'])),
        kind: getString(resource, ['responseKind', 'kind']) ?? '',
        namespaced: getString(resource, ['scope']) === 'Namespaced',
        verbs: strings(getArray(resource, ['verbs'])),
      })),
  };
}

/** Reads an APIResourceList, the document of one version; subresources (`pods/log`) are left out. */
export function parseLegacyResources(group: string, version: string, document: JsonObject): readonly ApiResource[] {
  return (getArray(document, ['resources']) ?? [])
    .filter((resource) => getString(resource, ['name'])?.includes('/') === false)
    .map((resource) => ({
      group,
      version,
      resource: getString(resource, ['name']) ?? '',
      singular: getString(resource, ['singularName']) ?? '',
      shortNames: strings(getArray(resource, ['shortNames'])),
      kind: getString(resource, ['kind']) ?? '',
      namespaced: getIn(resource, ['namespaced']) === true,
      verbs: strings(getArray(resource, ['verbs'])),
    }));
}

function strings(list: readonly Json[] | undefined): readonly string[] {
  return (list ?? []).filter((item): item is string => typeof item === 'string');
}
