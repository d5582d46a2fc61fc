import { readPodVolumeBackups } from '../adapters/storage/backupFiles.ts';
import type { ActionObjects } from '../domain/actions/actionObjects.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import type { RestoreRecord } from '../domain/contract.ts';
import { FIELD_MANAGER } from '../domain/item/fieldManager.ts';
import { ItemError } from '../domain/item/itemError.ts';
import { getString } from '../domain/json.ts';
import type { KubernetesApi, ResourceLocation } from '../domain/kubernetes/api.ts';
import type { ResourceTable } from '../domain/kubernetes/resourceTable.ts';
import { Selection } from '../domain/plan/selection.ts';
import { remember } from '../domain/remember.ts';
import { refusal } from './infrastructureFault.ts';
import { ensureOwner, ownerReference } from './restoreOwner.ts';

/** What actions write to the cluster. Refusals are the item's; a server that is not ready is nobody's. */
export function actionObjects(
  kubernetes: KubernetesApi,
  record: RestoreRecord,
  store: ObjectStore,
  table: ResourceTable,
): ActionObjects {
  const owner = remember(() => ensureOwner(kubernetes, record));

  const podVolumeBackups = remember(async () =>
    restoresVolumes(record, table) ? readPodVolumeBackups(store, record.backup.name) : [],
  );

  async function locate(resource: string, namespace: string | undefined): Promise<ResourceLocation> {
    const found =
      (await kubernetes.discover()).resolve(resource) ??
      (await kubernetes.discover({ refresh: true })).resolve(resource);
    if (found === undefined) throw new ItemError(`the API server does not serve ${resource}`);
    return { group: found.group, version: found.version, resource: found.resource, namespace };
  }

  return {
    async create(resource, namespace, object) {
      const location = await locate(resource, namespace);
      const created = await kubernetes.create(location, object, { fieldManager: FIELD_MANAGER });
      if (created.ok) return created.object;
      const name = getString(object, ['metadata', 'name']) ?? '';
      if (created.reason !== 'AlreadyExists') throw refusal(created, `creating ${resource} ${name}`);
      const existing = await kubernetes.get({ ...location, name });
      if (existing.ok) return existing.object;
      throw refusal(existing, `getting ${resource} ${name}`);
    },
    async patch(resource, namespace, name, patch, subresource) {
      const location = { ...(await locate(resource, namespace)), name };
      const options = subresource === undefined ? {} : { subresource };
      const result = await kubernetes.patch(location, patch, {
        type: 'merge',
        fieldManager: FIELD_MANAGER,
        ...options,
      });
      if (!result.ok) throw refusal(result, `patching ${resource} ${name}`);
    },
    async get(resource, namespace, name) {
      const result = await kubernetes.get({ ...(await locate(resource, namespace)), name });
      if (result.ok) return result.object;
      if (result.status === 404) return undefined;
      throw refusal(result, `getting ${resource} ${name}`);
    },
    owner: async () => ownerReference(await owner()),
    podVolumeBackups,
  };
}

/** Whether both claims and volumes pass the filter of resources. */
function restoresVolumes({ restore }: RestoreRecord, table: ResourceTable): boolean {
  const selection = new Selection(restore.spec, table);
  return ['persistentvolumeclaims', 'persistentvolumes'].every((resource) => selection.hasResource(resource));
}
