import type { KubernetesApi, ResourceLocation } from '../domain/kubernetes/api.ts';

/**
 * Where a resource is to be found in the version that the API server prefers.
 * @param resource `pods` or `podvolumerestores.velero.io`.
 * @param namespace left out for cluster-scoped resources.
 * @returns undefined where the API server does not serve it.
 */
export async function locateServed(
  kubernetes: KubernetesApi,
  resource: string,
  namespace?: string,
): Promise<ResourceLocation | undefined> {
  const served = (await kubernetes.discover()).resolve(resource);
  if (served === undefined) return undefined;
  return { group: served.group, version: served.version, resource: served.resource, namespace };
}
