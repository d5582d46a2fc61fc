import { type RestoreItemAction, skipRestore, updated } from './action.ts';
import { CSI_VOLUME_SNAPSHOT_CLASS, secretOfClass } from './additionalItems.ts';

/** Asks for the Secret by which snapshots of a class are listed (spec item-actions.md §6.4). Needs feature `EnableCSI`. */
export const csiVolumeSnapshotClassAction: RestoreItemAction = {
  name: CSI_VOLUME_SNAPSHOT_CLASS,
  appliesTo: { includedResources: ['volumesnapshotclasses.snapshot.storage.k8s.io'] },
  execute: ({ item, restore }) => {
    return restore.spec.restorePVs === false ? skipRestore(item) : updated(item, secretOfClass(item));
  },
};
