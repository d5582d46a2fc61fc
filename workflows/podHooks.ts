import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  rootCause,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  HOOK_FAILED,
  type HookActivities,
  type HookCounts,
  type HookTask,
  hookTaskQueue,
  hookWaitTaskQueue,
  type PodHooksInput,
} from '../domain/hooks/hookContract.ts';
import { cancelsAll, type HookOutcome, hasFailed } from '../domain/hooks/hookOutcome.ts';

const PATIENT_RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '15s' } as const;

/** What a command's activity needs beside the command: to be connected, and to write down what came out. */
const BESIDE_COMMAND_MS = 600_000;

/** Between two tries of a command that was not started. */
const TRY_AGAIN_MS = 5_000;

function activities() {
  const { taskQueue } = workflowInfo();
  const waits = hookWaitTaskQueue(taskQueue);
  return {
    waiting: proxyActivities<Pick<HookActivities, 'waitForHookContainer'>>({
      taskQueue: waits,
      // The restore's own limit ends a wait; a pod may be waited for without any.
      startToCloseTimeout: '365d',
      heartbeatTimeout: '30s',
      retry: PATIENT_RETRY,
      // A wait does nothing that has to be seen to its end.
      cancellationType: ActivityCancellationType.TRY_CANCEL,
    }),
    settling: proxyActivities<Pick<HookActivities, 'settleHook'>>({
      taskQueue: waits,
      startToCloseTimeout: '2m',
      heartbeatTimeout: '30s',
      retry: PATIENT_RETRY,
    }),
    running: proxyActivities<Pick<HookActivities, 'runHook'>>({
      taskQueue: hookTaskQueue(taskQueue),
      startToCloseTimeout: BESIDE_COMMAND_MS,
      // Longer than a Temporal server takes to restart: a lost command cannot be run again, so nobody is in a hurry.
      heartbeatTimeout: '30s',
      // A command runs once.
      retry: { maximumAttempts: 1 },
      // What a cancelled command leaves behind has to be told.
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    }),
  };
}

/**
 * Runs the hooks of one restored pod (spec hooks.md §8): waits for a container, runs its hooks in order, waits for the next. How each
 * hook ended is in the work store.
 * @throws ApplicationFailure HookFailed for the first error of a hook in Fail mode; that ends all hooks of the restore.
 */
export async function podHooks({ ref, pod }: PodHooksInput): Promise<HookCounts> {
  const { waiting, settling, running } = activities();
  const { index } = pod;
  const ended: string[] = [];
  let counts: HookCounts = { done: 0, failed: 0 };

  const count = (done: number, failed: number): void => {
    counts = { done: counts.done + done, failed: counts.failed + failed };
  };
  const progress = (): string => `hooks ${pod.pod}: ${counts.done} of ${pod.hooks} done`;
  const show = (doing: string): string => {
    const text = `${progress()}${counts.failed > 0 ? `, ${counts.failed} failed` : ''}${doing}`;
    setCurrentDetails(text);
    return text.slice(0, 200);
  };
  const run = async (container: string, task: HookTask): Promise<HookOutcome> => {
    for (;;) {
      const summary = show(`, running ${task.name} in ${container}`);
      try {
        const startToCloseTimeout = task.execTimeoutMs + BESIDE_COMMAND_MS;
        const options = { summary, startToCloseTimeout };
        return await running.runHook.executeWithOptions(options, [{ ref, index, hook: task.number }]);
      } catch (error) {
        if (isCancellation(error)) throw error;
        const reason = `the worker was lost or could not go on: ${rootCause(error) ?? String(error)}`;
        const settled = await CancellationScope.nonCancellable(() =>
          settling.settleHook.executeWithOptions({ summary: `what became of ${task.name}` }, [
            { ref, index, hook: task.number, reason },
          ]),
        );
        if ('outcome' in settled) return settled.outcome;
        await sleep(TRY_AGAIN_MS, { summary: 'the command has not been started yet' });
      }
    }
  };
  const fail = (message: string): ApplicationFailure => {
    show('');
    return ApplicationFailure.nonRetryable(message, HOOK_FAILED, counts);
  };

  while (counts.done < pod.hooks) {
    const wait = await waiting.waitForHookContainer.executeWithOptions({ summary: show('') }, [{ ref, index, ended }]);
    count(wait.missed, wait.missed);
    ended.push(...wait.ended);
    if (wait.failure !== undefined) throw fail(wait.failure);
    if (wait.up === undefined) continue;
    for (const task of wait.up.hooks) {
      const outcome = await run(wait.up.container, task);
      count(1, hasFailed(outcome) ? 1 : 0);
      if (cancelsAll(task, outcome)) throw fail(outcome.message ?? `hook ${task.name} ${outcome.status}`);
    }
    ended.push(wait.up.container);
  }
  show('');
  return counts;
}
