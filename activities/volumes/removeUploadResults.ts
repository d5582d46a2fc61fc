import { DATA_UPLOAD_USAGE, RESTORE_UID_LABEL, USAGE_LABEL } from '../../domain/actions/dataUpload.ts';
import type { RestoreRecord } from '../../domain/contract.ts';
import { getString } from '../../domain/json.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import { itemsOf } from '../../domain/kubernetes/itemsOf.ts';
import { toLabelValue } from '../../domain/restore/labels.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

/**
 * Removes the ConfigMaps by which claims learnt where their moved data is (spec restore-pipeline.md §7 step 14). Best effort, as in Velero: what stays is harmless, and
 * the restore has ended. Only backups with moved data have any.
 */
export async function removeUploadResults(kubernetes: KubernetesApi, record: RestoreRecord): Promise<void> {
  const { restore, backup } = record;
  if (!backup.snapshotMoveData) return;
  const location = { ...CONFIG_MAPS, namespace: restore.namespace };
  const labelSelector = `${RESTORE_UID_LABEL}=${toLabelValue(restore.uid)},${USAGE_LABEL}=${DATA_UPLOAD_USAGE}`;
  const found = await kubernetes.list(location, { labelSelector });
  if (!found.ok) return;
  for (const configMap of itemsOf(found.object)) {
    const name = getString(configMap, ['metadata', 'name']);
    if (name !== undefined) await kubernetes.delete({ ...location, name });
  }
}
