import { getObject, type JsonObject } from '../../../../domain/json.ts';

/**
 * An item of a backup.
 * @param path `name`, or `namespace/name` for a namespaced item.
 * @param content what else it holds; its `metadata` is added to name and namespace.
 */
export function item(apiVersion: string, kind: string, path: string, content: JsonObject = {}): JsonObject {
  const slash = path.indexOf('/');
  const identity: JsonObject =
    slash < 0 ? { name: path } : { namespace: path.slice(0, slash), name: path.slice(slash + 1) };
  return { apiVersion, kind, ...content, metadata: { ...identity, ...getObject(content, ['metadata']) } };
}

/** A pod that ran when it was backed up. */
export function podOf(path: string, content: JsonObject = {}): JsonObject {
  return item('v1', 'Pod', path, { status: { phase: 'Running' }, ...content });
}

export function withLabels(labels: Record<string, string>): JsonObject {
  return { metadata: { labels } };
}

/** A PersistentVolume. @param claim `namespace/name` of the claim it is bound to. */
export function volumeOf(name: string, reclaimPolicy: 'Delete' | 'Retain', claim?: string): JsonObject {
  const [namespace = '', claimName = ''] = claim?.split('/') ?? [];
  return item('v1', 'PersistentVolume', name, {
    metadata: {
      annotations: {
        'pv.kubernetes.io/bound-by-controller': 'yes',
        'pv.kubernetes.io/provisioned-by': 'csi.example.com',
      },
    },
    spec: {
      persistentVolumeReclaimPolicy: reclaimPolicy,
      ...(claim === undefined
        ? {}
        : { claimRef: { namespace, name: claimName, uid: 'uid-of-the-claim', resourceVersion: '11' } }),
    },
  });
}

/** A claim that was bound to `volume`. */
export function claimOf(path: string, volume: string): JsonObject {
  return item('v1', 'PersistentVolumeClaim', path, {
    metadata: {
      annotations: {
        'pv.kubernetes.io/bind-completed': 'yes',
        'pv.kubernetes.io/bound-by-controller': 'yes',
        'example.com/kept': 'yes',
      },
    },
    spec: { volumeName: volume, storageClassName: 'fast' },
    status: { phase: 'Bound' },
  });
}

/** A pod that mounts claims of its namespace. */
export function podWithClaims(path: string, claims: readonly string[], content: JsonObject = {}): JsonObject {
  const volumes = claims.map((claimName, index) => ({ name: `v${index}`, persistentVolumeClaim: { claimName } }));
  return podOf(path, { spec: { volumes }, ...content });
}

/** What makes other kinds known to the API server. */
export function definitionOf(plural: string, kind: string, group: string, shortNames: string[] = []): JsonObject {
  return item('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `${plural}.${group}`, {
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, shortNames },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  });
}
