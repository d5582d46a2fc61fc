import { hookLogLines } from '../../domain/hooks/hookLog.ts';
import { type EndedHook, type HookOutcome, settleHooks } from '../../domain/hooks/hookOutcome.ts';
import { type SummarizedHook, summarizeHook } from '../../domain/hooks/hookSummary.ts';
import type { LogLine } from '../../domain/results/logrus.ts';
import type { Outcome } from '../../domain/results/outcome.ts';
import { inParallel } from '../inParallel.ts';
import type { HookStore } from './hookStore.ts';

/** Why hooks of pods that the restore itself never came to have not run. */
const NOT_REACHED = 'the restore ended before its turn';

/**
 * Every hook of the restore with how it ended, in the order of their pods in the plan. Hooks without an outcome get the one that they
 * have by that: cancelled before their turn, or lost.
 * @param reason why hooks were left out.
 */
export async function collectHooks(
  hooks: HookStore,
  outcomes: Iterable<Outcome>,
  reason: string = NOT_REACHED,
): Promise<EndedHook[]> {
  const indexes = [...outcomes].flatMap(({ hookPod }) => hookPod?.index ?? []);
  return (await inParallel(indexes, (index) => collectPod(hooks, index, reason))).flat();
}

async function collectPod(hooks: HookStore, index: number, reason: string): Promise<EndedHook[]> {
  const pod = await hooks.readPod(index);
  const outcomes = new Map<number, HookOutcome>();
  const started = new Set<number>();
  for (const { number } of pod.hooks) {
    const outcome = await hooks.readOutcome(index, number);
    if (outcome !== undefined) outcomes.set(number, outcome);
    else if (await hooks.isStarted(index, number)) started.add(number);
  }
  const settled = settleHooks(pod, { outcomes, started }, reason, new Date().toISOString());
  return pod.hooks.flatMap((hook, position) => {
    const outcome = settled[position];
    return outcome === undefined ? [] : { index, pod, hook, outcome };
  });
}

/** Outputs of up to 128 KiB each, read at a time as the log is written. */
const PARALLEL_OUTPUTS = 16;

/**
 * What the restore's log says of its hooks.
 * @param summary gets a short form of each, for those who describe the restore.
 */
export async function* readHookLog(
  hooks: HookStore,
  ended: readonly EndedHook[],
  summary: SummarizedHook[],
): AsyncGenerator<LogLine> {
  for (let start = 0; start < ended.length; start += PARALLEL_OUTPUTS) {
    const some = ended.slice(start, start + PARALLEL_OUTPUTS);
    const outputs = await Promise.all(some.map(({ index, outcome }) => hooks.readOutput(index, outcome)));
    for (const [position, hook] of some.entries()) {
      const output = outputs[position] ?? { stdout: '', stderr: '' };
      summary.push(summarizeHook(hook, output));
      yield* hookLogLines(hook, output);
    }
  }
}
