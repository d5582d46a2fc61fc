import type { RestoreSpec } from '../restore/restore.ts';

/** The namespace that an original namespace is restored to; undefined for cluster scope. */
export function mapNamespace(spec: RestoreSpec, namespace: string | undefined): string | undefined {
  if (namespace === undefined) return undefined;
  const mapping = spec.namespaceMapping ?? {};
  return Object.hasOwn(mapping, namespace) ? mapping[namespace] : namespace;
}
