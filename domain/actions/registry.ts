import type { RestoreItemAction } from './action.ts';
import { addPvcFromPodAction } from './addPvcFromPod.ts';
import { admissionWebhookConfigurationAction } from './admissionWebhookConfiguration.ts';
import { apiServiceAction } from './apiService.ts';
import { changeImageNameAction } from './changeImageName.ts';
import { changeStorageClassAction } from './changeStorageClass.ts';
import { clusterRoleBindingsAction } from './clusterRoleBindings.ts';
import { crdPreserveFieldsAction } from './crdPreserveFields.ts';
import { csiPvcAction } from './csiPvc.ts';
import { csiVolumeSnapshotAction } from './csiVolumeSnapshot.ts';
import { csiVolumeSnapshotClassAction } from './csiVolumeSnapshotClass.ts';
import { csiVolumeSnapshotContentAction } from './csiVolumeSnapshotContent.ts';
import { dataUploadAction } from './dataUpload.ts';
import { actionsWithFeatures, type Feature } from './features.ts';
import { initRestoreHookAction } from './initRestoreHook.ts';
import { jobAction } from './job.ts';
import { podAction } from './pod.ts';
import { podVolumeRestoreAction } from './podVolumeRestore.ts';
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
  dataUploadAction,
  initRestoreHookAction,
  jobAction,
  podAction,
  podVolumeRestoreAction,
  pvcAction,
  roleBindingsAction,
  secretAction,
  serviceAction,
  serviceAccountAction,
  // Of Velero's second interface, which come behind.
  csiPvcAction,
  csiVolumeSnapshotAction,
  csiVolumeSnapshotClassAction,
  csiVolumeSnapshotContentAction,
];

/**
 * The built-in actions in the order in which Velero runs them: by name, those of the CSI set behind the others (spec item-actions.md §2).
 * @param features those of CSI are there only with `EnableCSI`.
 */
export function builtInActions(features: readonly Feature[] = []): readonly RestoreItemAction[] {
  return actionsWithFeatures(BUILT_IN_ACTIONS, features);
}

/** Whether the plan knows from the backup alone what the action will ask for (see additionalItems.ts). */
export function isBuiltInAction(action: RestoreItemAction): boolean {
  return BUILT_IN_ACTIONS.includes(action);
}
