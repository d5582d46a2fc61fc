/** A resource and its group, written `resource` or `resource.group` as in a backup's folder names. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** Splits at the first dot: groups contain dots, resources do not (spec backup-format.md §4). */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.');
  if (dot < 0) return { group: '', resource: text };
  return { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Splits an `apiVersion`: `v1` is the core group. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
