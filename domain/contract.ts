/**
 * What client, workflows, activities and worker share: names, inputs, results, queries, search attributes, error types.
 * Types and constants only, because workflow code imports it. Inputs are single objects, so that fields can be added.
 */
import type { Feature } from './actions/features.ts';
import type { Backup } from './backup/backup.ts';
import type { HookCounts, HookPod } from './hooks/hookContract.ts';
import type { WaitEnd } from './item/itemRun.ts';
import type { Pace } from './pace.ts';
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

export const workflowTypes = {
  restore: 'restore',
  restoreShard: 'restoreShard',
  restoreAdditionalItems: 'restoreAdditionalItems',
  waitForAdditionalItems: 'waitForAdditionalItems',
  awaitOperations: 'awaitOperations',
} as const;

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

/** Of a restore, while it runs (`domain/pace.ts`). */
export const updateNames = { pause: 'pause', resume: 'resume', setMaxInFlight: 'setMaxInFlight' } as const;

/** Of a shard: how many activities it may have in flight. */
export const signalNames = { window: 'window' } as const;

/** Stable `type` of every ApplicationFailure that a user can meet. */
export const errorTypes = {
  /** The restore cannot be carried out as asked; nothing was changed. Message lists every reason. */
  FailedValidation: 'FailedValidation',
  /** The restore could not be executed; Velero's phase Failed. */
  RestoreFailed: 'RestoreFailed',
  /** An update that cannot be taken: its value, or that nothing is left to be started. */
  PaceRefused: 'PaceRefused',
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
  /** 0 = automatic: 1 up to 2,000 items, then items / 200 rounded up, at most 50 (docs/decisions/0009). */
  readonly itemsPerActivity: number;
  /** `waves`: items of a wave side by side. `strict`: one after another, in Velero's order. */
  readonly order: 'waves' | 'strict';
  /** Velero's --resource-timeout: CRDs ready, additional items ready (default 10 min). */
  readonly resourceTimeoutMs: number;
  /** Velero's --terminating-resource-timeout: namespaces and volumes being deleted (default 10 min). */
  readonly terminatingResourceTimeoutMs: number;
  /** How long a hook without a waitTimeout waits for its container, from the pod's creation; 0 = without limit (default 4 h). */
  readonly hookTimeoutMs: number;
  /** Velero's --fs-backup-timeout, here of each volume of a pod (default 4 h). */
  readonly fsBackupTimeoutMs: number;
  /** Velero's --restore-resource-priorities, in its syntax; empty = Velero's default. */
  readonly resourcePriorities: string;
  /** Velero's --features, as far as they matter to a restore. */
  readonly features: readonly Feature[];
}

export const defaultRestoreOptions: RestoreOptions = {
  shards: 8,
  window: 16,
  itemsPerActivity: 0,
  order: 'waves',
  resourceTimeoutMs: 600_000,
  terminatingResourceTimeoutMs: 600_000,
  hookTimeoutMs: 14_400_000,
  fsBackupTimeoutMs: 14_400_000,
  resourcePriorities: '',
  features: [],
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
  /** YAML of the resource modifier ConfigMap as it was then: all workers apply the same rules. */
  readonly resourceModifiers?: string | undefined;
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
  /** Something goes on with volumes after their items are restored: `settleVolumes` waits for it. Left out: nothing. */
  readonly volumeWork?: true | undefined;
}

export interface RestoreItemInput {
  readonly ref: RestoreRef;
  readonly index: number;
  /**
   * Only for an additional item: the items that wait for it, the one in its own turn first. An item that comes up again below itself
   * ends the chain.
   */
  readonly path?: readonly number[] | undefined;
  /** Goes on where the item stopped to wait for others. */
  readonly resume?: (ItemResume & { readonly waited?: WaitEnd | undefined }) | undefined;
}

/** Where an item stopped; the rest lies in the work store. */
export interface ItemResume {
  readonly actionIndex: number;
  readonly stateRef: string;
}

/** An item that another one asks for. */
export interface NeededItem {
  /** Plan index, or the index of an entry beside the plan (domain/plan/additionalEntry.ts). */
  readonly index: number;
  /** For the Temporal UI, e.g. `Secret shop/key`. */
  readonly summary: string;
}

/** The item waits for others: one of its actions asked for them (design §3). */
export interface ItemNeeds {
  /** Of the item itself, for the Temporal UI. */
  readonly item: string;
  readonly action: string;
  /** The first of them, in order; {@link Activities.readNeeds} gives the rest. */
  readonly needs: readonly NeededItem[];
  readonly totalNeeds: number;
  readonly resume: ItemResume;
  /** How long the item waits for them to be ready, in milliseconds; left out where it does not. */
  readonly waitTimeoutMs?: number | undefined;
}

export type RestoreItemResult = Outcome | ItemNeeds;

export interface ReadNeedsInput {
  readonly ref: RestoreRef;
  readonly stateRef: string;
  readonly offset: number;
}

export interface AreAdditionalItemsReadyInput {
  readonly ref: RestoreRef;
  readonly stateRef: string;
  /** Positions among the needed items of those that are not in the cluster. */
  readonly missing: readonly number[];
}

/** `failed`: the action could not say; no use in asking again (spec restore-pipeline.md §15). */
export type AdditionalItemsReadiness = { readonly ready: boolean } | { readonly failed: string };

/** An item that waits for others, with all that is to be done for it, as a child workflow of its own. */
export interface RestoreAdditionalItemsInput {
  readonly ref: RestoreRef;
  readonly index: number;
  readonly needs: ItemNeeds;
  /** What earlier runs did (continue-as-new). */
  readonly done: AdditionalItemsDone;
}

export interface AdditionalItemsDone {
  /** Needed items that were seen to. */
  readonly position: number;
  /** Positions of those that are not in the cluster. */
  readonly missing: readonly number[];
  /** Of items beside the plan. */
  readonly counters: Counters;
}

export interface RestoreAdditionalItemsResult {
  readonly outcome: Outcome;
  /** Of items beside the plan; those of the plan are counted in their own turn. */
  readonly counters: Counters;
}

export interface CheckOperationsInput {
  readonly ref: RestoreRef;
}

/** How far the operations are that actions have started. */
export interface CheckOperationsResult {
  readonly attempted: number;
  readonly completed: number;
  readonly failed: number;
  readonly pending: number;
}

export interface AwaitOperationsInput {
  readonly ref: RestoreRef;
  /** For the Temporal UI. */
  readonly summary: string;
}

export interface WaitForAdditionalItemsInput extends AreAdditionalItemsReadyInput {
  /** Of the item that waits, its action, and what it waits for. */
  readonly item: string;
  readonly action: string;
  readonly awaited: string;
  /** RFC 3339. */
  readonly deadline: string;
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
  /** Created pods with hooks. */
  readonly hookPods?: readonly HookPod[] | undefined;
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

export interface SettleVolumesInput {
  readonly ref: RestoreRef;
}

export interface SettleVolumesResult {
  /** Waits that are not over: call again. */
  readonly pending: number;
  /** One of them, for people. */
  readonly awaited: string | undefined;
}

export interface FinalizeInput {
  readonly ref: RestoreRef;
  readonly totalItems: number;
  readonly startTimestamp: string;
  readonly cancelled: boolean;
  /** Why hooks that have not run were left out; undefined where there were none. */
  readonly hooksLeftOut?: string | undefined;
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
  /** Pods with hooks that earlier runs of this shard told the restore of (continue-as-new). */
  readonly hookPods?: number | undefined;
  readonly counters: Counters;
}

export interface RestoreShardResult {
  readonly counters: Counters;
  /** Pods with hooks of which the shard has told the restore. */
  readonly hookPods?: number | undefined;
  readonly cancelled: boolean;
}

/** An item that waits until what its action asked for is ready. */
export interface ItemWait {
  readonly item: string;
  readonly action: string;
  /** What it waits for, in words. */
  readonly awaited: string;
  /** RFC 3339. */
  readonly deadline: string;
}

/** Answer of the `progress` query of an item that waits for others. */
export interface WaitingItemProgress {
  readonly waits: readonly ItemWait[];
}

/** Answer of a shard's `progress` query. */
export interface ShardProgress {
  readonly counters: Counters;
  /** Workflow ids of some of the items that wait for others; left out where none does. */
  readonly waiting?: readonly string[];
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
  /** As a shard's, for items that the restore's own workflow restores. */
  readonly waiting?: readonly string[];
  /** Added by the client, which asks the items that wait. */
  readonly waits?: readonly ItemWait[];
  /** Undefined where no pod with hooks was created. */
  readonly hooks?: (HookCounts & { readonly total: number }) | undefined;
  readonly startTimestamp: string | undefined;
  readonly pace: Pace;
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
  restoreItem(input: RestoreItemInput): Promise<RestoreItemResult>;
  restoreItems(input: RestoreItemsInput): Promise<RestoreItemsResult>;
  /** Needed items from `offset` on, as many as fit into a payload. */
  readNeeds(input: ReadNeedsInput): Promise<readonly NeededItem[]>;
  /** Run as a local activity. */
  areAdditionalItemsReady(input: AreAdditionalItemsReadyInput): Promise<AdditionalItemsReadiness>;
  checkOperations(input: CheckOperationsInput): Promise<CheckOperationsResult>;
  recordOutcomes(input: RecordOutcomesInput): Promise<void>;
  settleVolumes(input: SettleVolumesInput): Promise<SettleVolumesResult>;
  finalize(input: FinalizeInput): Promise<FinalizeResult>;
}
