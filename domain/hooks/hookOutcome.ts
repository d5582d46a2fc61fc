import type { Message } from '../results/outcome.ts';
import { type NumberedHook, type PodHooks, podPath } from './hook.ts';

/**
 *   succeeded    the command ended with exit code 0, or the pod had finished before it (spec hooks.md §9 step 5)
 *   failed       it ended otherwise, or could not be started
 *   cancelled    it was running when its restore's hooks were cancelled; the process may still run
 *   notExecuted  it was not started
 *   unknown      it was started, and nobody saw its end
 */
export type HookStatus = 'succeeded' | 'failed' | 'cancelled' | 'notExecuted' | 'unknown';

/** How a hook ended; small, because it travels through workflow history. */
export interface HookOutcome {
  /** Place among the pod's hooks. */
  readonly number: number;
  readonly status: HookStatus;
  /** What a person reads, in Velero's words where it has any; missing where it succeeded. */
  readonly message?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly durationMs?: number | undefined;
  /** Bytes that the command wrote; at most 64 KiB of each are kept. */
  readonly stdoutBytes?: number | undefined;
  readonly stderrBytes?: number | undefined;
  /** RFC 3339. */
  readonly at: string;
}

/** A hook with its pod and how it ended. */
export interface EndedHook {
  /** Plan index of the pod. */
  readonly index: number;
  readonly pod: PodHooks;
  readonly hook: NumberedHook;
  readonly outcome: HookOutcome;
}

/** Messages are shown in tables and travel through history. */
const MAX_MESSAGE = 1_024;

/** Velero's text for a command that failed. */
export function failedText(hook: NumberedHook, cause: string): string {
  return shortened(`hook ${hook.name} in container ${hook.container} failed to execute, err: ${cause}`);
}

/** Velero's text for a hook whose turn came too late. */
export function expiredText(hook: NumberedHook): string {
  return `hook ${hook.name} in container ${hook.container} expired before executing`;
}

/** Velero's text for a hook that was not run. */
export function notExecutedText(pod: PodHooks, hook: NumberedHook, reason: string): string {
  return shortened(`hook ${hook.name} in container ${hook.container} in pod ${podPath(pod)} not executed: ${reason}`);
}

export function unknownText(hook: NumberedHook, reason: string): string {
  return failedText(hook, `outcome unknown: ${reason}`);
}

function shortened(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}…`;
}

export function hasFailed({ status }: Pick<HookOutcome, 'status'>): boolean {
  return status !== 'succeeded';
}

/** An outcome that ends all hooks of the restore (spec hooks.md §8). */
export function cancelsAll(hook: Pick<NumberedHook, 'onError'>, outcome: HookOutcome): boolean {
  return hook.onError === 'Fail' && hasFailed(outcome);
}

/**
 * How each hook of a pod ended, from what is on record. Without an outcome a hook that was started ended unknown, and any other was not
 * executed: its restore's hooks were cancelled before its turn.
 * @param reason why hooks were left out.
 */
export function settleHooks(
  pod: PodHooks,
  recorded: { readonly outcomes: ReadonlyMap<number, HookOutcome>; readonly started: ReadonlySet<number> },
  reason: string,
  at: string,
): HookOutcome[] {
  return pod.hooks.map((hook) => {
    const { number } = hook;
    const outcome = recorded.outcomes.get(number);
    if (outcome !== undefined) return outcome;
    if (recorded.started.has(number)) {
      return { number, status: 'unknown', message: unknownText(hook, 'nobody saw the end of the command'), at };
    }
    return { number, status: 'notExecuted', message: notExecutedText(pod, hook, reason), at };
  });
}

/** Velero's `status.hookStatus`: hooks that were never executed count as attempted and failed (spec hooks.md §10). */
export function countHooks(hooks: Iterable<Pick<EndedHook, 'outcome'>>): { attempted: number; failed: number } {
  let attempted = 0;
  let failed = 0;
  for (const { outcome } of hooks) {
    attempted += 1;
    if (hasFailed(outcome)) failed += 1;
  }
  return { attempted, failed };
}

/** Errors of Fail hooks and warnings of Continue hooks, under the pod's namespace (spec hooks.md §8). */
export function hookMessage({ pod, hook, outcome }: EndedHook): Message | undefined {
  if (!hasFailed(outcome)) return undefined;
  return {
    level: hook.onError === 'Fail' ? 'error' : 'warning',
    scope: { namespace: pod.namespace },
    text: outcome.message ?? failedText(hook, outcome.status),
  };
}
