import type { ActionCluster, RestoreItemAction } from '../../../../domain/actions/action.ts';
import { resolveActions } from '../../../../domain/actions/appliesTo.ts';
import { builtInActions } from '../../../../domain/actions/registry.ts';
import type { ItemRun } from '../../../../domain/item/itemRun.ts';
import {
  type EndedItem,
  type ItemContext,
  type PreparedItem,
  prepareItem,
  type WaitingItem,
} from '../../../../domain/item/prepareItem.ts';
import { getString, type JsonObject } from '../../../../domain/json.ts';
import { mapNamespace } from '../../../../domain/plan/mapNamespace.ts';
import type { PlanEntry } from '../../../../domain/plan/planEntry.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { frozen } from './frozen.ts';
import { backupItemOf } from './planSource.ts';
import { servedTable } from './table.ts';

/** A cluster in which nothing is. */
const emptyCluster: ActionCluster = {
  get: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
};

export interface PrepareOptions {
  readonly spec?: RestoreSpec;
  readonly restoreName?: string;
  readonly backupName?: string;
  readonly actions?: readonly RestoreItemAction[];
  readonly statusFilter?: ItemContext['statusFilter'];
  /** What the plan decided of the item. */
  readonly planned?: Pick<PlanEntry, 'volume' | 'dropVolumeName' | 'nativeVolume'>;
  readonly nativeVolumes?: ItemContext['nativeVolumes'];
}

/** The plan entry that an item has by itself. */
export function planEntryOf(object: JsonObject, { spec = {}, planned = {} }: PrepareOptions = {}): PlanEntry {
  const item = backupItemOf(object);
  return {
    index: 7,
    ...item,
    targetNamespace: mapNamespace(spec, item.namespace),
    apiVersion: getString(object, ['apiVersion']) ?? '',
    kind: getString(object, ['kind']) ?? '',
    ...planned,
  };
}

/** Prepares an item of `backup-1` for `restore-1`; the item is frozen first, so no step can change it. */
export async function prepare(object: JsonObject, options: PrepareOptions = {}): Promise<PreparedItem | EndedItem> {
  const result = await advance(object, options);
  if ('suspended' in result) throw new Error(`expected an end, the item waits behind ${result.suspended.action}`);
  return result;
}

/** As {@link prepare}, for items that may have to wait for others. */
export function advance(
  object: JsonObject,
  options: PrepareOptions = {},
  run?: ItemRun,
): Promise<PreparedItem | EndedItem | WaitingItem> {
  const { spec = {}, restoreName = 'restore-1', backupName = 'backup-1', actions = builtInActions() } = options;
  const context: ItemContext = {
    restore: { name: restoreName, namespace: 'velero', uid: 'restore-uid', spec },
    backup: {
      name: backupName,
      namespace: 'velero',
      labels: {},
      storageLocation: 'default',
      snapshotMoveData: false,
      csiSnapshotTimeout: undefined,
      formatVersion: '1.1.0',
      phase: 'Completed',
      startTimestamp: undefined,
    },
    actions: resolveActions(actions, servedTable),
    cluster: emptyCluster,
    statusFilter: options.statusFilter,
    nativeVolumes: options.nativeVolumes,
  };
  return prepareItem(planEntryOf(object, options), frozen(object), context, run);
}

/** The object that is to be created. @throws where the item ended before that. */
export async function objectOf(object: JsonObject, options: PrepareOptions = {}): Promise<JsonObject> {
  const result = await prepare(object, options);
  if ('end' in result) throw new Error(`expected an object, the item ended: ${JSON.stringify(result.end)}`);
  return result.object;
}
