import type { RestoreItemAction } from './action.ts';
import { addPvcFromPodAction } from './addPvcFromPod.ts';
import { admissionWebhookConfigurationAction } from './admissionWebhookConfiguration.ts';
import { apiServiceAction } from './apiService.ts';
import { changeImageNameAction } from './changeImageName.ts';
import { changeStorageClassAction } from './changeStorageClass.ts';
import { clusterRoleBindingsAction } from './clusterRoleBindings.ts';
import { crdPreserveFieldsAction } from './crdPreserveFields.ts';
import { initRestoreHookAction } from './initRestoreHook.ts';
import { jobAction } from './job.ts';
import { podAction } from './pod.ts';
import { pvcAction } from './pvc.ts';
import { roleBindingsAction } from './roleBindings.ts';
import { secretAction } from './secret.ts';
import { serviceAction } from './service.ts';
import { serviceAccountAction } from './serviceAccount.ts';

const BUILT_IN_ACTIONS: readonly RestoreItemAction[] = [
  addPvcFromPodAction,
  admissionWebhookConfigurationAction,
  apiServiceAction,
  changeImageNameAction,
  changeStorageClassAction,
  clusterRoleBindingsAction,
  crdPreserveFieldsAction,
  initRestoreHookAction,
  jobAction,
  podAction,
  pvcAction,
  roleBindingsAction,
  secretAction,
  serviceAction,
  serviceAccountAction,
];

/** The built-in actions in the order in which Velero runs them, which is that of their names (spec item-actions.md §2). */
export function builtInActions(): readonly RestoreItemAction[] {
  return BUILT_IN_ACTIONS;
}

/** Whether the plan knows from the backup alone what the action will ask for (see additionalItems.ts). */
export function isBuiltInAction(action: RestoreItemAction): boolean {
  return BUILT_IN_ACTIONS.includes(action);
}
