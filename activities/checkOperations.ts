import type { RestoreItemAction, RestoreItemActionContext } from '../domain/actions/action.ts';
import { builtInActions } from '../domain/actions/registry.ts';
import type { Activities, CheckOperationsResult } from '../domain/contract.ts';
import { parseGoDuration } from '../domain/go/duration.ts';
import { KubernetesUnreachable } from '../domain/kubernetes/api.ts';
import { messageOf } from '../domain/messageOf.ts';
import {
  countOperations,
  isPending,
  operationsOf,
  type RestoreOperation,
  renderOperations,
  withFailure,
  withProgress,
  withTimeout,
} from '../domain/results/itemOperations.ts';
import { runActivity } from './activity.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { InfrastructureFault } from './infrastructureFault.ts';
import { inParallel } from './inParallel.ts';
import { writeRestoreFile } from './restoreFile.ts';
import type { Sessions } from './session.ts';
import type { WorkStore } from './workStore.ts';

/** Operations that are asked about at the same time. */
const PARALLEL = 8;
const DEFAULT_TIMEOUT_MS = 4 * 3_600_000;

/**
 * Asks once how far the operations are that actions have started, and keeps what they say, also in Velero's file of item operations, so
 * that it is to be seen while it goes on (spec restore-pipeline.md §26).
 */
export function checkOperations(dependencies: ActivityDependencies, sessions: Sessions): Activities['checkOperations'] {
  return ({ ref }) =>
    runActivity(async (): Promise<CheckOperationsResult> => {
      const work = await sessions.workStore(ref);
      const { restore, options } = await work.readRecord();
      const before = await readOperations(work);
      const context = await sessions.actionContext(ref);
      const actions = [...builtInActions(options.features), ...(await sessions.externalActions())];
      const timeout = restore.spec.itemOperationTimeout;
      const timeoutMs = timeout === undefined ? DEFAULT_TIMEOUT_MS : parseGoDuration(timeout);

      const after = await inParallel(before, (one) => check(one, actions, context, timeoutMs), PARALLEL);
      if (JSON.stringify(after) !== JSON.stringify(before)) await work.writeOperations(after);
      const store = await dependencies.openStore(ref.storageLocation);
      await writeRestoreFile(store, restore.name, 'itemOperations', [renderOperations(after)]);
      return { ...countOperations(after), pending: after.filter(isPending).length };
    });
}

/** As they were at the last check; before the first, as the items' outcomes tell. */
async function readOperations(work: WorkStore): Promise<readonly RestoreOperation[]> {
  const known = await work.readOperations();
  if (known !== undefined) return known;
  const { restore } = await work.readRecord();
  const operations: RestoreOperation[] = [];
  const outcomes = [...(await work.readAllOutcomes()).values()].sort((a, b) => a.index - b.index);
  for (const outcome of outcomes) {
    if (outcome.operations === undefined) continue;
    operations.push(...operationsOf(restore, await work.readPlanEntry(outcome.index), outcome));
  }
  return operations;
}

async function check(
  operation: RestoreOperation,
  actions: readonly RestoreItemAction[],
  context: RestoreItemActionContext,
  timeoutMs: number,
): Promise<RestoreOperation> {
  if (!isPending(operation)) return operation;
  const { restoreItemAction, operationID } = operation.spec;
  const action = actions.find(({ name }) => name === restoreItemAction);
  if (action === undefined)
    return withFailure(operation, `unable to get RestoreItemAction ${restoreItemAction}: it is not at this worker`);
  if (action.progress === undefined) return withFailure(operation, 'Plugin does not support asynchronous operations');
  let checked: RestoreOperation;
  try {
    checked = withProgress(operation, await action.progress(operationID, context));
  } catch (error) {
    // Asked again at the next check; the operation goes on meanwhile.
    if (error instanceof InfrastructureFault || error instanceof KubernetesUnreachable) return operation;
    return withFailure(operation, messageOf(error));
  }
  const isOver = Date.parse(operation.status.created) + timeoutMs < Date.now();
  if (!isPending(checked) || !isOver) return checked;
  await cancel(action, operationID, context);
  return withTimeout(checked);
}

/** That it cannot be cancelled changes nothing: it has failed (§26 step 3). */
async function cancel(
  action: RestoreItemAction,
  operationId: string,
  context: RestoreItemActionContext,
): Promise<void> {
  try {
    await action.cancel?.(operationId, context);
  } catch {
    // Velero ignores it too.
  }
}
