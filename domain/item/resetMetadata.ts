import { getObject, type JsonObject, withoutKeys } from '../json.ts';
import { ItemError } from './itemError.ts';

/** What the API server writes itself; ownerReferences name uids of the old cluster (spec restore-pipeline.md §11 step 8). */
const SERVER_METADATA: readonly string[] = [
  'generateName',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
];

/**
 * A copy without what the API server owns; name, namespace, labels, annotations, finalizers and managedFields stay
 * (R-102…R-105).
 * @throws ItemError where there is no metadata.
 */
export function resetMetadata(item: JsonObject): JsonObject {
  const metadata = getObject(item, ['metadata']);
  if (metadata === undefined) throw new ItemError('metadata not found');
  return { ...item, metadata: withoutKeys(metadata, SERVER_METADATA) };
}

/** A copy without `status`. */
export function resetStatus(item: JsonObject): JsonObject {
  return withoutKeys(item, ['status']);
}
