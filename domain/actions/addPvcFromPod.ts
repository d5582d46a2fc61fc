import { type RestoreItemAction, updated } from './action.ts';
import { ADD_PVC_FROM_POD, claimsOfPod } from './additionalItems.ts';

/** Restores the claims of a pod before the pod; the pod stays as it is (spec item-actions.md §5.1). */
export const addPvcFromPodAction: RestoreItemAction = {
  name: ADD_PVC_FROM_POD,
  appliesTo: { includedResources: ['pods'] },
  execute: ({ item, itemFromBackup }) => updated(item, claimsOfPod(itemFromBackup)),
};
