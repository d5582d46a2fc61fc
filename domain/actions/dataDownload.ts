import { getIn, getObject, getString, isObject, type JsonObject } from '../json.ts';
import { parseJson } from '../jsonText.ts';
import { RESTORE_NAME_LABEL, toLabelValue } from '../restore/labels.ts';
import type { Restore } from '../restore/restore.ts';
import { deterministicHash } from '../volumes/deterministicName.ts';
import type { OperationProgress, RestoreItemActionContext, RestoreItemActionInput } from './action.ts';
import { ActionError } from './actionError.ts';
import { requireObjects } from './actionObjects.ts';
import { DATA_UPLOAD_USAGE, PVC_LABEL, RESTORE_UID_LABEL, USAGE_LABEL } from './dataUpload.ts';
import { readString } from './itemFields.ts';
import { uploaderSettings } from './uploaderSettings.ts';

const DATA_DOWNLOADS = 'datadownloads.velero.io';
const OPERATION_LABEL = 'velero.io/async-operation-id';

/** The operation of a claim in a restore (spec item-actions.md §6.1); shortened to a label's length. */
export function dataDownloadOperation(restore: Restore, claimFromBackup: JsonObject): string {
  return toLabelValue(`dd-${restore.uid}.${readString(claimFromBackup, ['metadata', 'uid']) ?? ''}`);
}

function dataDownloadName({ name, uid }: Restore, namespace: string, claim: string): string {
  return `${name}-${deterministicHash(uid, 'DataDownload', `${namespace}/${claim}`).slice(0, 10)}`;
}

/** Whether an earlier attempt of this restore has asked for the claim's data: then a claim that exists is this restore's own. */
export async function hasDataDownload(
  { item, restore, objects }: RestoreItemActionInput,
  namespace: string,
): Promise<boolean> {
  const name = dataDownloadName(restore, namespace, readString(item, ['metadata', 'name']) ?? '');
  return (await objects?.get(DATA_DOWNLOADS, restore.namespace, name)) !== undefined;
}

/**
 * Asks for a claim's data to be brought by a data mover.
 * @param namespace target.
 * @throws ActionError with Velero's text where there is not exactly one result of a DataUpload for the claim.
 */
export async function createDataDownload(
  input: RestoreItemActionInput,
  action: string,
  namespace: string,
  operationId: string,
): Promise<void> {
  const { item, restore, backup } = input;
  const objects = requireObjects(input.objects, action);
  const result = await uploadResultOf(input);
  const name = readString(item, ['metadata', 'name']) ?? '';
  const settings = uploaderSettings(restore.spec);
  await objects.create(DATA_DOWNLOADS, restore.namespace, {
    apiVersion: 'velero.io/v2alpha1',
    kind: 'DataDownload',
    metadata: {
      name: dataDownloadName(restore, namespace, name),
      namespace: restore.namespace,
      ownerReferences: [await objects.owner()],
      labels: {
        [RESTORE_NAME_LABEL]: toLabelValue(restore.name),
        [RESTORE_UID_LABEL]: restore.uid,
        [OPERATION_LABEL]: operationId,
      },
    },
    spec: {
      targetVolume: { pvc: name, pv: '', namespace },
      backupStorageLocation: getString(result, ['backupStorageLocation']) ?? '',
      ...copied(result, ['datamover', 'snapshotID', 'snapshotSize', 'nodeOS']),
      sourceNamespace: getString(result, ['sourceNamespace']) ?? '',
      operationTimeout: backup.csiSnapshotTimeout ?? '0s',
      ...(settings === undefined ? {} : { dataMoverConfig: settings }),
    },
  });
}

function copied(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]] as const])));
}

async function uploadResultOf({ item, restore, cluster }: RestoreItemActionInput): Promise<JsonObject> {
  const claim = `${readString(item, ['metadata', 'namespace']) ?? ''}.${readString(item, ['metadata', 'name']) ?? ''}`;
  const selector = `${PVC_LABEL}=${toLabelValue(claim)},${RESTORE_UID_LABEL}=${toLabelValue(restore.uid)},${USAGE_LABEL}=${DATA_UPLOAD_USAGE}`;
  const prefix = `fail get DataUploadResult for restore: ${restore.name}: `;
  const found = await cluster.list('configmaps', restore.namespace, selector);
  if (found.length === 0) throw failed(`${prefix}no DataUpload result cm found with labels ${selector}`);
  if (found.length > 1) throw failed(`${prefix}multiple DataUpload result cms found with labels ${selector}`);
  const text = getString(found[0], ['data', restore.uid]);
  if (text === undefined) {
    throw failed(`${prefix}no DataUpload result found with restore key ${restore.uid}, restore ${restore.name}`);
  }
  try {
    const result = parseJson(text);
    if (isObject(result)) return result;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw failed(
    `${prefix}error to unmarshal DataUploadResult, restore UID ${restore.uid}, restore name ${restore.name}`,
  );
}

function failed(message: string): ActionError {
  return new ActionError('VolumeDataMissing', message);
}

/** How far a data mover has come. @throws ActionError where there is not exactly one DataDownload of the operation. */
export async function dataDownloadProgress(
  operationId: string,
  context: RestoreItemActionContext,
): Promise<OperationProgress> {
  const download = await downloadOf(operationId, context);
  const phase = getString(download, ['status', 'phase']) ?? '';
  if (phase === '' || phase === 'New') return { completed: false };
  const started = getString(download, ['status', 'startTimestamp']);
  const updated = getString(download, ['status', 'completionTimestamp']);
  return {
    completed: phase === 'Completed' || phase === 'Canceled' || phase === 'Failed',
    ...(phase === 'Canceled' ? { error: 'DataDownload is canceled' } : {}),
    ...(phase === 'Failed' ? { error: getString(download, ['status', 'message']) ?? '' } : {}),
    description: phase,
    operationUnits: 'Bytes',
    nCompleted: count(download, 'bytesDone'),
    nTotal: count(download, 'totalBytes'),
    ...(started === undefined ? {} : { started }),
    ...(updated === undefined ? {} : { updated }),
  };
}

function count(download: JsonObject, field: string): number {
  const found = getIn(getObject(download, ['status', 'progress']), [field]);
  return typeof found === 'number' || typeof found === 'bigint' ? Number(found) : 0;
}

/** Asks the data mover to stop. */
export async function cancelDataDownload(operationId: string, context: RestoreItemActionContext): Promise<void> {
  const download = await downloadOf(operationId, context);
  const name = getString(download, ['metadata', 'name']) ?? '';
  const objects = requireObjects(context.objects, 'velero.io/csi-pvc-restorer');
  await objects.patch(DATA_DOWNLOADS, context.restore.namespace, name, { spec: { cancel: true } });
}

async function downloadOf(operationId: string, context: RestoreItemActionContext): Promise<JsonObject> {
  if (operationId === '') throw new ActionError('ActionOutputInvalid', `operation ID ${operationId} is invalid`);
  const found = await context.cluster.list(
    DATA_DOWNLOADS,
    context.restore.namespace,
    `${OPERATION_LABEL}=${operationId}`,
  );
  const [download] = found;
  if (download === undefined) throw failed("didn't find DataDownload");
  if (found.length > 1) throw failed('find multiple DataDownloads');
  return download;
}
