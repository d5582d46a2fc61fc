import { ItemError } from '../../domain/item/itemError.ts';
import { getString, type JsonObject } from '../../domain/json.ts';
import type { KubernetesApi, ResourceLocation } from '../../domain/kubernetes/api.ts';
import { parseApiVersion, parseGroupResource } from '../../domain/kubernetes/groupResource.ts';
import type { PlanEntry } from '../../domain/plan/planEntry.ts';

/**
 * Where a prepared object is created. The backup's folder name gives the plural, so that discovery is asked only where an
 * action changed kind or group (spec restore-pipeline.md §11 steps 14, 15).
 * @throws ItemError where the API server does not serve the changed kind.
 */
export async function locateObject(
  kubernetes: KubernetesApi,
  entry: PlanEntry,
  object: JsonObject,
): Promise<ResourceLocation> {
  const { group, version } = parseApiVersion(getString(object, ['apiVersion']) ?? entry.apiVersion);
  const planned = parseGroupResource(entry.groupResource);
  const kind = getString(object, ['kind']) ?? entry.kind;
  const namespace = entry.targetNamespace;
  if (kind === entry.kind && group === planned.group) return { group, version, resource: planned.resource, namespace };

  const table = await kubernetes.discover();
  const found =
    table.forKind(group, version, kind) ?? (await kubernetes.discover({ refresh: true })).forKind(group, version, kind);
  if (found === undefined)
    throw new ItemError(
      `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(`${group}/${version}`)}`,
    );
  return { group, version, resource: found.resource, namespace };
}
