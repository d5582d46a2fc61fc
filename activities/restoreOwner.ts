import type { RestoreRecord } from '../domain/contract.ts';
import { FIELD_MANAGER } from '../domain/item/fieldManager.ts';
import { ItemError } from '../domain/item/itemError.ts';
import { getString, type JsonObject } from '../domain/json.ts';
import type { KubernetesApi, ObjectLocation } from '../domain/kubernetes/api.ts';
import type { RestoreStatus } from '../domain/restore/restore.ts';
import { toManifestObject } from '../domain/restore/restoreManifest.ts';
import { refusal } from './infrastructureFault.ts';
import { locateServed } from './locateServed.ts';

/** Tells a Restore object that we made from one of Velero. */
const UID_ANNOTATION = 'durable-restore/uid';

/**
 * The Restore object that owns PodVolumeRestores and DataDownloads: node agents read the restore's uid from it, and with it they go (design §2). There already, or
 * made in phase `InProgress`, which Velero's controllers leave alone.
 * @throws ItemError where Velero's definitions are not in the cluster, or where another restore has the name.
 */
export async function ensureOwner(kubernetes: KubernetesApi, record: RestoreRecord): Promise<JsonObject> {
  const location = await locate(kubernetes, record);
  if (location === undefined) {
    throw new ItemError(
      "restores.velero.io is not served by the API server: Velero's definitions and its node agent have to be in the cluster to restore this volume's data",
    );
  }
  const { restore } = record;
  const manifest = toManifestObject(restore);
  const object = {
    ...manifest,
    metadata: {
      name: restore.name,
      namespace: restore.namespace,
      ...(restore.labels === undefined ? {} : { labels: { ...restore.labels } }),
      annotations: { ...restore.annotations, [UID_ANNOTATION]: restore.uid },
    },
    status: { phase: 'InProgress', startTimestamp: new Date().toISOString() },
  };
  const found = await kubernetes.get(location);
  if (found.ok) return checked(found.object, record);
  if (found.status !== 404) throw refusal(found);
  const created = await kubernetes.create(location, object, { fieldManager: FIELD_MANAGER });
  if (created.ok) return created.object;
  if (created.reason !== 'AlreadyExists') throw refusal(created);
  const again = await kubernetes.get(location);
  if (again.ok) return checked(again.object, record);
  throw refusal(again);
}

/** Writes the final status into the Restore object, where we made one. Best effort: the restore has ended, whatever the answer. */
export async function endOwner(kubernetes: KubernetesApi, record: RestoreRecord, status: RestoreStatus): Promise<void> {
  const location = await locate(kubernetes, record);
  if (location === undefined) return;
  const found = await kubernetes.get(location);
  if (!found.ok || getString(found.object, ['metadata', 'annotations', UID_ANNOTATION]) !== record.restore.uid) return;
  const patch = { status: JSON.parse(JSON.stringify(status)) as JsonObject };
  await kubernetes.patch(location, patch, { type: 'merge', fieldManager: FIELD_MANAGER });
}

/** The owner reference of what belongs to a Restore object. */
export function ownerReference(owner: JsonObject): JsonObject {
  return {
    apiVersion: 'velero.io/v1',
    kind: 'Restore',
    name: getString(owner, ['metadata', 'name']) ?? '',
    uid: getString(owner, ['metadata', 'uid']) ?? '',
    controller: true,
  };
}

async function locate(kubernetes: KubernetesApi, { restore }: RestoreRecord): Promise<ObjectLocation | undefined> {
  const restores = await locateServed(kubernetes, 'restores.velero.io', restore.namespace);
  return restores === undefined ? undefined : { ...restores, name: restore.name };
}

function checked(found: JsonObject, { restore }: RestoreRecord): JsonObject {
  const isOurs =
    getString(found, ['metadata', 'uid']) === restore.uid ||
    getString(found, ['metadata', 'annotations', UID_ANNOTATION]) === restore.uid;
  if (isOurs) return found;
  throw new ItemError(
    `Restore ${restore.namespace}/${restore.name} is in the cluster and belongs to another restore: it cannot own this one's volumes`,
  );
}
