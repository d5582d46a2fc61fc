import { type JsonObject, setIn, withoutKeys } from '../json.ts';
import { type RestoreItemAction, updated } from './action.ts';
import { mapObjects, readInteger, readObject, readString } from './itemFields.ts';
import { explicitNodePorts, isHealthCheckNodePortExplicit } from './serviceNodePorts.ts';

/**
 * Lets the target cluster assign the addresses and ports of a Service anew (spec item-actions.md §5.15): clusterIPs go unless
 * it is headless; node ports and the health check port go unless somebody asked for them, which the annotation of `kubectl
 * apply` or managedFields tell, or the restore says `preserveNodePorts`.
 */
export const serviceAction: RestoreItemAction = {
  name: 'velero.io/service',
  appliesTo: { includedResources: ['services'] },
  execute: ({ item, restore }) => updated(withoutAssignedFields(item, restore.spec.preserveNodePorts === true)),
};

/**
 * A copy of the Service with only those addresses and ports that the target cluster must honour; what the action does, for the
 * planner too.
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
