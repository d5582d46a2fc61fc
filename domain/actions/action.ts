import type { Backup } from '../backup/backup.ts';
import type { JsonObject } from '../json.ts';
import type { Restore } from '../restore/restore.ts';

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

/** What a built-in action may ask of the target cluster. */
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
}

export interface RestoreItemActionOutput {
  readonly item: JsonObject;
  /** Restored before the remaining actions run. */
  readonly additionalItems: readonly ResourceIdentifier[];
  /** Stop here: the item is not restored, and that is no error. */
  readonly skipRestore: boolean;
}

/** Velero's RestoreItemAction, in process (spec item-actions.md §1). An action that throws fails its item. */
export interface RestoreItemAction {
  /** Registered name, e.g. `velero.io/pod`. */
  readonly name: string;
  readonly appliesTo: ResourceSelector;
  execute(input: RestoreItemActionInput): RestoreItemActionOutput | Promise<RestoreItemActionOutput>;
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
