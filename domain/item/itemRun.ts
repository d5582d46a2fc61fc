import type { ResourceIdentifier } from '../actions/action.ts';
import type { JsonObject } from '../json.ts';
import type { ItemOperation, Message } from '../results/outcome.ts';

/** An item that stopped behind one of its actions, because others come first (spec item-actions.md §1.3, §1.4). */
export interface SuspendedItem {
  /** Position of the action among those of the worker. */
  readonly actionIndex: number;
  readonly action: string;
  /** As that action left it. */
  readonly item: JsonObject;
  readonly additionalItems: readonly ResourceIdentifier[];
  /** They are restored even where filters of resources and namespaces leave them out. */
  readonly mustInclude?: true | undefined;
  /** How long to wait for them, where the action asked for it; 0: as long as the restore's resource timeout. */
  readonly waitTimeoutMs?: number | undefined;
}

/** How a wait for additional items ended. */
export type WaitEnd =
  | { readonly end: 'ready' }
  /** `unanswered`: why the last question had no answer, where the infrastructure kept it from being asked. */
  | { readonly end: 'timedOut'; readonly unanswered?: string | undefined }
  | { readonly end: 'failed'; readonly message: string };

/** Where an item goes on, and how the wait ended, if there was one. */
export interface ResumedItem {
  readonly actionIndex: number;
  readonly action: string;
  readonly item: JsonObject;
  readonly waited?: WaitEnd | undefined;
}

/**
 * What surrounds one run of an item through its steps. Messages and operations gather here, those of earlier runs included: they
 * count however the item ends.
 */
export interface ItemRun {
  readonly resumed?: ResumedItem | undefined;
  /** True where the plan does not hold what the built-in actions ask for, or holds it for a later wave. */
  readonly honoursBuiltIn: boolean;
  readonly messages: Message[];
  readonly operations: ItemOperation[];
}

/** A run from the beginning, in the item's own turn. */
export function freshRun(): ItemRun {
  return { honoursBuiltIn: false, messages: [], operations: [] };
}
