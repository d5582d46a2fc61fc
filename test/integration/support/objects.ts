import { getString, type JsonObject } from '../../../domain/json.ts';
import type { ObjectLocation } from '../../../domain/kubernetes/api.ts';
import { parseApiVersion } from '../../../domain/kubernetes/groupResource.ts';

/** In the data of every Secret that is made here: must turn up nowhere but in the backup and in the cluster. */
export const SECRET_MARKER = 'never-to-be-seen-anywhere';

/** Where an object is found in the API server. */
export function locationOf(object: JsonObject): ObjectLocation {
  const { group, version } = parseApiVersion(getString(object, ['apiVersion']) ?? '');
  return {
    group,
    version,
    resource: pluralOf(getString(object, ['kind']) ?? ''),
    namespace: getString(object, ['metadata', 'namespace']),
    name: getString(object, ['metadata', 'name']) ?? '',
  };
}

/** Enough English for the kinds of these tests. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(s|x|ch)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

export function namespace(name: string, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...metadata } };
}

export function configMap(namespace: string, name: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { key: 'value' }, ...more };
}

export function secret(namespace: string, name: string, more: JsonObject = {}): JsonObject {
  const data = { password: base64(SECRET_MARKER) };
  return { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name, namespace }, data, ...more };
}

export function serviceAccount(namespace: string, name: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace }, ...more };
}

export function service(namespace: string, name: string, spec: JsonObject): JsonObject {
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports, ...spec },
  };
}

export function pod(namespace: string, name: string, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...metadata },
    spec: { containers: [{ name: 'main', image: 'example.invalid/image:1' }], automountServiceAccountToken: false },
  };
}

export function deployment(namespace: string, name: string, metadata: JsonObject = {}): JsonObject {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'example.invalid/image:1' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, ...metadata },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

export function lease(namespace: string, name: string): JsonObject {
  const spec = { holderIdentity: name, leaseDurationSeconds: 15 };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec };
}

export interface DefinitionOptions {
  readonly group: string;
  readonly kind: string;
  /** Default: that of the kind. */
  readonly plural?: string | undefined;
  readonly scope?: 'Namespaced' | 'Cluster' | undefined;
  /** Served; the first is stored. Default `v1`. */
  readonly versions?: readonly string[] | undefined;
  readonly shortNames?: readonly string[] | undefined;
}

/** A CustomResourceDefinition whose objects may hold anything. */
export function definition(options: DefinitionOptions): JsonObject {
  const { group, kind, plural = pluralOf(kind), scope, versions, shortNames } = options;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: scope ?? 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), shortNames: [...(shortNames ?? [])] },
      versions: (versions ?? ['v1']).map((name, position) => ({
        name,
        served: true,
        storage: position === 0,
        schema: { openAPIV3Schema },
        subresources: { status: {} },
      })),
    },
  };
}
