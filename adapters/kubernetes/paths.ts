import type { ObjectLocation, ResourceLocation } from '../../domain/kubernetes/api.ts';

/** Path of a collection of objects: `/apis/apps/v1/namespaces/shop/deployments`. */
export function collectionPath({ group, version, resource, namespace }: ResourceLocation): string {
  const root = group === '' ? `/api/${segment(version)}` : `/apis/${segment(group)}/${segment(version)}`;
  const scope = namespace === undefined ? '' : `/namespaces/${segment(namespace)}`;
  return `${root}${scope}/${segment(resource)}`;
}

/** Path of one object. Names may hold anything that a URL may not: roles are called `system:node`. */
export function objectPath(location: ObjectLocation, subresource?: string): string {
  const path = `${collectionPath(location)}/${segment(location.name)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/** Appends the parameters that are set. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

function segment(text: string): string {
  // A name that is `.` or `..` would otherwise leave the collection.
  return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : encodeURIComponent(text);
}
