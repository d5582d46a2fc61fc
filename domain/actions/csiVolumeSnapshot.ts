import { ItemError } from '../item/itemError.ts';
import { deleteIn, getObject, setIn } from '../json.ts';
import { type RestoreItemAction, skipRestore, updated } from './action.ts';
import { CSI_VOLUME_SNAPSHOT, contentOfSnapshot } from './additionalItems.ts';
import { csiName } from './csiNames.ts';
import { ensureGroupSnapshotStub } from './groupSnapshotStub.ts';
import { readString } from './itemFields.ts';

/**
 * Binds a VolumeSnapshot to a content that is made for the restore, under a name of its own, so that one backup may be restored several times (spec
 * item-actions.md §6.2). A member of a group snapshot needs a stub of its group first. Needs feature `EnableCSI`.
 */
export const csiVolumeSnapshotAction: RestoreItemAction = {
  name: CSI_VOLUME_SNAPSHOT,
  appliesTo: { includedResources: ['volumesnapshots.snapshot.storage.k8s.io'] },
  async execute(input) {
    const { item, itemFromBackup, restore } = input;
    if (restore.spec.restorePVs === false) return skipRestore(item);
    const oldName = readString(itemFromBackup, ['metadata', 'name']) ?? '';
    const content = contentOfSnapshot(itemFromBackup);
    if (content.length === 0) throw new ItemError(`VS ${oldName} doesn't have bound VSC`);
    await ensureGroupSnapshotStub(input);

    const name = csiName(restore.uid, oldName);
    const unbound = deleteIn(deleteIn(item, ['spec', 'source', 'persistentVolumeClaimName']), [
      'spec',
      'volumeSnapshotClassName',
    ]);
    const bound = setIn(unbound, ['spec', 'source', 'volumeSnapshotContentName'], name);
    const annotations = {
      ...getObject(item, ['metadata', 'annotations']),
      'velero.io/csi-vsc-deletion-policy': 'Retain',
    };
    return updated(setIn(setIn(bound, ['metadata', 'name'], name), ['metadata', 'annotations'], annotations), content);
  },
};
