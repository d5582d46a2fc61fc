import type { HookPod } from '../hooks/hookContract.ts';

/** Where Velero lists a message: its own, the cluster's, or a namespace's (spec restore-pipeline.md §23). */
export type MessageScope = 'velero' | 'cluster' | { readonly namespace: string };

export interface Message {
  readonly level: 'warning' | 'error';
  readonly scope: MessageScope;
  readonly text: string;
  /** Key in the work store of the whole text, where `text` is only its beginning (over 1 KiB). */
  readonly ref?: string | undefined;
}

/** What became of an item. What exists and differs is `skipped` with a warning; Velero's resource list says `failed` (§24). */
export type OutcomeAction = 'created' | 'updated' | 'skipped' | 'failed';

/** Why an item was skipped or failed; short and stable, for programs and tables. */
export type OutcomeReason =
  | 'equal'
  | 'differs'
  | 'completed'
  | 'mirrorPod'
  | 'action'
  | 'volumeNotRestored'
  | 'duplicate'
  | 'labelsOnly'
  | 'exists'
  | 'refused'
  | 'unreadable'
  | 'cancelled';

/** Something that an action started and that goes on after its item is restored (spec item-actions.md §7). */
export interface ItemOperation {
  /** Registered name of the action. */
  readonly action: string;
  readonly operationId: string;
  /** RFC 3339. */
  readonly created: string;
}

/** The result of one plan entry; small, because it travels through workflow history. */
export interface Outcome {
  /** Plan index. */
  readonly index: number;
  readonly action: OutcomeAction;
  readonly reason?: OutcomeReason | undefined;
  /** False for what Velero does not list at all: completed pods and jobs (§11 step 4), namespaces that exist. */
  readonly tracked: boolean;
  readonly messages?: readonly Message[] | undefined;
  /** Name the API server gave, where it is not the name of the backup. */
  readonly createdName?: string | undefined;
  /** Of a created pod in which commands are to run. */
  readonly hookPod?: HookPod | undefined;
  readonly operations?: readonly ItemOperation[] | undefined;
  /** RFC 3339, for the restore's log. */
  readonly at: string;
}

/** Messages of items name the target namespace, or the cluster for cluster-scoped items. */
export function itemScope(targetNamespace: string | undefined): MessageScope {
  return targetNamespace === undefined ? 'cluster' : { namespace: targetNamespace };
}

const ACTION_RANK: Readonly<Record<OutcomeAction, number>> = { created: 3, updated: 2, failed: 1, skipped: 0 };

function sameMessage(a: Message, b: Message): boolean {
  return a.level === b.level && a.text === b.text && JSON.stringify(a.scope) === JSON.stringify(b.scope);
}

/**
 * One outcome of an item from two: an activity may run twice, and what it did the first time stands. A later `skipped` never
 * replaces `created` (design §3); each message is kept once.
 */
export function mergeOutcomes(earlier: Outcome, later: Outcome): Outcome {
  const recovered = earlier.action === 'failed' && (later.action === 'created' || later.action === 'updated');
  if (recovered) return later;
  const [winner, loser] =
    ACTION_RANK[later.action] >= ACTION_RANK[earlier.action] ? [later, earlier] : [earlier, later];
  const messages = [...(earlier.messages ?? [])];
  for (const message of later.messages ?? []) {
    if (!messages.some((known) => sameMessage(known, message))) messages.push(message);
  }
  const createdName = winner.createdName ?? loser.createdName;
  const hookPod = winner.hookPod ?? loser.hookPod;
  // An action that ran twice may have started two operations; both are followed to their end.
  const operations = [...(earlier.operations ?? [])];
  for (const operation of later.operations ?? []) {
    if (!operations.some(({ operationId }) => operationId === operation.operationId)) operations.push(operation);
  }
  return {
    ...winner,
    tracked: winner.tracked || loser.tracked,
    ...(messages.length > 0 ? { messages } : {}),
    ...(createdName === undefined ? {} : { createdName }),
    ...(hookPod === undefined ? {} : { hookPod }),
    ...(operations.length > 0 ? { operations } : {}),
  };
}

/** Whether the item is in the cluster after that outcome: only such items are waited for (spec item-actions.md §1.4). */
export function existsAfter({ action, reason }: Outcome): boolean {
  if (action === 'created' || action === 'updated') return true;
  return reason === 'equal' || reason === 'differs' || reason === 'labelsOnly' || reason === 'exists';
}
