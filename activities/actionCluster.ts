import { LRUCache } from 'lru-cache';
import type { ActionCluster } from '../domain/actions/action.ts';
import { ItemError } from '../domain/item/itemError.ts';
import type { JsonObject } from '../domain/json.ts';
import type { KubernetesApi, ResourceLocation } from '../domain/kubernetes/api.ts';
import { itemsOf } from '../domain/kubernetes/itemsOf.ts';
import type { ResourceTable } from '../domain/kubernetes/resourceTable.ts';
import { refusal } from './infrastructureFault.ts';

function locate(table: ResourceTable, resource: string, namespace: string | undefined): ResourceLocation {
  const found = table.resolve(resource);
  if (found === undefined) throw new ItemError(`the API server does not serve ${resource}`);
  return { group: found.group, version: found.version, resource: found.resource, namespace };
}

/** Plugin ConfigMaps are asked for by every pod and claim; a change to one is seen this much later. */
const LIST_TTL_MS = 10_000;
const CACHED_LISTS = 100;

interface ListQuery {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
}

/** The target cluster as item actions may ask it. Lists are remembered for 10 s. */
export function actionCluster(kubernetes: KubernetesApi, table: ResourceTable): ActionCluster {
  const lists = new LRUCache<string, JsonObject[], ListQuery>({
    max: CACHED_LISTS,
    ttl: LIST_TTL_MS,
    fetchMethod: (_key, _stale, { context }) => list(context),
  });

  async function list({ resource, namespace, labelSelector }: ListQuery): Promise<JsonObject[]> {
    const options = labelSelector === undefined ? {} : { labelSelector };
    const result = await kubernetes.list(locate(table, resource, namespace), options);
    if (!result.ok) throw refusal(result, `listing ${resource}`);
    return itemsOf(result.object);
  }

  return {
    async get(resource, namespace, name): Promise<JsonObject | undefined> {
      const result = await kubernetes.get({ ...locate(table, resource, namespace), name });
      if (result.ok) return result.object;
      if (result.status === 404) return undefined;
      throw refusal(result, `getting ${resource} ${name}`);
    },
    list: (resource, namespace, labelSelector) =>
      lists.forceFetch(JSON.stringify([resource, namespace, labelSelector]), {
        context: { resource, namespace, labelSelector },
      }),
  };
}
