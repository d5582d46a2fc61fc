import type { ActionCluster } from '../domain/actions/action.ts';
import { isObject, type JsonObject, getArray } from '../domain/json.ts';
import type { ApiFailure, KubernetesApi, ResourceLocation } from '../domain/kubernetes/api.ts';
import { classifyFailure } from '../domain/kubernetes/fault.ts';
import type { ResourceTable } from '../domain/kubernetes/resourceTable.ts';
import { ItemError } from '../domain/item/itemError.ts';
import { notReady } from './infrastructureFault.ts';

function locate(table: ResourceTable, resource: string, namespace: string | undefined): ResourceLocation {
  const found = table.resolve(resource);
  if (found === undefined) throw new ItemError(`the API server does not serve ${resource}`);
  return { group: found.group, version: found.version, resource: found.resource, namespace };
}

/** A refusal is the item's; a server that is not ready is nobody's, and the item is tried again. */
function refused(failure: ApiFailure): Error {
  return classifyFailure(failure) === 'item' ? new ItemError(failure.message) : notReady(failure);
}

/** The target cluster as item actions may ask it. */
export function actionCluster(kubernetes: KubernetesApi, table: ResourceTable): ActionCluster {
  return {
    async get(resource, namespace, name): Promise<JsonObject | undefined> {
      const result = await kubernetes.get({ ...locate(table, resource, namespace), name });
      if (result.ok) return result.object;
      if (result.status === 404) return undefined;
      throw refused(result);
    },
    async list(resource, namespace, labelSelector): Promise<JsonObject[]> {
      const options = labelSelector === undefined ? {} : { labelSelector };
      const result = await kubernetes.list(locate(table, resource, namespace), options);
      if (!result.ok) throw refused(result);
      return (getArray(result.object, ['items']) ?? []).filter(isObject);
    },
  };
}
