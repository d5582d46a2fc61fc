/** Where Velero lists a message: its own, the cluster's, or a namespace's (spec restore-pipeline.md §23). */
export type MessageScope = 'velero' | 'cluster' | { readonly namespace: string };

export interface Message {
  readonly level: 'warning' | 'error';
  readonly scope: MessageScope;
  readonly text: string;
}

/** What became of an item. Velero's list calls an item `failed` also where a warning is all there is (§24). */
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
  /** RFC 3339, for the restore's log. */
  readonly at: string;
}

/** Messages of items name the target namespace, or the cluster for cluster-scoped items. */
export function itemScope(targetNamespace: string | undefined): MessageScope {
  return targetNamespace === undefined ? 'cluster' : { namespace: targetNamespace };
}
