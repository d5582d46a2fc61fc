import type { Json, JsonObject } from '../../domain/json.ts';
import type { Restore } from '../../domain/restore/restore.ts';

/** Velero's --default-item-operation-timeout. */
const DEFAULT_OPERATION_TIMEOUT = '4h0m0s';

/** The Restore as Velero's controller holds it while items are restored (spec plugin-protocol.md §7). */
export function pluginRestore({ name, namespace, uid, labels, annotations, spec }: Restore): JsonObject {
  const restore = {
    apiVersion: 'velero.io/v1',
    kind: 'Restore',
    metadata: { name, namespace, uid, labels, annotations },
    spec: { ...spec, itemOperationTimeout: spec.itemOperationTimeout ?? DEFAULT_OPERATION_TIMEOUT },
    status: { phase: 'InProgress' },
  };
  // Leaves out what is undefined, at any depth.
  return JSON.parse(JSON.stringify(restore)) as Json as JsonObject;
}
