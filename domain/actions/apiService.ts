import { type RestoreItemAction, skipRestore } from './action.ts';

/** Skips APIServices that the API server makes itself (spec item-actions.md §5.3). */
export const apiServiceAction: RestoreItemAction = {
  name: 'velero.io/apiservice',
  appliesTo: { includedResources: ['apiservices'], labelSelector: 'kube-aggregator.kubernetes.io/automanaged' },
  execute: ({ item }) => skipRestore(item),
};
