import type { ActionCluster, RestoreItemAction, RestoreItemActionOutput } from '../../../../domain/actions/action.ts';
import type { ActionObjects } from '../../../../domain/actions/actionObjects.ts';
import type { Backup } from '../../../../domain/backup/backup.ts';
import { applyMergePatch } from '../../../../domain/item/mergePatch.ts';
import { getString, type Json, type JsonObject } from '../../../../domain/json.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';

/** A cluster in memory: objects by `resource.group` and namespace. */
export interface ClusterContent {
  readonly [resourceAndNamespace: string]: readonly JsonObject[];
}

export interface ActionContext {
  readonly itemFromBackup?: JsonObject;
  readonly spec?: RestoreSpec;
  /** Keys are `<resource>` or `<resource> <namespace>`. */
  readonly cluster?: ClusterContent;
  readonly backup?: Partial<Backup>;
  readonly objects?: ActionObjects;
}

const BACKUP: Backup = {
  name: 'nightly',
  namespace: 'velero',
  labels: {},
  storageLocation: 'default',
  snapshotMoveData: false,
  csiSnapshotTimeout: undefined,
  formatVersion: '1.1.0',
  phase: 'Completed',
  startTimestamp: undefined,
};

/** Runs an action on frozen input: one that changes what it was given throws. */
export async function runAction(
  action: RestoreItemAction,
  item: JsonObject,
  { itemFromBackup = item, spec = {}, cluster = {}, backup = {}, objects }: ActionContext = {},
): Promise<RestoreItemActionOutput> {
  return action.execute({
    item: frozen(item),
    itemFromBackup: frozen(itemFromBackup),
    restore: { name: 'again', namespace: 'velero', uid: '7c0b', spec },
    backup: { ...BACKUP, ...backup },
    cluster: clusterOf(cluster),
    objects,
  });
}

/** A plugin ConfigMap with the labels by which an action finds it. */
export function pluginConfigMap(actionName: string, data: Record<string, string>, name = 'any-name'): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'velero',
      labels: { 'velero.io/plugin-config': '', [actionName]: 'RestoreItemAction' },
    },
    data,
  };
}

export function clusterOf(content: ClusterContent): ActionCluster {
  const objects = (resource: string, namespace: string | undefined): readonly JsonObject[] =>
    content[namespace === undefined ? resource : `${resource} ${namespace}`] ?? [];
  return {
    get: (resource, namespace, name) => {
      if (name === '') throw new Error('asked for an object without a name');
      const found = objects(resource, namespace).find((object) => getString(object, ['metadata', 'name']) === name);
      return Promise.resolve(found);
    },
    list: (resource, namespace, labelSelector) =>
      Promise.resolve(objects(resource, namespace).filter((object) => hasLabels(object, labelSelector))),
  };
}

/** Only the kinds of requirement that actions use: `key` and `key=value`. */
function hasLabels(object: JsonObject, labelSelector = ''): boolean {
  return labelSelector
    .split(',')
    .filter((requirement) => requirement !== '')
    .every((requirement) => {
      const [key = '', value] = requirement.split('=');
      const found = getString(object, ['metadata', 'labels', key]);
      return value === undefined ? found !== undefined : found === value;
    });
}

function frozen<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** Keeps what an action writes, by `resource [namespace/]name`. */
export class MemoryObjects implements ActionObjects {
  readonly written = new Map<string, JsonObject>();
  readonly patches: { readonly name: string; readonly patch: JsonObject; readonly subresource: string | undefined }[] =
    [];
  private readonly backups: readonly JsonObject[];

  constructor(backups: readonly JsonObject[] = []) {
    this.backups = backups;
  }

  create(resource: string, namespace: string | undefined, object: JsonObject): Promise<JsonObject> {
    const key = keyOf(resource, namespace, getString(object, ['metadata', 'name']) ?? '');
    const known = this.written.get(key);
    if (known === undefined) this.written.set(key, object);
    return Promise.resolve(known ?? object);
  }

  patch(
    resource: string,
    namespace: string | undefined,
    name: string,
    patch: JsonObject,
    subresource?: 'status',
  ): Promise<void> {
    this.patches.push({ name, patch, subresource });
    const key = keyOf(resource, namespace, name);
    this.written.set(key, applyMergePatch(this.written.get(key) ?? {}, patch) as JsonObject);
    return Promise.resolve();
  }

  get(resource: string, namespace: string | undefined, name: string): Promise<JsonObject | undefined> {
    return Promise.resolve(this.written.get(keyOf(resource, namespace, name)));
  }

  owner(): Promise<JsonObject> {
    return Promise.resolve({
      apiVersion: 'velero.io/v1',
      kind: 'Restore',
      name: 'again',
      uid: 'owner-uid',
      controller: true,
    });
  }

  podVolumeBackups(): Promise<readonly JsonObject[]> {
    return Promise.resolve(this.backups);
  }
}

function keyOf(resource: string, namespace: string | undefined, name: string): string {
  return `${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
