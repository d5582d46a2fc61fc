import { type RestoreItemAction, updated } from './action.ts';
import { removeKeys } from './itemFields.ts';

const CONTROLLER_UIDS = ['batch.kubernetes.io/controller-uid', 'controller-uid'];

/**
 * Removes the old Job's uid from the selector and the pod template, so that the API server puts the new one there
 * (spec item-actions.md §5.10). The Job's own labels stay.
 */
export const jobAction: RestoreItemAction = {
  name: 'velero.io/job',
  appliesTo: { includedResources: ['jobs'] },
  execute({ item }) {
    const selector = removeKeys(item, ['spec', 'selector', 'matchLabels'], CONTROLLER_UIDS);
    return updated(removeKeys(selector, ['spec', 'template', 'metadata', 'labels'], CONTROLLER_UIDS));
  },
};
