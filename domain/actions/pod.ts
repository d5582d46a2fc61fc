import { deleteIn, type JsonObject, type JsonPath, setIn } from '../json.ts';
import { type RestoreItemAction, updated } from './action.ts';
import { POD, priorityClassOfPod } from './additionalItems.ts';
import { keepEntries, mapObjects, readObject, readObjects, readString } from './itemFields.ts';

/**
 * Frees a pod from its old cluster: node, priority (which comes from the PriorityClass) and volumes of service account tokens with
 * their mounts go; projected tokens stay. Its PriorityClass is restored before it (spec item-actions.md §5.11).
 */
export const podAction: RestoreItemAction = {
  name: POD,
  appliesTo: { includedResources: ['pods'] },
  execute({ item, itemFromBackup }) {
    const unscheduled = deleteIn(deleteIn(item, ['spec', 'nodeName']), ['spec', 'priority']);
    return updated(withoutTokenVolumes(unscheduled), priorityClassOfPod(itemFromBackup));
  },
};

function withoutTokenVolumes(pod: JsonObject): JsonObject {
  const spec = readObject(pod, ['spec']);
  if (spec === undefined) return pod;
  const prefix = `${readString(pod, ['spec', 'serviceAccountName']) ?? ''}-token-`;
  const withoutVolumes = setIn(pod, ['spec'], withoutNamed(pod, ['spec'], spec, 'volumes', prefix));
  return ['containers', 'initContainers'].reduce(
    (changed, list) =>
      mapObjects(changed, ['spec', list], (container, path) =>
        withoutNamed(changed, path, container, 'volumeMounts', prefix),
      ),
    withoutVolumes,
  );
}

/** `owner`, which is at `path` of the pod, without the entries of its list `key` whose names start with `prefix`. */
function withoutNamed(pod: JsonObject, path: JsonPath, owner: JsonObject, key: string, prefix: string): JsonObject {
  const entries = readObjects(pod, [...path, key]);
  const kept = entries.filter((_, index) => !(readString(pod, [...path, key, index, 'name']) ?? '').startsWith(prefix));
  return keepEntries(owner, key, entries, kept);
}
