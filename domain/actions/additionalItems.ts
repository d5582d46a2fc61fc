import type { JsonObject } from '../json.ts';
import type { ResourceIdentifier } from './action.ts';
import { ActionError } from './actionError.ts';
import { readObject, readObjects, readString } from './itemFields.ts';

/** What one built-in action asks to be restored with an item. */
export interface ActionAdditionalItems {
  /** Registered name of the action, e.g. `velero.io/pod`. */
  readonly action: string;
  /** In the order in which Velero restores them. */
  readonly items: readonly ResourceIdentifier[];
}

export const ADD_PVC_FROM_POD = 'velero.io/add-pvc-from-pod';
export const POD = 'velero.io/pod';
export const PVC = 'velero.io/pvc';

/**
 * The claims of a pod, in the order of its volumes, repeated where volumes repeat; claims of ephemeral volumes are not among
 * them (spec item-actions.md §5.1).
 * @throws ActionError `ItemFieldType`
 */
export function claimsOfPod(pod: JsonObject): ResourceIdentifier[] {
  const namespace = readString(pod, ['metadata', 'namespace']) ?? '';
  return readObjects(pod, ['spec', 'volumes']).flatMap((_, index) => {
    const claim = ['spec', 'volumes', index, 'persistentVolumeClaim'];
    if (readObject(pod, claim) === undefined) return [];
    const name = readString(pod, [...claim, 'claimName']) ?? '';
    return [{ group: '', resource: 'persistentvolumeclaims', namespace, name }];
  });
}

/**
 * The PriorityClass that a pod names, if any (spec item-actions.md §5.11).
 * @throws ActionError `ItemFieldType`
 */
export function priorityClassOfPod(pod: JsonObject): ResourceIdentifier[] {
  const name = readString(pod, ['spec', 'priorityClassName']) ?? '';
  if (name === '') return [];
  return [{ group: 'scheduling.k8s.io', resource: 'priorityclasses', namespace: '', name }];
}

/**
 * The volume that a claim was bound to when it was backed up, if any; needs the status (spec item-actions.md §5.13).
 * @throws ActionError `ItemFieldType`
 */
export function volumeOfClaim(claim: JsonObject): ResourceIdentifier[] {
  const name = readString(claim, ['spec', 'volumeName']) ?? '';
  if (readString(claim, ['status', 'phase']) !== 'Bound' || name === '') return [];
  return [{ group: '', resource: 'persistentvolumes', namespace: '', name }];
}

const READERS: Readonly<
  Record<string, readonly { action: string; read: (item: JsonObject) => ResourceIdentifier[] }[]>
> = {
  pods: [
    { action: ADD_PVC_FROM_POD, read: claimsOfPod },
    { action: POD, read: priorityClassOfPod },
  ],
  persistentvolumeclaims: [{ action: PVC, read: volumeOfClaim }],
};

/**
 * What the built-in actions will ask to be restored with an item, known from the backup alone, in the order of the actions; actions
 * that ask for nothing are left out. The actions return the same items. Never throws: at a field of the wrong type the
 * list ends, as the item's actions will, and the item's own error is theirs to raise.
 *
 * @param groupResource folder name in the backup, e.g. `pods`.
 * @param itemFromBackup with its status.
 */
export function builtInAdditionalItems(groupResource: string, itemFromBackup: JsonObject): ActionAdditionalItems[] {
  const found: ActionAdditionalItems[] = [];
  const readers = Object.hasOwn(READERS, groupResource) ? (READERS[groupResource] ?? []) : [];
  for (const { action, read } of readers) {
    try {
      const items = read(itemFromBackup);
      if (items.length > 0) found.push({ action, items });
    } catch (error) {
      if (error instanceof ActionError) return found;
      throw error;
    }
  }
  return found;
}
