import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo, CancelledFailure, Context } from '@temporalio/activity';
import { formatGoDuration } from '../../domain/go/duration.ts';
import type { NumberedHook, PodHooks } from '../../domain/hooks/hook.ts';
import type { HookActivities } from '../../domain/hooks/hookContract.ts';
import { MAX_OUTPUT_BYTES } from '../../domain/hooks/hookLog.ts';
import {
  expiredText,
  failedText,
  type HookOutcome,
  notExecutedText,
  unknownText,
} from '../../domain/hooks/hookOutcome.ts';
import { execContainers, finishedReason, goneReason, notAfter } from '../../domain/hooks/podState.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ExecEnd, ExecResult } from '../../domain/kubernetes/podAccess.ts';
import { isShuttingDown, runActivity } from '../activity.ts';
import type { HookDependencies, HookSession, HookSessions } from './hookSessions.ts';

/** A cancelled hook is to end within two seconds, and a heartbeat brings the news. */
const HEARTBEAT_MS = 1_000;
/** A command that was not started for want of an answer is tried again; it has not run. */
const CONNECT_PAUSES_MS: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000];

type Ended = Omit<HookOutcome, 'number' | 'at'>;

/**
 * Runs a hook's command, once and never again (design §5): the mark that it was started goes to the work store first, and who finds that mark
 * does not run it. Resolves with how it ended; whatever that is, it is on record.
 * @throws CancelledFailure where the hook was cancelled.
 */
export function runHook(dependencies: HookDependencies, sessions: HookSessions): HookActivities['runHook'] {
  return ({ ref, index, hook: number }) =>
    runActivity(
      async () => {
        const session = await sessions.get(ref);
        const pod = await session.hooks.readPod(index);
        const hook = pod.hooks[number];
        if (hook === undefined) throw new Error(`pod ${pod.namespace}/${pod.name} has no hook ${number}`);
        return new HookRun(dependencies, session, index, pod, hook).run();
      },
      () => undefined,
      HEARTBEAT_MS,
    );
}

class HookRun {
  private readonly dependencies: HookDependencies;
  private readonly session: HookSession;
  private readonly index: number;
  private readonly pod: PodHooks;
  private readonly hook: NumberedHook;

  constructor(dependencies: HookDependencies, session: HookSession, index: number, pod: PodHooks, hook: NumberedHook) {
    this.dependencies = dependencies;
    this.session = session;
    this.index = index;
    this.pod = pod;
    this.hook = hook;
  }

  async run(): Promise<HookOutcome> {
    const { hooks } = this.session;
    const known = await hooks.readOutcome(this.index, this.hook.number);
    if (known !== undefined) return known;
    const obstacle = await this.obstacle();
    if (obstacle !== undefined) return this.record(obstacle);
    const { workflowExecution } = activityInfo();
    const isFirst = await hooks.start(this.index, this.hook.number, {
      at: new Date().toISOString(),
      by: workflowExecution,
    });
    if (!isFirst) {
      return this.record({
        status: 'unknown',
        message: unknownText(this.hook, 'it was started before, and nobody saw its end'),
      });
    }
    return this.execute();
  }

  /** Why the command is not to run; spec hooks.md §8 "Per hook" and §9 steps 2, 3 and 5. */
  private async obstacle(): Promise<Ended | undefined> {
    const { hook, pod } = this;
    const latest = notAfter(pod, hook);
    if (latest !== undefined && Date.now() > latest) return { status: 'notExecuted', message: expiredText(hook) };
    if (hook.command.length === 0) return this.failed('command is required');
    const live = await this.live();
    const gone = goneReason(pod, live);
    if (gone !== undefined) return { status: 'notExecuted', message: notExecutedText(pod, hook, gone) };
    const finished = finishedReason(live);
    if (finished !== undefined) return { status: 'succeeded', message: `${finished}: nothing was executed` };
    if (live !== undefined && !execContainers(live).includes(hook.container)) {
      return this.failed(`no such container: "${hook.container}"`);
    }
    return undefined;
  }

  /** @throws KubernetesUnreachable, and for an answer that says nothing about the pod. */
  private async live(): Promise<JsonObject | undefined> {
    const { namespace, name } = this.pod;
    const location = { group: '', version: 'v1', resource: 'pods', namespace, name };
    const found = await this.dependencies.kubernetes.get(location);
    if (found.ok) return found.object;
    if (found.status === 404) return undefined;
    throw new Error(`pod ${namespace}/${name}: ${found.message}`);
  }

  private async execute(): Promise<HookOutcome> {
    const { hook, pod } = this;
    const { cancellationSignal } = Context.current();
    const startedAt = performance.now();
    const result = await this.exec(cancellationSignal);
    const durationMs = Math.round(performance.now() - startedAt);
    await this.session.hooks.writeOutput(this.index, hook.number, result.stdout, result.stderr);
    const { stdoutBytes, stderrBytes } = result;
    const outcome = await this.record({ ...this.endedAs(result.end), durationMs, stdoutBytes, stderrBytes });
    if (result.end.kind === 'cancelled' && !isShuttingDown()) {
      throw new CancelledFailure(`hook ${hook.name} of pod ${pod.namespace}/${pod.name} was cancelled`);
    }
    return outcome;
  }

  private async exec(signal: AbortSignal): Promise<ExecResult> {
    const { namespace, name } = this.pod;
    const { container, command, execTimeoutMs } = this.hook;
    const request = {
      namespace,
      pod: name,
      container,
      command,
      signal,
      timeoutMs: execTimeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    };
    for (const pause of CONNECT_PAUSES_MS) {
      const result = await this.dependencies.pods.exec(request);
      if (!mayPass(result.end)) return result;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
    return this.dependencies.pods.exec(request);
  }

  private endedAs(end: ExecEnd): Ended {
    const { hook } = this;
    switch (end.kind) {
      case 'exited':
        if (end.exitCode === 0) return { status: 'succeeded', exitCode: 0 };
        return { ...this.failed(`command terminated with exit code ${end.exitCode}`), exitCode: end.exitCode };
      case 'refused':
        return this.failed(end.message);
      case 'unreachable':
        return this.failed(`no answer from the API server: ${end.message}`);
      case 'timedOut':
        return this.failed(`timed out after ${formatGoDuration(hook.execTimeoutMs)}; the process may still run`);
      case 'lost':
        return { status: 'unknown', message: unknownText(hook, `${end.message}; the process may still run`) };
      case 'cancelled':
        // A stopping worker gives up the command when its time is over.
        if (isShuttingDown()) {
          return { status: 'unknown', message: unknownText(hook, 'the worker was stopped; the process may still run') };
        }
        return { status: 'cancelled', message: failedText(hook, 'cancelled; the process may still run') };
    }
  }

  private failed(cause: string): Ended {
    return { status: 'failed', message: failedText(this.hook, cause) };
  }

  private record(ended: Ended): Promise<HookOutcome> {
    const outcome = { number: this.hook.number, ...ended, at: new Date().toISOString() };
    return this.session.hooks.recordOutcome(this.index, outcome);
  }
}

/** Nothing has run, and the next moment may be better: no answer, too many requests, an API server or kubelet that starts. */
function mayPass(end: ExecEnd): boolean {
  if (end.kind === 'unreachable') return true;
  return end.kind === 'refused' && (end.status === 429 || end.status === 503);
}
