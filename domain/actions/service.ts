import { type JsonObject, setIn, withoutKeys } from '../json.ts';
import { type RestoreItemAction, updated } from './action.ts';
import { mapObjects, readInteger, readObject, readString } from './itemFields.ts';
import { explicitNodePorts, isHealthCheckNodePortExplicit } from './serviceNodePorts.ts';

/**
 * Lets the target cluster assign addresses and ports of a Service anew, but for those that somebody asked for
 * (spec item-actions.md §5.15).
 */
export const serviceAction: RestoreItemAction = {
  name: 'velero.io/service',
  appliesTo: { includedResources: ['services'] },
  execute: ({ item, restore }) => updated(withoutAssignedFields(item, restore.spec.preserveNodePorts === true)),
};

/**
 * The Service without what its old cluster assigned: clusterIPs unless it is headless; unless `preserveNodePorts`, also
 * nodePorts and the healthCheckNodePort that neither the annotation of `kubectl apply` nor managedFields tell anybody asked for.
 * @throws ActionError `ItemFieldType`
 */
export function withoutAssignedFields(service: JsonObject, preserveNodePorts: boolean): JsonObject {
  const unaddressed = withoutClusterIps(service);
  return preserveNodePorts ? unaddressed : withoutHealthCheckNodePort(withoutNodePorts(unaddressed));
}

function withoutClusterIps(service: JsonObject): JsonObject {
  if (readString(service, ['spec', 'clusterIP']) === 'None') return service;
  return withoutSpecKeys(service, ['clusterIP', 'clusterIPs']);
}

function withoutNodePorts(service: JsonObject): JsonObject {
  if (readString(service, ['spec', 'type']) === 'ExternalName') return service;
  const isExplicit = explicitNodePorts(service);
  return mapObjects(service, ['spec', 'ports'], (port, path) =>
    isExplicit(path) ? port : withoutKeys(port, ['nodePort']),
  );
}

function withoutHealthCheckNodePort(service: JsonObject): JsonObject {
  // Elsewhere the API server itself decides what becomes of the field.
  if (readString(service, ['spec', 'externalTrafficPolicy']) !== 'Local') return service;
  if (readString(service, ['spec', 'type']) !== 'LoadBalancer') return service;
  if ((readInteger(service, ['spec', 'healthCheckNodePort']) ?? 0) === 0) return service;
  if (isHealthCheckNodePortExplicit(service)) return service;
  return withoutSpecKeys(service, ['healthCheckNodePort']);
}

function withoutSpecKeys(service: JsonObject, keys: readonly string[]): JsonObject {
  const spec = readObject(service, ['spec']);
  if (spec === undefined) return service;
  const kept = withoutKeys(spec, keys);
  return kept === spec ? service : setIn(service, ['spec'], kept);
}
