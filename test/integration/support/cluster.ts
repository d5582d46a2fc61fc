import { setTimeout as sleep } from 'node:timers/promises';
import type { ClosableKubernetesApi } from '../../../adapters/kubernetes/client.ts';
import { getArray, getString, isObject, type Json, type JsonObject } from '../../../domain/json.ts';
import type { ApiResult, ObjectLocation } from '../../../domain/kubernetes/api.ts';
import { locationOf } from './objects.ts';

/** Whoever made the source objects of these tests. */
const manager = { fieldManager: 'kubectl-create' };

function succeeded(what: string, result: ApiResult): JsonObject {
  if (!result.ok) throw new Error(`${what}: HTTP ${result.status} ${result.message}`);
  return result.object;
}

/** The API server as the tests themselves look at it: past the worker and whatever stands before it. */
export class Cluster {
  readonly api: ClosableKubernetesApi;

  constructor(api: ClosableKubernetesApi) {
    this.api = api;
  }

  /** Creates objects one after another; returns them as the API server keeps them. */
  async create(...objects: readonly JsonObject[]): Promise<JsonObject[]> {
    const created: JsonObject[] = [];
    for (const object of objects) {
      const location = locationOf(object);
      created.push(succeeded(`create ${location.name}`, await this.api.create(location, object, manager)));
    }
    return created;
  }

  /** Writes the object's status and returns the object as it is then: what a backup would hold. */
  async setStatus(object: JsonObject, status: JsonObject): Promise<JsonObject> {
    const location = locationOf(object);
    const live = await this.live(object);
    const options = { fieldManager: 'controller', subresource: 'status' } as const;
    return succeeded(`status of ${location.name}`, await this.api.replace(location, { ...live, status }, options));
  }

  async patch(object: JsonObject, patch: JsonObject): Promise<JsonObject> {
    const location = locationOf(object);
    return succeeded(`patch ${location.name}`, await this.api.patch(location, patch, { ...manager, type: 'merge' }));
  }

  /** Deletes an object and the finalizers that no controller is here to remove, and waits until it is gone. */
  async remove(object: JsonObject): Promise<void> {
    await this.api.delete(locationOf(object));
    if ((await this.find(object)) === undefined) return;
    await this.patch(object, { metadata: { finalizers: null } });
    while ((await this.find(object)) !== undefined) await sleep(50);
  }

  /**
   * The object of that kind and name; one that has a namespace in `namespace`, where that is given.
   * @throws Error where there is none.
   */
  async live(object: JsonObject, namespace?: string): Promise<JsonObject> {
    const location = this.locate(object, namespace);
    return succeeded(`get ${location.name}`, await this.api.get(location));
  }

  /** As {@link live}, but undefined where there is none. */
  async find(object: JsonObject, namespace?: string): Promise<JsonObject | undefined> {
    const location = this.locate(object, namespace);
    const result = await this.api.get(location);
    return !result.ok && result.status === 404 ? undefined : succeeded(`get ${location.name}`, result);
  }

  /** Names of the objects of a kind in a namespace, sorted. */
  async names(like: JsonObject, namespace: string): Promise<string[]> {
    const listed = succeeded('list', await this.api.list({ ...locationOf(like), namespace }));
    const items = getArray(listed, ['items']) ?? [];
    return items.map((item) => getString(item, ['metadata', 'name']) ?? '').sort();
  }

  /** `resource namespace/name` of everything in the cluster whose managedFields name such a manager. */
  async objectsManagedBy(pattern: RegExp): Promise<string[]> {
    const found: string[] = [];
    const { resources } = await this.api.discover({ refresh: true });
    for (const { group, version, resource, verbs } of resources) {
      if (!verbs.includes('list')) continue;
      const listed = await this.api.list({ group, version, resource });
      if (!listed.ok) continue;
      for (const item of getArray(listed.object, ['items']) ?? []) {
        if (managersOf(item).some((name) => pattern.test(name))) found.push(`${resource} ${pathOf(item)}`);
      }
    }
    return found;
  }

  private locate(object: JsonObject, namespace: string | undefined): ObjectLocation {
    const location = locationOf(object);
    const isElsewhere = namespace !== undefined && location.namespace !== undefined;
    return isElsewhere ? { ...location, namespace } : location;
  }
}

function pathOf(item: Json): string {
  return `${getString(item, ['metadata', 'namespace']) ?? ''}/${getString(item, ['metadata', 'name']) ?? ''}`;
}

/** Who wrote an object, by its managedFields. */
export function managersOf(object: Json): string[] {
  const entries = getArray(object, ['metadata', 'managedFields']) ?? [];
  return entries.filter(isObject).map((entry) => getString(entry, ['manager']) ?? '');
}
