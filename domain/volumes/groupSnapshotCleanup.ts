import { getArray, getIn, getObject, getString, type JsonObject } from '../json.ts';

/**
 * Whether the stub of a group snapshot has served (spec restore-pipeline.md §27, R-344…R-348): every VolumeSnapshotContent with one of its handles is ready. A stub
 * without handles has nothing to wait for.
 * @param contents those of the restore.
 */
export function stubHasServed(stub: JsonObject, contents: readonly JsonObject[]): boolean {
  const handles = getArray(stub, ['spec', 'source', 'groupSnapshotHandles', 'volumeSnapshotHandles']) ?? [];
  return handles.every((handle) => {
    const content = contents.find((one) => getString(one, ['spec', 'source', 'snapshotHandle']) === handle);
    return content !== undefined && getIn(getObject(content, ['status']), ['readyToUse']) === true;
  });
}
