import type { ApiFailure } from '../kubernetes/api.ts';

/** How the API server words it for a nodePort (as an invalid value) and for a healthCheckNodePort (as an internal error). */
const PORT_IS_TAKEN = 'provided port is already allocated';

/**
 * Whether the create of a Service was refused for no other reason than that ports it asks for are taken: the API server looks at
 * ports before names, so the Service itself may be there. The caller has to look; where it is not, the ports belong to
 * another Service and the refusal stands (spec restore-pipeline.md §18 step 2, R-119…R-123).
 * @param kind of the object that was to be created.
 */
export function isPortAlreadyAllocated(failure: ApiFailure, kind: string): boolean {
  if (kind !== 'Service' || failure.causes.length === 0) return false;
  return failure.causes.every((cause) => cause.message.includes(PORT_IS_TAKEN));
}
