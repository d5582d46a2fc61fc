/**
 * What client, workflows, activities and worker share: names, inputs, results, queries, search attributes, error types.
 * Types and constants only, because workflow code imports it. Inputs are single objects, so that fields can be added.
 */
import type { Backup } from './backup/backup.ts';
import type { Restore, RestorePhase, RestoreStatus } from './restore/restore.ts';
import type { Counters } from './results/counters.ts';
import type { Outcome } from './results/outcome.ts';

/** All restores into one cluster share a task queue; `cluster` lets several clusters share one Temporal server. */
export function taskQueueFor(cluster: string): string {
  return `durable-restore/${cluster}`;
}

/** A restore's workflow id: one per cluster, Velero namespace and name, as Velero's own names are (design §2). */
export function restoreWorkflowId(cluster: string, namespace: string, name: string): string {
  return `restore/${cluster}/${namespace}/${name}`;
}

export const workflowTypes = { restore: 'restore', restoreShard: 'restoreShard' } as const;

/** Search attributes; a restore runs without them where the Temporal server does not know them. */
export const searchAttributes = {
  RestoreName: 'KEYWORD',
  BackupName: 'KEYWORD',
  RestorePhase: 'KEYWORD',
  RestoreErrors: 'INT',
  RestoreItems: 'INT',
} as const;

/** Both the restore and its shards answer `progress`. */
export const queryNames = { progress: 'progress' } as const;

/** Stable `type` of every ApplicationFailure that a user can meet. */
export const errorTypes = {
  /** The restore cannot be carried out as asked; nothing was changed. Message lists every reason. */
  FailedValidation: 'FailedValidation',
  /** The restore could not be executed; Velero's phase Failed. */
  RestoreFailed: 'RestoreFailed',
  KubernetesUnreachable: 'KubernetesUnreachable',
  /** The API server asked to slow down, or says that it cannot tell yet; tried again without limit. */
  KubernetesNotReady: 'KubernetesNotReady',
  /** The API server is ready but cannot carry out this request (a broken webhook, a dead aggregated API). */
  KubernetesServerError: 'KubernetesServerError',
} as const;

/** Options of a restore that Velero keeps in server flags; durations in milliseconds. */
export interface RestoreOptions {
  /** Shards that work on a wave side by side (default 8). */
  readonly shards: number;
  /** Activities in flight per shard (default 16). */
  readonly window: number;
  /** 0 = automatic: 1 up to 2,000 items, then items / 2,000 rounded up, at most 50 (design §2). */
  readonly itemsPerActivity: number;
  /** `waves`: items of a wave side by side. `strict`: one after another, in Velero's order. */
  readonly order: 'waves' | 'strict';
  /** Velero's --resource-timeout: CRDs ready, additional items ready (default 10 min). */
  readonly resourceTimeoutMs: number;
  /** Velero's --terminating-resource-timeout: namespaces and volumes being deleted (default 10 min). */
  readonly terminatingResourceTimeoutMs: number;
  /** Velero's --restore-resource-priorities, in its syntax; empty = Velero's default. */
  readonly resourcePriorities: string;
}

export const defaultRestoreOptions: RestoreOptions = {
  shards: 8,
  window: 16,
  itemsPerActivity: 0,
  order: 'waves',
  resourceTimeoutMs: 600_000,
  terminatingResourceTimeoutMs: 600_000,
  resourcePriorities: '',
};

export interface RestoreInput {
  readonly cluster: string;
  readonly restore: Restore;
  /** Name of the BackupStorageLocation among those the workers are configured with. */
  readonly storageLocation: string;
  readonly options: RestoreOptions;
  /** False where the Temporal server lacks our search attributes. */
  readonly useSearchAttributes: boolean;
}

/**
 * Identifies a restore to every activity. The rest, {@link RestoreRecord}, lies in the work store and is read once per worker:
 * it would otherwise stand in history as often as there are items.
 */
export interface RestoreRef {
  readonly name: string;
  readonly uid: string;
  readonly storageLocation: string;
}

/** What `validate` found out, kept in the work store. */
export interface RestoreRecord {
  /** With its spec completed: excluded resources, backup of a schedule. */
  readonly restore: Restore;
  readonly backup: Backup;
  /** ETag of the backup's tarball: every worker reads the same content. */
  readonly archiveEtag: string;
  readonly storageLocation: string;
  /** API server's clock at validation minus 5 s, RFC 3339: what was created later may be ours (design §3). */
  readonly since: string;
  readonly options: RestoreOptions;
  readonly warnings: readonly string[];
}

export interface ValidateInput {
  readonly restore: Restore;
  readonly storageLocation: string;
  readonly options: RestoreOptions;
}

export type ValidateResult =
  | { readonly valid: true; readonly backupName: string }
  | { readonly valid: false; readonly validationErrors: readonly string[] };

/** A slice of the plan whose items may be restored side by side. */
export interface Wave {
  /** Resource name, or `middle: …` for one of the six waves between Velero's two lists. */
  readonly name: string;
  readonly kind: 'customResourceDefinitions' | 'namespaces' | 'items';
  /** Index of the first plan entry. */
  readonly offset: number;
  readonly length: number;
}

export interface PlanInput {
  readonly ref: RestoreRef;
}

export interface PlanResult {
  readonly waves: readonly Wave[];
  readonly totalItems: number;
  readonly warnings: number;
  readonly errors: number;
}

export interface RestoreItemInput {
  readonly ref: RestoreRef;
  readonly index: number;
}

export interface RestoreItemsInput {
  readonly ref: RestoreRef;
  readonly offset: number;
  readonly length: number;
}

/** What a group of items did; details are in the outcome block that the group wrote itself. */
export interface RestoreItemsResult {
  readonly counters: Counters;
  /** Plan indexes of items that have to wait: each becomes an activity of its own. */
  readonly later: readonly number[];
  /** Plan index up to which the group got (exclusive); smaller than asked only where it was cancelled. */
  readonly end: number;
}

export interface DescribeItemsInput {
  readonly ref: RestoreRef;
  readonly offset: number;
  readonly length: number;
  /** Describes every `step`-th item: the first of each group. */
  readonly step: number;
}

export interface EnsureNamespaceInput {
  readonly ref: RestoreRef;
  readonly index: number;
}

export interface AwaitCustomResourceDefinitionsInput {
  readonly ref: RestoreRef;
  readonly wave: Wave;
}

export interface RecordOutcomesInput {
  readonly ref: RestoreRef;
  /** Deterministic name of the block: writing it twice is harmless. */
  readonly block: string;
  readonly outcomes: readonly Outcome[];
}

export interface FinalizeInput {
  readonly ref: RestoreRef;
  readonly totalItems: number;
  readonly startTimestamp: string;
  readonly cancelled: boolean;
  /** Why the restore could not be executed; leads to phase Failed. */
  readonly failureReason?: string | undefined;
}

export interface FinalizeResult {
  readonly status: RestoreStatus;
  readonly counters: Counters;
}

/** A part of a wave, as a child workflow of its own. */
export interface RestoreShardInput {
  readonly ref: RestoreRef;
  /** What the slice holds; definitions are awaited by the restore itself. */
  readonly kind: Wave['kind'];
  readonly offset: number;
  readonly length: number;
  readonly itemsPerActivity: number;
  /** Activities in flight. */
  readonly window: number;
  /** Plan indexes that groups of earlier runs of this shard left for activities of their own (continue-as-new). */
  readonly later: readonly number[];
  /** Items that earlier runs of this shard went past (continue-as-new). */
  readonly done: number;
  /** Outcome blocks written by earlier runs of this shard (continue-as-new). */
  readonly blocks: number;
  readonly counters: Counters;
}

export interface RestoreShardResult {
  readonly counters: Counters;
  readonly cancelled: boolean;
}

/** Answer of a shard's `progress` query. */
export interface ShardProgress {
  readonly counters: Counters;
}

export interface WaveProgress {
  readonly name: string;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
}

/** Answer of the `progress` query. */
export interface RestoreProgress {
  readonly phase: RestorePhase;
  readonly step: string;
  readonly totalItems: number;
  readonly counters: Counters;
  readonly waves: readonly WaveProgress[];
  /** Workflow ids of the shards at work: their own progress is not in `counters` yet. */
  readonly runningShards: readonly string[];
  readonly startTimestamp: string | undefined;
}

export interface RestoreResult {
  readonly restore: Restore;
  readonly storageLocation: string;
  readonly status: RestoreStatus;
  readonly counters: Counters;
}

/** The activities as workflows call them; `activities/createActivities.ts` builds them. */
export interface Activities {
  validate(input: ValidateInput): Promise<ValidateResult>;
  plan(input: PlanInput): Promise<PlanResult>;
  ensureNamespace(input: EnsureNamespaceInput): Promise<Outcome>;
  awaitCustomResourceDefinitions(input: AwaitCustomResourceDefinitionsInput): Promise<Outcome[]>;
  /** Summaries of items, at most 80 characters each, for the Temporal UI. */
  describeItems(input: DescribeItemsInput): Promise<string[]>;
  restoreItem(input: RestoreItemInput): Promise<Outcome>;
  restoreItems(input: RestoreItemsInput): Promise<RestoreItemsResult>;
  recordOutcomes(input: RecordOutcomesInput): Promise<void>;
  finalize(input: FinalizeInput): Promise<FinalizeResult>;
}
