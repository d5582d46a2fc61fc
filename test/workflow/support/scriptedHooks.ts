import { activityInfo, Context } from '@temporalio/activity';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { taskQueueFor } from '../../../domain/contract.ts';
import type { OnError } from '../../../domain/hooks/hook.ts';
import type { HookActivities, HookPod, HookWait, RunHookInput } from '../../../domain/hooks/hookContract.ts';
import { hookTaskQueue, hookWaitTaskQueue } from '../../../domain/hooks/hookContract.ts';
import type { HookOutcome, HookStatus } from '../../../domain/hooks/hookOutcome.ts';
import type { Outcome } from '../../../domain/results/outcome.ts';
import { created } from './scriptedActivities.ts';

export interface ScriptedHook {
  readonly onError?: OnError;
  /** Default: succeeds at once. A command that throws is an activity that fails. */
  readonly run?: () => Promise<HookStatus>;
}

export interface ScriptedContainer {
  readonly name?: string;
  readonly hooks: readonly ScriptedHook[];
  /** Resolves when the container is up; default: at once. */
  readonly up?: () => Promise<unknown>;
  /** The container never comes up; its hooks are missed when `up` resolves. */
  readonly missed?: boolean;
}

type ScriptedPod = readonly ScriptedContainer[];

/** Hooks in memory: what pods do is scripted, everything that happens is kept in order. */
export class ScriptedHooks {
  /** `pod 3 main up`, `pod 3 hook 0`, `pod 3 hook 0 succeeded`, … */
  readonly events: string[] = [];
  readonly outcomes = new Map<string, HookOutcome>();
  readonly started = new Set<string>();
  /** Runs of the workflows that called: run id → workflow id. */
  readonly runs = new Map<string, string>();
  waits = 0;
  private readonly pods: ReadonlyMap<number, ScriptedPod>;

  constructor(pods: Record<number, ScriptedPod>) {
    this.pods = new Map(Object.entries(pods).map(([index, pod]) => [Number(index), pod]));
  }

  /** The outcome of a created pod, as the items' activities give it. */
  outcome(index: number): Outcome {
    const hookPod = this.hookPod(index);
    return { ...created(index), ...(hookPod === undefined ? {} : { hookPod }) };
  }

  hookPod(index: number): HookPod | undefined {
    const hooks = this.pods.get(index)?.reduce((count, one) => count + one.hooks.length, 0);
    return hooks === undefined ? undefined : { index, pod: `shop/pod-${String(index)}`, hooks };
  }

  /** Runs `body` with workers for both queues of hooks. */
  async withWorkers<T>(connection: NativeConnection, cluster: string, body: () => Promise<T>): Promise<T> {
    const queue = taskQueueFor(cluster);
    const { activities } = this;
    const options = {
      connection,
      maxHeartbeatThrottleInterval: '100ms',
      maxConcurrentActivityTaskExecutions: 5_000,
    } as const;
    const commands = await Worker.create({
      ...options,
      taskQueue: hookTaskQueue(queue),
      activities: { runHook: (input: RunHookInput) => activities.runHook(input) },
    });
    const waiting = await Worker.create({
      ...options,
      taskQueue: hookWaitTaskQueue(queue),
      activities: { ...activities },
    });
    return commands.runUntil(() => waiting.runUntil(body));
  }

  private get activities(): HookActivities {
    return {
      waitForHookContainer: ({ index, ended }) => {
        const { runId = '', workflowId = '' } = activityInfo().workflowExecution ?? {};
        this.runs.set(runId, workflowId);
        return beating(() => this.wait(index, ended));
      },
      runHook: ({ index, hook }) => beating(() => this.run(index, hook)),
      settleHook: ({ index, hook }) => {
        const key = `${String(index)}/${String(hook)}`;
        const known = this.outcomes.get(key);
        this.events.push(`pod ${String(index)} hook ${String(hook)} settled`);
        if (known !== undefined) return Promise.resolve({ outcome: known });
        if (!this.started.has(key)) return Promise.resolve({ notStarted: true as const });
        return Promise.resolve({ outcome: outcomeOf(hook, 'unknown') });
      },
    };
  }

  private async wait(index: number, ended: readonly string[]): Promise<HookWait> {
    this.waits += 1;
    const containers = this.containers(index);
    const next = containers.find(({ name }) => !ended.includes(name));
    if (next === undefined) return { ended: [], missed: 0 };
    await Promise.race([next.up?.() ?? Promise.resolve(), Context.current().cancelled]);
    const failing = next.hooks.find(({ onError }) => onError === 'Fail');
    if (next.missed === true) {
      this.events.push(`pod ${String(index)} ${next.name} missed`);
      const failure = failing === undefined ? {} : { failure: `pod ${String(index)} missed` };
      return { ended: [next.name], missed: next.hooks.length, ...failure };
    }
    this.events.push(`pod ${String(index)} ${next.name} up`);
    const hooks = next.hooks.map(({ onError = 'Continue' }, position) => ({
      number: next.first + position,
      name: `hook-${String(position)}`,
      onError,
      execTimeoutMs: 30_000,
    }));
    return { up: { container: next.name, hooks }, ended: [], missed: 0 };
  }

  private async run(index: number, number: number): Promise<HookOutcome> {
    const container = this.containers(index).find(
      ({ first, hooks }) => number >= first && number < first + hooks.length,
    );
    const hook = container?.hooks[number - container.first];
    const name = `pod ${String(index)} hook ${String(number)}`;
    this.events.push(name);
    this.started.add(`${String(index)}/${String(number)}`);
    try {
      const status = await Promise.race([
        hook?.run?.() ?? Promise.resolve('succeeded' as const),
        Context.current().cancelled,
      ]);
      const outcome = outcomeOf(number, status);
      this.outcomes.set(`${String(index)}/${String(number)}`, outcome);
      this.events.push(`${name} ${status}`);
      return outcome;
    } catch (error) {
      this.events.push(
        `${name} ${Context.current().cancellationSignal.aborted ? 'cancelled' : 'broke'} (attempt ${String(activityInfo().attempt)})`,
      );
      throw error;
    }
  }

  private containers(index: number): (ScriptedContainer & { readonly name: string; readonly first: number })[] {
    let first = 0;
    return (this.pods.get(index) ?? []).map((container, position) => {
      const numbered = { ...container, name: container.name ?? `c${String(position)}`, first };
      first += container.hooks.length;
      return numbered;
    });
  }
}

function outcomeOf(number: number, status: HookStatus): HookOutcome {
  const message = status === 'succeeded' ? {} : { message: `hook ${String(number)} ${status}` };
  return { number, status, ...message, at: '2026-01-01T00:00:00Z' };
}

/** Heartbeats fast enough for cancellations to arrive at once. */
async function beating<T>(body: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => {
    context.heartbeat();
  }, 200);
  try {
    return await body();
  } finally {
    clearInterval(timer);
  }
}
