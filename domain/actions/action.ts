import type { Backup } from '../backup/backup.ts';
import type { JsonObject } from '../json.ts';
import type { Restore } from '../restore/restore.ts';
import type { ActionObjects } from './actionObjects.ts';

/** An item of the backup, by its exact plural resource, group and original namespace (spec item-actions.md §1.3). */
export interface ResourceIdentifier {
  readonly group: string;
  readonly resource: string;
  /** Original namespace; empty for cluster-scoped items. */
  readonly namespace: string;
  readonly name: string;
}

/** Which items an action runs for; everything left out means all (spec restore-pipeline.md §14). */
export interface ResourceSelector {
  readonly includedNamespaces?: readonly string[];
  readonly excludedNamespaces?: readonly string[];
  /** Plural, singular, short names or kinds, resolved through discovery. */
  readonly includedResources?: readonly string[];
  readonly excludedResources?: readonly string[];
  /** Label selector text, e.g. `app=web,!legacy`. */
  readonly labelSelector?: string;
}

/** What an action may ask of the target cluster. */
export interface ActionCluster {
  /** The object, or undefined where it does not exist; throws for any other answer. `resource` is `plural.group`. */
  get(resource: string, namespace: string | undefined, name: string): Promise<JsonObject | undefined>;
  list(resource: string, namespace: string | undefined, labelSelector?: string): Promise<JsonObject[]>;
}

export interface RestoreItemActionInput {
  /** The item as earlier actions left it: original namespace, no status, no restore labels. */
  readonly item: JsonObject;
  /** The pristine item of the backup. */
  readonly itemFromBackup: JsonObject;
  readonly restore: Restore;
  readonly backup: Backup;
  readonly cluster: ActionCluster;
  /** Left out where an action can write nothing. */
  readonly objects?: ActionObjects | undefined;
}

export interface RestoreItemActionOutput {
  readonly item: JsonObject;
  /** Restored before the remaining actions run. */
  readonly additionalItems: readonly ResourceIdentifier[];
  /** Stop here: the item is not restored, and that is no error. */
  readonly skipRestore: boolean;
  /** An operation that goes on after the item is restored; recorded even where the item is skipped (spec item-actions.md §7). */
  readonly operationId?: string;
  /** The item waits until `areAdditionalItemsReady` says yes (spec item-actions.md §1.4). */
  readonly waitForAdditionalItems?: boolean;
  /** How long it waits, in milliseconds; left out or 0: the restore's resource timeout (10 min). */
  readonly additionalItemsReadyTimeoutMs?: number;
}

/** How far an operation has come (spec plugin-protocol.md §6.1). Times are RFC 3339. */
export interface OperationProgress {
  readonly completed: boolean;
  /** Why the operation failed; counts once it is completed. */
  readonly error?: string;
  readonly nCompleted?: number;
  readonly nTotal?: number;
  readonly operationUnits?: string;
  readonly description?: string;
  readonly started?: string;
  readonly updated?: string;
}

/** What the later methods of an action are given beside their subject. */
export interface RestoreItemActionContext {
  readonly restore: Restore;
  readonly cluster: ActionCluster;
  readonly objects?: ActionObjects | undefined;
}

/**
 * Velero's RestoreItemAction, in process (spec item-actions.md §1). An action that throws fails its item. Every method may be
 * called more than once for the same subject: what it does must be harmless when it is done again.
 */
export interface RestoreItemAction {
  /** Registered name, e.g. `velero.io/pod`. */
  readonly name: string;
  readonly appliesTo: ResourceSelector;
  execute(input: RestoreItemActionInput): RestoreItemActionOutput | Promise<RestoreItemActionOutput>;
  /**
   * Asked at once, then again and again until it says yes or the time is over. The items are those of `execute` that exist in the
   * cluster now, with their original namespaces. An action without this method is always ready; one that throws ends the wait
   * with an error of the item, which is restored all the same.
   */
  areAdditionalItemsReady?(
    items: readonly ResourceIdentifier[],
    context: RestoreItemActionContext,
  ): boolean | Promise<boolean>;
  /** Of an operation that `execute` started. An action without this method does not support operations. */
  progress?(operationId: string, context: RestoreItemActionContext): OperationProgress | Promise<OperationProgress>;
  /** Ends an operation whose time is over; what it throws is ignored. */
  cancel?(operationId: string, context: RestoreItemActionContext): void | Promise<void>;
}

/** Output of an action that changed the item (or not) and asks for nothing more. */
export function updated(
  item: JsonObject,
  additionalItems: readonly ResourceIdentifier[] = [],
): RestoreItemActionOutput {
  return { item, additionalItems, skipRestore: false };
}

/** Output of an action that keeps its item from being restored. */
export function skipRestore(item: JsonObject): RestoreItemActionOutput {
  return { item, additionalItems: [], skipRestore: true };
}
