import { getIn, getString, isObject, type JsonObject } from '../json.ts';
import { ItemError } from './itemError.ts';

/**
 * Whether a pod or job has run to its end: such items are not restored (spec restore-pipeline.md §11 step 4, R-108…R-115).
 * @throws ItemError where the status has a type that Kubernetes would not write.
 */
export function isCompleted(groupResource: string, item: JsonObject): boolean {
  if (groupResource !== 'pods' && groupResource !== 'jobs.batch') return false;
  const status = getIn(item, ['status']);
  if (status !== undefined && status !== null && !isObject(status)) {
    throw new ItemError('.status: expected a map, cannot tell whether the item has completed');
  }
  if (groupResource === 'pods') {
    const phase = getString(status, ['phase']);
    return phase === 'Failed' || phase === 'Succeeded';
  }
  const completionTime = getString(status, ['completionTime']);
  return completionTime !== undefined && completionTime !== '';
}

/** A static pod's mirror: the kubelet of the new cluster makes its own (§11 step 6). */
export function isMirrorPod(groupResource: string, item: JsonObject): boolean {
  if (groupResource !== 'pods') return false;
  return (getString(item, ['metadata', 'annotations', 'kubernetes.io/config.mirror']) ?? '') !== '';
}
