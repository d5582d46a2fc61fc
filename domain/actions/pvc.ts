import { type RestoreItemAction, updated } from './action.ts';
import { PVC, volumeOfClaim } from './additionalItems.ts';
import { removeKeys } from './itemFields.ts';

const ANNOTATIONS_OF_OLD_CLUSTER = [
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/selected-node',
  'velero.io/volume-snapshot-name',
  'velero.io/data-upload-name',
];

/** Removes what binds a claim to its old cluster; its volume is restored before it (spec item-actions.md §5.13). */
export const pvcAction: RestoreItemAction = {
  name: PVC,
  appliesTo: { includedResources: ['persistentvolumeclaims'] },
  execute({ item, itemFromBackup }) {
    const unbound = removeKeys(item, ['metadata', 'annotations'], ANNOTATIONS_OF_OLD_CLUSTER);
    return updated(unbound, volumeOfClaim(itemFromBackup));
  },
};
