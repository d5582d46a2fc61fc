import type { ActionCluster } from '../actions/action.ts';
import type { ActionObjects } from '../actions/actionObjects.ts';
import type { ResolvedAction } from '../actions/appliesTo.ts';
import type { Backup } from '../backup/backup.ts';
import { getObject, getString, type Json, type JsonObject, setIn } from '../json.ts';
import { messageOf } from '../messageOf.ts';
import type { ResourceModifiers } from '../modifiers/resourceModifiers.ts';
import type { PlanEntry } from '../plan/planEntry.ts';
import { restoreLabels } from '../restore/labels.ts';
import type { Restore } from '../restore/restore.ts';
import { itemScope, type Message, type Outcome, type OutcomeReason } from '../results/outcome.ts';
import type { NativeVolumes } from '../volumes/nativeVolume.ts';
import { applyModifiers } from './applyModifiers.ts';
import { isCompleted, isMirrorPod } from './completed.ts';
import { ItemError } from './itemError.ts';
import { freshRun, type ItemRun, type SuspendedItem } from './itemRun.ts';
import { resetMetadata, resetStatus } from './resetMetadata.ts';
import { runActions } from './runActions.ts';
import { shouldRestoreStatus } from './statusDecision.ts';
import { mapClaimNamespace, resetClaim, resetVolumeBinding } from './volumeBinding.ts';

export interface ItemContext {
  readonly restore: Restore;
  readonly backup: Backup;
  readonly actions: readonly ResolvedAction[];
  readonly cluster: ActionCluster;
  /** What actions write beside the item; undefined where they can write nothing. */
  readonly objects?: ActionObjects | undefined;
  /** From `spec.restoreStatus`; undefined where the Restore has none. */
  readonly statusFilter: ((groupResource: string) => boolean) | undefined;
  /** From `spec.resourceModifier`; undefined where the Restore has none. */
  readonly modifiers?: ResourceModifiers | undefined;
  /** Undefined where the worker has no VolumeSnapshotter plugins. */
  readonly nativeVolumes?: NativeVolumes | undefined;
}

/** An item on its way through the steps. */
interface ItemState {
  readonly entry: PlanEntry;
  readonly itemFromBackup: JsonObject;
  readonly item: JsonObject;
}

/** The item is not to be created; how it ends. */
export interface EndedItem {
  readonly end: Pick<Outcome, 'action' | 'reason' | 'tracked' | 'messages'>;
}

/** The item as it is to be created. */
export interface PreparedItem {
  readonly object: JsonObject;
  /** The backup's status where it is to be restored. */
  readonly status: Json | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** Other items come first; then the item goes on from here. */
export interface WaitingItem {
  readonly suspended: SuspendedItem;
}

type StepResult = ItemState | EndedItem | WaitingItem;
type Step = (state: ItemState, context: ItemContext, run: ItemRun) => StepResult | Promise<StepResult>;

/**
 * The item pipeline up to the create, in Velero's order (spec restore-pipeline.md §11). The plan has decided steps 1, 2 and 5
 * (filters, namespace, duplicates).
 */
const steps: readonly Step[] = [
  skipCompleted,
  skipMirrorPod,
  decideVolume,
  resetServerFields,
  runItemActions,
  releaseClaim,
  modify,
  setTargetNamespace,
  setRestoreLabels,
];

/** `pods/shop/web-0` or `persistentvolumes/vol-1`: how Velero names an item in messages. */
export function resourceId(entry: PlanEntry, name: string = entry.name): string {
  return [entry.groupResource, ...(entry.targetNamespace === undefined ? [] : [entry.targetNamespace]), name].join('/');
}

function skipped(reason: OutcomeReason, tracked = true): EndedItem {
  return { end: { action: 'skipped', reason, tracked } };
}

function skipCompleted(state: ItemState): StepResult {
  return isCompleted(state.entry.groupResource, state.itemFromBackup) ? skipped('completed', false) : state;
}

function skipMirrorPod(state: ItemState): StepResult {
  return isMirrorPod(state.entry.groupResource, state.itemFromBackup) ? skipped('mirrorPod') : state;
}

async function decideVolume(state: ItemState, { restore, nativeVolumes }: ItemContext): Promise<StepResult> {
  switch (state.entry.volume) {
    case undefined:
      return state;
    case 'provision':
      return skipped('volumeNotRestored');
    case 'nativeSnapshot':
      if (nativeVolumes !== undefined) return { ...state, item: await nativeVolumes.restore(state.item) };
      throw new ItemError(
        'the volume has a native snapshot, and no VolumeSnapshotter plugin is configured to make a volume from it; restore with restorePVs=false to keep the original volume',
      );
    case 'restore':
      return {
        ...state,
        item: resetVolumeBinding(mapClaimNamespace(state.item, restore.spec.namespaceMapping ?? {})),
      };
  }
}

function resetServerFields(state: ItemState): StepResult {
  return { ...state, item: resetStatus(resetMetadata(state.item)) };
}

async function runItemActions(state: ItemState, context: ItemContext, run: ItemRun): Promise<StepResult> {
  const ended = await runActions(state.item, state.itemFromBackup, state.entry, context, run);
  if ('skipRestore' in ended) return skipped('action');
  return 'suspended' in ended ? ended : { ...state, item: ended.item };
}

async function releaseClaim(state: ItemState, { nativeVolumes }: ItemContext): Promise<StepResult> {
  const { entry } = state;
  if (entry.groupResource !== 'persistentvolumeclaims') return state;
  const item = resetClaim(state.item, { dropVolumeName: entry.dropVolumeName === true });
  const volume = getString(item, ['spec', 'volumeName']) ?? '';
  if (entry.nativeVolume !== true || volume === '') return { ...state, item };
  const newName = await nativeVolumes?.newNameOf(volume);
  return { ...state, item: newName === undefined ? item : setIn(item, ['spec', 'volumeName'], newName) };
}

function modify(state: ItemState, { modifiers }: ItemContext, { messages }: ItemRun): StepResult {
  return { ...state, item: applyModifiers(state.item, state.entry, modifiers, messages) };
}

function setTargetNamespace(state: ItemState): StepResult {
  const namespace = state.entry.targetNamespace;
  return namespace === undefined ? state : { ...state, item: setIn(state.item, ['metadata', 'namespace'], namespace) };
}

function setRestoreLabels(state: ItemState, { restore, backup }: ItemContext): StepResult {
  const labels = { ...getObject(state.item, ['metadata', 'labels']), ...restoreLabels(backup.name, restore.name) };
  return { ...state, item: setIn(state.item, ['metadata', 'labels'], labels) };
}

function failed(entry: PlanEntry, error: unknown): EndedItem {
  const cause = messageOf(error);
  const message: Message = {
    level: 'error',
    scope: itemScope(entry.targetNamespace),
    text: `error preparing ${resourceId(entry)}: ${cause}`,
  };
  return { end: { action: 'failed', reason: 'unreadable', tracked: true, messages: [message] } };
}

/** Faults of the infrastructure that an action met while it asked the cluster: not the item's, so they are passed on. */
interface InfrastructureFault {
  readonly infrastructure: true;
}

function isInfrastructureFault(error: unknown): error is Error & InfrastructureFault {
  return error instanceof Error && 'infrastructure' in error && error.infrastructure === true;
}

/** What the wait for additional items added to the item's messages; it is restored all the same (§15). */
function tellWait(entry: PlanEntry, { resumed, messages }: ItemRun): void {
  const { waited } = resumed ?? {};
  if (waited === undefined || waited.end === 'ready') return;
  const text =
    waited.end === 'timedOut'
      ? `additional items for ${resourceId(entry)} are not ready to use${waited.unanswered === undefined ? '' : `; last check: ${waited.unanswered}`}`
      : `error verifying additional items are ready to use: ${waited.message}`;
  messages.push({ level: 'error', scope: itemScope(entry.targetNamespace), text });
}

/**
 * Takes an item of the backup to the object that is to be created, to its end, or to where it has to wait for others. Every
 * fault of the item ends it with an error under its target namespace; only {@link InfrastructureFault}s throw.
 */
export async function prepareItem(
  entry: PlanEntry,
  itemFromBackup: JsonObject,
  context: ItemContext,
  run: ItemRun = freshRun(),
): Promise<PreparedItem | EndedItem | WaitingItem> {
  const { resumed } = run;
  let state: ItemState = { entry, itemFromBackup, item: resumed?.item ?? itemFromBackup };
  tellWait(entry, run);
  try {
    for (const step of resumed === undefined ? steps : steps.slice(steps.indexOf(runItemActions))) {
      const result = await step(state, context, run);
      if ('end' in result || 'suspended' in result) return result;
      state = result;
    }
  } catch (error) {
    if (isInfrastructureFault(error)) throw error;
    return failed(entry, error);
  }
  const restoresStatus = shouldRestoreStatus(state.item, entry.groupResource, context.statusFilter);
  return {
    object: state.item,
    status: restoresStatus ? itemFromBackup['status'] : undefined,
    labels: restoreLabels(context.backup.name, context.restore.name),
  };
}
