import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  defineQuery,
  isCancellation,
  rootCause,
  setHandler,
} from '@temporalio/workflow';
import {
  errorTypes,
  type FinalizeResult,
  queryNames,
  type RestoreInput,
  type RestoreOptions,
  type RestoreProgress,
  type RestoreRef,
  type RestoreResult,
} from '../domain/contract.ts';
import type { RestorePhase } from '../domain/restore/restore.ts';
import { checking, planning, recording, settling } from './activities.ts';
import { HookScope } from './hookScope.ts';
import { settleOperations } from './itemOperations.ts';
import { RestorePace } from './restorePace.ts';
import { RestoreState } from './restoreState.ts';
import { WaveRunner } from './waveRunner.ts';

export const progressQuery = defineQuery<RestoreProgress>(queryNames.progress);

/**
 * Restores a Velero backup.
 *
 *   1. validate: everything that is wrong is an error before anything is changed
 *   2. plan: choose, order and complete the items; the plan lies in the work store
 *   3. wave after wave, in Velero's order: definitions and namespaces first
 *      beside them: the hooks of each pod that was created
 *   4. the operations that actions have started, until all have ended
 *   5. finalize, also when cancelled: result files and final phase
 *
 * Items' faults are outcomes. What makes the restore itself impossible ends it as Failed, with its files written.
 */
export async function restore(input: RestoreInput): Promise<RestoreResult> {
  const state = new RestoreState(input.useSearchAttributes);
  setHandler(progressQuery, () => state.progress());
  state.show();

  const options: RestoreOptions =
    input.options.order === 'strict' ? { ...input.options, shards: 1, window: 1 } : input.options;
  let isEnding = false;
  const pace = new RestorePace(
    options,
    (changed) => {
      state.pace = changed;
      state.show();
    },
    () => (isEnding ? `restore ${input.restore.name} is ending: nothing more is started` : undefined),
  );

  const ref = { name: input.restore.name, uid: input.restore.uid, storageLocation: input.storageLocation };
  const hooks: HookScope = new HookScope(ref, () => {
    state.hooks = hooks.progress;
    state.show();
  });
  const checked = await validate(input, state);
  const startTimestamp = new Date().toISOString();
  state.startTimestamp = startTimestamp;
  state.enter('InProgress', 'planning');

  let failureReason: string | undefined;
  let totalItems = 0;
  let volumeWork = false;
  try {
    const summary = `choose, order and complete the items of backup ${checked.backupName}`;
    const plan = await planning.plan.executeWithOptions({ summary }, [{ ref }]);
    totalItems = plan.totalItems;
    volumeWork = plan.volumeWork === true;
    state.planned(plan.waves, plan.totalItems, plan);
    state.enter('InProgress', 'restoring');
    await new WaveRunner({ ref, options, plan, state, hooks, pace }).run();
    isEnding = true;
    await settleOperations(ref, state);
    if (hooks.progress !== undefined) state.enter('InProgress', 'running hooks');
  } catch (error) {
    if (!isCancellation(error)) failureReason = reasonOf(error);
    hooks.cancel();
  }
  isEnding = true;
  const settles = volumeWork && failureReason === undefined;
  const [volumesReason] = await Promise.all([settles ? settleVolumes(ref, state) : undefined, hooks.ended()]);
  failureReason ??= volumesReason;
  const cancelled = CancellationScope.current().consideredCancelled;
  if (cancelled) failureReason = undefined;

  const { status, counters } = await CancellationScope.nonCancellable(() =>
    finalize(ref, state, {
      totalItems,
      startTimestamp,
      cancelled,
      failureReason,
      hooksLeftOut: hooksLeftOut(hooks, cancelled),
    }),
  );
  await condition(allHandlersFinished);
  if (cancelled) throw new CancelledFailure(`restore ${ref.name} was cancelled`);
  if (failureReason !== undefined)
    throw ApplicationFailure.nonRetryable(failureReason, errorTypes.RestoreFailed, { status });
  return { restore: input.restore, storageLocation: input.storageLocation, status, counters };
}

/**
 * What goes on with volumes after their items are restored, each wait with its limit; a cancelled restore does not wait.
 * @returns why it could not be waited for, if so.
 */
async function settleVolumes(ref: RestoreRef, state: RestoreState): Promise<string | undefined> {
  const summary = `volumes of restore ${ref.name}`;
  try {
    for (let pending = 1; pending > 0; ) {
      const settled = await settling.settleVolumes.executeWithOptions({ summary }, [{ ref }]);
      pending = settled.pending;
      if (settled.awaited !== undefined) state.enter('InProgress', `waiting for ${settled.awaited}`);
    }
    return undefined;
  } catch (error) {
    return isCancellation(error) ? undefined : reasonOf(error);
  }
}

/** @throws ApplicationFailure FailedValidation; its details hold every reason. */
async function validate(
  { restore: requested, storageLocation, options }: RestoreInput,
  state: RestoreState,
): Promise<{ readonly backupName: string }> {
  const failed = (validationErrors: readonly string[]): ApplicationFailure => {
    state.enter('FailedValidation', validationErrors.join('; '));
    return ApplicationFailure.nonRetryable(validationErrors.join('\n'), errorTypes.FailedValidation, {
      validationErrors,
    });
  };
  try {
    const summary = `restore ${requested.name}`;
    const checked = await checking.validate.executeWithOptions({ summary }, [
      { restore: requested, storageLocation, options },
    ]);
    if (!checked.valid) throw failed(checked.validationErrors);
    return checked;
  } catch (error) {
    if (isCancellation(error) || error instanceof ApplicationFailure) throw error;
    throw failed([reasonOf(error)]);
  }
}

async function finalize(
  ref: RestoreRef,
  state: RestoreState,
  end: {
    readonly totalItems: number;
    readonly startTimestamp: string;
    readonly cancelled: boolean;
    readonly failureReason: string | undefined;
    readonly hooksLeftOut: string | undefined;
  },
): Promise<FinalizeResult> {
  const hasErrors = state.progress().counters.errors > 0 || end.hooksLeftOut !== undefined;
  const finalizing: RestorePhase = hasErrors ? 'FinalizingPartiallyFailed' : 'Finalizing';
  state.enter(finalizing, 'writing result files');
  const summary = `result files of restore ${ref.name}`;
  const result = await recording.finalize.executeWithOptions({ summary }, [{ ref, ...end }]);
  state.enter(result.status.phase, end.cancelled ? 'cancelled' : 'ended');
  return result;
}

/** Why hooks did not run that could have. */
function hooksLeftOut(hooks: HookScope, cancelled: boolean): string | undefined {
  if (hooks.progress === undefined) return undefined;
  if (hooks.failure !== undefined) return `another hook failed that has onError Fail: ${hooks.failure}`;
  return cancelled ? 'the restore was cancelled' : undefined;
}

function reasonOf(error: unknown): string {
  return rootCause(error) ?? String(error);
}
