import { getIn, type JsonObject } from '../json.ts';
import { renderJson } from '../jsonText.ts';
import { toLabelValue } from '../restore/labels.ts';
import { deterministicHash } from '../volumes/deterministicName.ts';
import { type RestoreItemAction, type RestoreItemActionInput, skipRestore } from './action.ts';
import { requireObjects } from './actionObjects.ts';
import { readInteger, readString } from './itemFields.ts';

const NAME = 'velero.io/dataupload';
export const RESTORE_UID_LABEL = 'velero.io/restore-uid';
export const PVC_LABEL = 'velero.io/pvc-namespace-name';
export const USAGE_LABEL = 'velero.io/resource-usage';
export const DATA_UPLOAD_USAGE = 'DataUpload';

/**
 * Turns a DataUpload of the backup into a ConfigMap in Velero's namespace, from which the claim's action learns where its data is; the DataUpload itself is
 * never restored (spec item-actions.md §5.8). The ConfigMaps of a restore are removed when its items are done.
 */
export const dataUploadAction: RestoreItemAction = {
  name: NAME,
  appliesTo: { includedResources: ['datauploads.velero.io'] },
  async execute(input) {
    const { item, restore } = input;
    await requireObjects(input.objects, NAME).create('configmaps', restore.namespace, resultConfigMap(input));
    return skipRestore(item);
  },
};

function resultConfigMap({ itemFromBackup, restore, backup }: RestoreItemActionInput): JsonObject {
  const name = readString(itemFromBackup, ['metadata', 'name']) ?? '';
  const sourceNamespace = readString(itemFromBackup, ['spec', 'sourceNamespace']) ?? '';
  const sourceClaim = readString(itemFromBackup, ['spec', 'sourcePVC']) ?? '';
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${name}-${deterministicHash(restore.uid, 'ConfigMap', name).slice(0, 10)}`,
      namespace: restore.namespace,
      labels: {
        [RESTORE_UID_LABEL]: toLabelValue(restore.uid),
        [PVC_LABEL]: toLabelValue(`${sourceNamespace}.${sourceClaim}`),
        [USAGE_LABEL]: DATA_UPLOAD_USAGE,
      },
    },
    data: { [restore.uid]: renderJson(uploadResult(itemFromBackup, backup.storageLocation)) },
  };
}

/** As Go writes the struct: zero values of the optional fields are left out. */
function uploadResult(upload: JsonObject, storageLocation: string): JsonObject {
  const result: JsonObject = { backupStorageLocation: storageLocation };
  const mover = readString(upload, ['spec', 'datamover']) ?? '';
  if (mover !== '') result['datamover'] = mover;
  const snapshotId = readString(upload, ['status', 'snapshotID']) ?? '';
  if (snapshotId !== '') result['snapshotID'] = snapshotId;
  result['sourceNamespace'] = readString(upload, ['spec', 'sourceNamespace']) ?? '';
  const moverResult = getIn(upload, ['status', 'dataMoverResult']);
  if (moverResult !== undefined && moverResult !== null) result['dataMoverResult'] = moverResult;
  const nodeOs = readString(upload, ['status', 'nodeOS']) ?? '';
  if (nodeOs !== '') result['nodeOS'] = nodeOs;
  const size = readInteger(upload, ['status', 'progress', 'totalBytes']) ?? 0;
  if (size > 0) result['snapshotSize'] = size;
  return result;
}
