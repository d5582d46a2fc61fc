import type { ActionCluster, RestoreItemAction, RestoreItemActionOutput } from '../../../../domain/actions/action.ts';
import type { Backup } from '../../../../domain/backup/backup.ts';
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
  { itemFromBackup = item, spec = {}, cluster = {} }: ActionContext = {},
): Promise<RestoreItemActionOutput> {
  return action.execute({
    item: frozen(item),
    itemFromBackup: frozen(itemFromBackup),
    restore: { name: 'again', namespace: 'velero', uid: '7c0b', spec },
    backup: BACKUP,
    cluster: clusterOf(cluster),
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

function clusterOf(content: ClusterContent): ActionCluster {
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
