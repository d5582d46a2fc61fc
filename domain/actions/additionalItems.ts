import type { JsonObject } from '../json.ts';
import type { ResourceIdentifier } from './action.ts';
import { ActionError } from './actionError.ts';
import {
  VOLUME_SNAPSHOT_ANNOTATION,
  VOLUME_SNAPSHOT_CLASSES,
  VOLUME_SNAPSHOT_CONTENTS,
  VOLUME_SNAPSHOTS,
} from './csiNames.ts';
import { readObject, readObjects, readString } from './itemFields.ts';

/** What one built-in action asks to be restored with an item. */
export interface ActionAdditionalItems {
  /** Registered name of the action, e.g. `velero.io/pod`. */
  readonly action: string;
  /** In the order in which Velero restores them. */
  readonly items: readonly ResourceIdentifier[];
  /** They are restored even where filters of resources and namespaces leave them out. */
  readonly mustInclude?: true;
}

const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';

export const ADD_PVC_FROM_POD = 'velero.io/add-pvc-from-pod';
export const POD = 'velero.io/pod';
export const PVC = 'velero.io/pvc';
export const CSI_PVC = 'velero.io/csi-pvc-restorer';
export const CSI_VOLUME_SNAPSHOT = 'velero.io/csi-volumesnapshot-restorer';
export const CSI_VOLUME_SNAPSHOT_CLASS = 'velero.io/csi-volumesnapshotclass-restorer';
export const CSI_VOLUME_SNAPSHOT_CONTENT = 'velero.io/csi-volumesnapshotcontent-restorer';

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

/**
 * The snapshot of which a claim gets its data, if any (spec item-actions.md §6.1).
 * @throws ActionError `ItemFieldType`
 */
export function snapshotOfClaim(claimFromBackup: JsonObject): ResourceIdentifier[] {
  const name = readString(claimFromBackup, ['metadata', 'annotations', VOLUME_SNAPSHOT_ANNOTATION]);
  if (name === undefined) return [];
  const namespace = readString(claimFromBackup, ['metadata', 'namespace']) ?? '';
  return [{ group: SNAPSHOT_GROUP, resource: 'volumesnapshots', namespace, name }];
}

/**
 * The content that a snapshot was bound to when it was backed up; needs the status (spec item-actions.md §6.2).
 * @throws ActionError `ItemFieldType`
 */
export function contentOfSnapshot(snapshotFromBackup: JsonObject): ResourceIdentifier[] {
  const name = readString(snapshotFromBackup, ['status', 'boundVolumeSnapshotContentName']);
  if (name === undefined) return [];
  return [{ group: SNAPSHOT_GROUP, resource: 'volumesnapshotcontents', namespace: '', name }];
}

/**
 * The Secret with which a driver deletes a snapshot, only where both annotations name it (spec item-actions.md §6.3).
 * @throws ActionError `ItemFieldType`
 */
export function secretOfContent(content: JsonObject): ResourceIdentifier[] {
  return secretOf(content, 'csi.storage.k8s.io/snapshotter-secret');
}

/**
 * The Secret with which a driver lists snapshots of a class (spec item-actions.md §6.4).
 * @throws ActionError `ItemFieldType`
 */
export function secretOfClass(snapshotClass: JsonObject): ResourceIdentifier[] {
  return secretOf(snapshotClass, 'csi.storage.k8s.io/snapshotter-list-secret');
}

function secretOf(item: JsonObject, annotation: string): ResourceIdentifier[] {
  const name = readString(item, ['metadata', 'annotations', `${annotation}-name`]);
  const namespace = readString(item, ['metadata', 'annotations', `${annotation}-namespace`]);
  if (name === undefined || namespace === undefined) return [];
  return [{ group: '', resource: 'secrets', namespace, name }];
}

interface Reader {
  readonly action: string;
  readonly read: (item: JsonObject) => ResourceIdentifier[];
  readonly mustInclude?: true;
}

const READERS: Readonly<Record<string, readonly Reader[]>> = {
  pods: [
    { action: ADD_PVC_FROM_POD, read: claimsOfPod },
    { action: POD, read: priorityClassOfPod },
  ],
  persistentvolumeclaims: [{ action: PVC, read: volumeOfClaim }],
};

const CSI_READERS: typeof READERS = {
  [VOLUME_SNAPSHOTS]: [{ action: CSI_VOLUME_SNAPSHOT, read: contentOfSnapshot, mustInclude: true }],
  [VOLUME_SNAPSHOT_CONTENTS]: [{ action: CSI_VOLUME_SNAPSHOT_CONTENT, read: secretOfContent }],
  [VOLUME_SNAPSHOT_CLASSES]: [{ action: CSI_VOLUME_SNAPSHOT_CLASS, read: secretOfClass }],
};
const CLAIM_READERS: typeof READERS = {
  persistentvolumeclaims: [{ action: CSI_PVC, read: snapshotOfClaim, mustInclude: true }],
};

/** Whether the CSI set runs, and what for. */
export interface CsiOptions {
  /** Feature `EnableCSI` is on and volumes are to be restored. */
  readonly csi: boolean;
  /** The backup's snapshots were moved: claims get their data from a data mover. */
  readonly snapshotMoveData: boolean;
}

function readersOf(groupResource: string, { csi, snapshotMoveData }: CsiOptions): Reader[] {
  const tables = [READERS, ...(csi ? [CSI_READERS] : []), ...(csi && !snapshotMoveData ? [CLAIM_READERS] : [])];
  return tables.flatMap((table) => (Object.hasOwn(table, groupResource) ? (table[groupResource] ?? []) : []));
}

/**
 * What the built-in actions will ask to be restored with an item, known from the backup alone, in the order of the actions; actions
 * that ask for nothing are left out. The actions return the same items. Never throws: at a field of the wrong type the
 * list ends, as the item's actions will, and the item's own error is theirs to raise.
 *
 * @param groupResource folder name in the backup, e.g. `pods`.
 * @param itemFromBackup with its status.
 */
export function builtInAdditionalItems(
  groupResource: string,
  itemFromBackup: JsonObject,
  options: CsiOptions = { csi: false, snapshotMoveData: false },
): ActionAdditionalItems[] {
  const found: ActionAdditionalItems[] = [];
  for (const { action, read, mustInclude } of readersOf(groupResource, options)) {
    try {
      const items = read(itemFromBackup);
      if (items.length > 0) found.push({ action, items, ...(mustInclude === undefined ? {} : { mustInclude }) });
    } catch (error) {
      if (error instanceof ActionError) return found;
      throw error;
    }
  }
  return found;
}
