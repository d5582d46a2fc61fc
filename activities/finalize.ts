import type { Activities, FinalizeInput, FinalizeResult, RestoreRecord } from '../domain/contract.ts';
import { countHooks, type EndedHook, hookMessage } from '../domain/hooks/hookOutcome.ts';
import type { SummarizedHook } from '../domain/hooks/hookSummary.ts';
import { KubernetesUnreachable } from '../domain/kubernetes/api.ts';
import { isBesidePlan } from '../domain/plan/additionalEntry.ts';
import type { PlanEntry } from '../domain/plan/planEntry.ts';
import type { RestorePhase, RestoreStatus } from '../domain/restore/restore.ts';
import { countMessages, countOutcomes } from '../domain/results/counters.ts';
import {
  countOperations,
  operationMessages,
  operationsOf,
  type RestoreOperation,
  renderOperations,
} from '../domain/results/itemOperations.ts';
import type { Message, Outcome } from '../domain/results/outcome.ts';
import { ResourceList } from '../domain/results/resourceList.ts';
import { renderRestoreLog } from '../domain/results/restoreLog.ts';
import { countResult, ResultsBuilder, renderResultsFile } from '../domain/results/results.ts';
import { runActivity } from './activity.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { collectHooks, readHookLog } from './hooks/collectHooks.ts';
import { writeRestoreFile } from './restoreFile.ts';
import { endOwner } from './restoreOwner.ts';
import type { Sessions } from './session.ts';
import { cancelVolumes } from './volumes/cancelVolumes.ts';
import { isCreatedClaim } from './volumes/createdClaims.ts';
import { gatherVolumeInfo } from './volumes/gatherVolumeInfo.ts';
import { removeUploadResults } from './volumes/removeUploadResults.ts';
import type { WorkStore } from './workStore.ts';

/** A plan entry with what became of it. */
interface Ended {
  readonly entry: PlanEntry;
  readonly outcome: Outcome;
}

/**
 * Ends a restore: reads every recorded outcome, writes Velero's result files (spec restore-pipeline.md §25) and decides the phase (§4).
 * Writing twice gives the same files.
 */
export function finalize(dependencies: ActivityDependencies, sessions: Sessions): Activities['finalize'] {
  return (input) =>
    runActivity(async () => {
      const work = await sessions.workStore(input.ref);
      const record = await work.readRecord();
      const store = await dependencies.openStore(input.ref.storageLocation);
      const summary = await work.readPlanSummary();
      const ended = await readEnded(work, input.totalItems);
      const completionTimestamp = new Date().toISOString();

      const results = new ResultsBuilder();
      const settled = await work.readSettledVolumes();
      const messages: Message[] = [...(summary?.messages ?? []), ...(settled?.messages ?? []), ...endMessages(input)];
      for (const { outcome } of ended) messages.push(...(await wholeMessages(work, outcome)));
      const outcomes = ended.map(({ outcome }) => outcome);
      const hooks = await collectHooks(work.hooks, outcomes, input.hooksLeftOut);
      messages.push(...hooks.flatMap((hook) => hookMessage(hook) ?? []));
      const operations =
        (await work.readOperations()) ??
        ended.flatMap(({ entry, outcome }) => operationsOf(record.restore, entry, outcome));
      messages.push(...operationMessages(operations));
      for (const message of messages) results.add(message);
      const { warnings, errors } = results.build();

      const { name } = record.restore;
      const log = { restore: record.restore, startTimestamp: input.startTimestamp, completionTimestamp };
      const hookSummary: SummarizedHook[] = [];
      await writeRestoreFile(
        store,
        name,
        'logs',
        renderRestoreLog({ ...log, items: ended, hooks: readHookLog(work.hooks, hooks, hookSummary), messages }),
      );
      if (hookSummary.length > 0) await work.hooks.writeSummary(hookSummary);
      await writeRestoreFile(store, name, 'results', [renderResultsFile(warnings, errors)]);
      await writeRestoreFile(store, name, 'resourceList', [resourceList(ended)]);
      await writeRestoreFile(store, name, 'itemOperations', [renderOperations(operations)]);
      const claims = ended.flatMap(({ entry, outcome }) =>
        isCreatedClaim(entry, outcome) && !isBesidePlan(entry.index) ? [entry] : [],
      );
      const hasVolumeWork = summary?.volumeWork === true;
      const volumeInfo = await gatherVolumeInfo(dependencies.kubernetes, record, store, claims, hasVolumeWork);
      await writeRestoreFile(store, name, 'volumeInfo', [volumeInfo]);

      // Whole messages of items and those beyond them, instead of what outcomes hold of them.
      const counters = { ...countOutcomes(outcomes), ...countMessages(messages) };
      const status: RestoreStatus = {
        phase: phaseOf(input, countResult(errors)),
        ...positive('warnings', countResult(warnings)),
        ...positive('errors', countResult(errors)),
        ...(input.failureReason === undefined ? {} : { failureReason: input.failureReason }),
        ...(input.cancelled ? { failureReason: 'cancelled' } : {}),
        startTimestamp: input.startTimestamp,
        completionTimestamp,
        progress: progressOf(input, ended),
        ...hookStatusOf(hooks),
        ...operationStatusOf(operations),
      };
      await work.writeStatus(status);
      await tidyUp(dependencies, record, status, input.cancelled);
      return { status, counters } satisfies FinalizeResult;
    });
}

function operationStatusOf(operations: readonly RestoreOperation[]): Partial<RestoreStatus> {
  const { attempted, completed, failed } = countOperations(operations);
  return {
    ...positive('restoreItemOperationsAttempted', attempted),
    ...positive('restoreItemOperationsCompleted', completed),
    ...positive('restoreItemOperationsFailed', failed),
  };
}

/** What is left in the cluster; a cluster that does not answer must not keep a restore from ending. */
async function tidyUp(
  { kubernetes }: ActivityDependencies,
  record: RestoreRecord,
  status: RestoreStatus,
  cancelled: boolean,
): Promise<void> {
  try {
    if (cancelled) await cancelVolumes(kubernetes, record);
    await removeUploadResults(kubernetes, record);
    await endOwner(kubernetes, record, status);
  } catch (error) {
    if (!(error instanceof KubernetesUnreachable)) throw error;
  }
}

/** Plan entries in order, then those beside the plan; those without an outcome (a cancelled restore) are left out. */
async function readEnded(work: WorkStore, totalItems: number): Promise<Ended[]> {
  const outcomes = await work.readAllOutcomes();
  const ended: Ended[] = [];
  for await (const entries of work.readPlan(totalItems)) {
    for (const entry of entries) {
      const outcome = outcomes.get(entry.index);
      if (outcome !== undefined) ended.push({ entry, outcome });
    }
  }
  for (const entry of await work.readAdditionalEntries()) {
    const outcome = outcomes.get(entry.index);
    if (outcome !== undefined) ended.push({ entry, outcome });
  }
  return ended;
}

function endMessages({ cancelled, failureReason }: FinalizeInput): Message[] {
  if (cancelled) return [{ level: 'error', scope: 'velero', text: 'the restore was cancelled' }];
  if (failureReason !== undefined) return [{ level: 'error', scope: 'velero', text: failureReason }];
  return [];
}

/** Messages with their whole text, where an outcome holds only its beginning. */
async function wholeMessages(work: WorkStore, outcome: Outcome): Promise<Message[]> {
  const whole: Message[] = [];
  for (const message of outcome.messages ?? []) {
    const text = message.ref === undefined ? undefined : await work.readText(message.ref);
    whole.push({ level: message.level, scope: message.scope, text: text ?? message.text });
  }
  return whole;
}

function resourceList(ended: readonly Ended[]): string {
  const list = new ResourceList();
  for (const { entry, outcome } of ended) list.add(entry, outcome);
  return list.render();
}

function phaseOf({ cancelled, failureReason }: FinalizeInput, errors: number): RestorePhase {
  if (cancelled || failureReason !== undefined) return 'Failed';
  return errors > 0 ? 'PartiallyFailed' : 'Completed';
}

/** Velero counts what it tracks; of a restore that did not reach all, the rest is told too. */
function progressOf(
  { cancelled, failureReason, totalItems }: FinalizeInput,
  ended: readonly Ended[],
): RestoreStatus['progress'] {
  const itemsRestored = ended.filter(({ outcome }) => outcome.tracked).length;
  const reachedAll = !cancelled && failureReason === undefined;
  return { totalItems: reachedAll ? itemsRestored : totalItems, itemsRestored };
}

function hookStatusOf(hooks: readonly EndedHook[]): Pick<RestoreStatus, 'hookStatus'> {
  if (hooks.length === 0) return {};
  const { attempted, failed } = countHooks(hooks);
  return { hookStatus: { ...positive('hooksAttempted', attempted), ...positive('hooksFailed', failed) } };
}

/** Velero leaves zero counters out. */
function positive<K extends string>(key: K, value: number): Partial<Record<K, number>> {
  return value > 0 ? ({ [key]: value } as Partial<Record<K, number>>) : {};
}
