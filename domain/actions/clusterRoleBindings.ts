import { type RestoreItemAction, updated } from './action.ts';
import { mapSubjectNamespaces } from './subjectNamespaces.ts';

/** Lets the subjects of ClusterRoleBindings follow the namespace mapping (spec item-actions.md §5.6). */
export const clusterRoleBindingsAction: RestoreItemAction = {
  name: 'velero.io/cluster-role-bindings',
  appliesTo: { includedResources: ['clusterrolebindings'] },
  execute: ({ item, restore }) => updated(mapSubjectNamespaces(item, restore)),
};
