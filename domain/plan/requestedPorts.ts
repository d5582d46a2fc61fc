import { ActionError } from '../actions/actionError.ts';
import { withoutAssignedFields } from '../actions/service.ts';
import { getArray, getIn, type Json, type JsonObject } from '../json.ts';
import type { RestoreSpec } from '../restore/restore.ts';

function isSet(port: Json | undefined): boolean {
  return port !== undefined && port !== null && port !== 0;
}

/**
 * Whether a Service will be created with a nodePort or healthCheckNodePort of its own: such services go before those that get one
 * assigned, or the API server might give the port away (design §2). A Service that its action cannot read asks for nothing.
 */
export function requestsPorts(service: JsonObject, spec: RestoreSpec): boolean {
  try {
    const restored = withoutAssignedFields(service, spec.preserveNodePorts === true);
    const ports = getArray(restored, ['spec', 'ports']) ?? [];
    return (
      isSet(getIn(restored, ['spec', 'healthCheckNodePort'])) || ports.some((port) => isSet(getIn(port, ['nodePort'])))
    );
  } catch (error) {
    if (error instanceof ActionError) return false;
    throw error;
  }
}
