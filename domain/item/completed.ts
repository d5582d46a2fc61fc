import { getIn, getString, isObject, type JsonObject } from '../json.ts';
import { ItemError } from './itemError.ts';

/**
 * Whether a pod or job has run to its end: such items are not restored (spec restore-pipeline.md §11 step 4, R-108…R-115).
 * @throws ItemError where the status has a type that Kubernetes would not write.
 */
export function isCompleted(groupResource: string, item: JsonObject): boolean {
  if (groupResource !== 'pods' && groupResource !== 'jobs.batch') return false;
  if (groupResource === 'pods') {
    const phase = readStatus(item, 'phase');
    return phase === 'Failed' || phase === 'Succeeded';
  }
  return readStatus(item, 'completionTime') !== '';
}

/** A text of the status; empty where it is missing, which null is too. */
function readStatus(item: JsonObject, field: string): string {
  const status = getIn(item, ['status']) ?? {};
  if (!isObject(status)) throw unexpected('.status', 'a map');
  const value = getIn(status, [field]) ?? '';
  if (typeof value !== 'string') throw unexpected(`.status.${field}`, 'a text');
  return value;
}

function unexpected(field: string, expected: string): ItemError {
  return new ItemError(`${field}: expected ${expected}, cannot tell whether the item has completed`);
}

/** A static pod's mirror: the kubelet of the new cluster makes its own (§11 step 6). */
export function isMirrorPod(groupResource: string, item: JsonObject): boolean {
  if (groupResource !== 'pods') return false;
  return (getString(item, ['metadata', 'annotations', 'kubernetes.io/config.mirror']) ?? '') !== '';
}
