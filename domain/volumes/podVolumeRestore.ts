import { RESTORE_UID_LABEL } from '../actions/dataUpload.ts';
import { uploaderSettings } from '../actions/uploaderSettings.ts';
import type { Backup } from '../backup/backup.ts';
import { getString, type JsonObject } from '../json.ts';
import { RESTORE_NAME_LABEL, toLabelValue } from '../restore/labels.ts';
import type { Restore } from '../restore/restore.ts';
import { deterministicHash } from './deterministicName.ts';
import type { PodVolume } from './podVolumes.ts';

export const POD_VOLUME_RESTORES = 'podvolumerestores.velero.io';

/**
 * What a node agent needs to bring back one volume of a pod (spec restore-pipeline.md §21). Its name comes from restore, pod uid and volume: a second attempt finds
 * the first one's.
 * @param pod as it is in the cluster.
 * @param options.owner reference to the Restore object; node agents take its uid for the restore's.
 * @param options.claim the volume's claim in the cluster, if it has one.
 */
export function podVolumeRestore(
  restore: Restore,
  backup: Backup,
  pod: JsonObject,
  { volume, snapshotId, snapshotSize, uploaderType, repoIdentifier }: PodVolume,
  options: { readonly owner: JsonObject; readonly sourceNamespace: string; readonly claim: JsonObject | undefined },
): JsonObject {
  const podUid = getString(pod, ['metadata', 'uid']) ?? '';
  const claimUid = getString(options.claim, ['metadata', 'uid']);
  const settings = uploaderSettings(restore.spec);
  return {
    apiVersion: 'velero.io/v1',
    kind: 'PodVolumeRestore',
    metadata: {
      name: `${restore.name}-${deterministicHash(restore.uid, 'PodVolumeRestore', `${podUid}/${volume}`).slice(0, 10)}`,
      namespace: restore.namespace,
      ownerReferences: [options.owner],
      labels: {
        [RESTORE_NAME_LABEL]: toLabelValue(restore.name),
        [RESTORE_UID_LABEL]: getString(options.owner, ['uid']) ?? '',
        'velero.io/pod-uid': podUid,
        ...(claimUid === undefined ? {} : { 'velero.io/pvc-uid': claimUid }),
      },
    },
    spec: {
      pod: {
        kind: 'Pod',
        namespace: getString(pod, ['metadata', 'namespace']) ?? '',
        name: getString(pod, ['metadata', 'name']) ?? '',
        uid: podUid,
      },
      volume,
      snapshotID: snapshotId,
      ...(snapshotSize > 0 ? { snapshotSize } : {}),
      backupStorageLocation: backup.storageLocation,
      repoIdentifier,
      uploaderType,
      sourceNamespace: options.sourceNamespace,
      ...(settings === undefined ? {} : { uploaderSettings: settings }),
    },
  };
}
