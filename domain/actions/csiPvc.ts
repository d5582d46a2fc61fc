import { deleteIn, getObject, getString, type JsonObject, setIn } from '../json.ts';
import { toLabelValue } from '../restore/labels.ts';
import { deterministicHash } from '../volumes/deterministicName.ts';
import { type RestoreItemAction, type RestoreItemActionInput, updated } from './action.ts';
import { CSI_PVC, snapshotOfClaim } from './additionalItems.ts';
import { csiName, DATA_UPLOAD_ANNOTATION, targetNamespace, VOLUME_SNAPSHOT_ANNOTATION } from './csiNames.ts';
import {
  cancelDataDownload,
  createDataDownload,
  dataDownloadOperation,
  dataDownloadProgress,
  hasDataDownload,
} from './dataDownload.ts';
import { readString } from './itemFields.ts';

const SELECTOR_LABEL = 'velero.io/dynamic-pv-restore';

/**
 * Gives a claim its data from a CSI snapshot or through a data mover (spec item-actions.md §6.1): with a snapshot the claim names the restored VolumeSnapshot as
 * its source; with moved data it waits for the volume of a DataDownload, which is an operation of the restore. A claim that the target has already stays as it
 * is. Needs feature `EnableCSI`.
 */
export const csiPvcAction: RestoreItemAction = {
  name: CSI_PVC,
  appliesTo: { includedResources: ['persistentvolumeclaims'] },
  async execute(input) {
    const { item, itemFromBackup, restore, backup } = input;
    const namespace = targetNamespace(restore, readString(item, ['metadata', 'namespace']) ?? '');
    const isMoved = backup.snapshotMoveData && annotation(itemFromBackup, DATA_UPLOAD_ANNOTATION) !== undefined;
    const isThere = await claimExists(input, namespace);
    if (isThere && !(isMoved && (await hasDataDownload(input, namespace)))) return updated(item);
    if (restore.spec.restorePVs === false) return updated(withoutSource(item));
    if (backup.snapshotMoveData) {
      if (!isMoved) return updated(item);
      const operationId = dataDownloadOperation(restore, itemFromBackup);
      await createDataDownload(input, CSI_PVC, namespace, operationId);
      return { ...updated(withSelector(item, namespace, restore.uid)), operationId };
    }
    const snapshot = annotation(itemFromBackup, VOLUME_SNAPSHOT_ANNOTATION);
    if (snapshot === undefined) return updated(item);
    const withSource = setIn(withoutSource(item), ['spec', 'dataSource'], {
      apiGroup: 'snapshot.storage.k8s.io',
      kind: 'VolumeSnapshot',
      name: csiName(restore.uid, snapshot),
    });
    return updated(withSource, snapshotOfClaim(itemFromBackup));
  },
  areAdditionalItemsReady: () => true,
  progress: dataDownloadProgress,
  cancel: cancelDataDownload,
};

async function claimExists({ item, cluster }: RestoreItemActionInput, namespace: string): Promise<boolean> {
  const name = readString(item, ['metadata', 'name']) ?? '';
  return (await cluster.get('persistentvolumeclaims', namespace, name)) !== undefined;
}

function annotation(claim: JsonObject, key: string): string | undefined {
  return getString(claim, ['metadata', 'annotations', key]);
}

function withoutSource(claim: JsonObject): JsonObject {
  return ['volumeName', 'dataSource', 'dataSourceRef'].reduce((left, field) => deleteIn(left, ['spec', field]), claim);
}

/** Keeps a provisioner from making a volume: only that of the data mover carries the label. */
function withSelector(claim: JsonObject, namespace: string, restoreUid: string): JsonObject {
  const name = readString(claim, ['metadata', 'name']) ?? '';
  const suffix = deterministicHash(restoreUid, 'PersistentVolumeClaim', `${namespace}/${name}`).slice(0, 5);
  const labels = {
    ...getObject(claim, ['spec', 'selector', 'matchLabels']),
    [SELECTOR_LABEL]: toLabelValue(`${namespace}.${name}.${suffix}`),
  };
  return setIn(deleteIn(claim, ['spec', 'volumeName']), ['spec', 'selector', 'matchLabels'], labels);
}
