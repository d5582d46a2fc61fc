import { type RestoreItemAction, updated } from './action.ts';
import { mapSubjectNamespaces } from './subjectNamespaces.ts';

/** Lets the subjects of RoleBindings follow the namespace mapping (spec item-actions.md §5.6). */
export const roleBindingsAction: RestoreItemAction = {
  name: 'velero.io/role-bindings',
  appliesTo: { includedResources: ['rolebindings'] },
  execute: ({ item, restore }) => updated(mapSubjectNamespaces(item, restore)),
};
