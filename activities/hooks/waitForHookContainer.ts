import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { RestoreRef } from '../../domain/contract.ts';
import { hooksByContainer, type PodHooks } from '../../domain/hooks/hook.ts';
import type { HookActivities, HookTask, HookWait } from '../../domain/hooks/hookContract.ts';
import { cancelsAll, type HookOutcome, notExecutedText } from '../../domain/hooks/hookOutcome.ts';
import { decideWait, type WaitDecision } from '../../domain/hooks/podState.ts';
import type { JsonObject } from '../../domain/json.ts';
import { restoreNameSelector } from '../../domain/restore/labels.ts';
import { runActivity } from '../activity.ts';
import type { HookDependencies, HookSession, HookSessions } from './hookSessions.ts';

/** Thousands may wait at the same time: each heartbeat is a transaction of the Temporal server. */
const HEARTBEAT_MS = 10_000;
/** A pod that the watch does not show, but which is there, is looked at this often. */
const LOOK_MS = 2_000;

/**
 * Waits until the next container of a pod with hooks is up, or until it is clear that it will not be (spec hooks.md §8). What will not run
 * is put on record here.
 */
export function waitForHookContainer(
  dependencies: HookDependencies,
  sessions: HookSessions,
): HookActivities['waitForHookContainer'] {
  return ({ ref, index, ended }) =>
    runActivity(
      async () => {
        const session = await sessions.get(ref);
        const pod = await session.hooks.readPod(index);
        const decision = await new PodWait(dependencies, ref, session, pod, ended).decided();
        return record(session, index, pod, decision);
      },
      () => undefined,
      HEARTBEAT_MS,
    );
}

async function record(
  { hooks }: HookSession,
  index: number,
  pod: PodHooks,
  { missed, up }: WaitDecision,
): Promise<HookWait> {
  let failure: string | undefined;
  for (const { hooks: left, reason } of missed) {
    for (const hook of left) {
      const outcome: HookOutcome = {
        number: hook.number,
        status: 'notExecuted',
        message: notExecutedText(pod, hook, reason),
        at: new Date().toISOString(),
      };
      const recorded = await hooks.recordOutcome(index, outcome);
      if (cancelsAll(hook, recorded)) failure ??= recorded.message;
    }
  }
  return {
    up: up === undefined ? undefined : { container: up, hooks: tasksOf(pod, up) },
    ended: missed.flatMap(({ hooks: [hook] }) => hook?.container ?? []),
    missed: missed.reduce((count, { hooks: left }) => count + left.length, 0),
    failure,
  };
}

function tasksOf(pod: PodHooks, container: string): HookTask[] {
  const hooks = hooksByContainer(pod.hooks).get(container) ?? [];
  return hooks.map(({ number, name, onError, execTimeoutMs }) => ({ number, name, onError, execTimeoutMs }));
}

/** Follows one pod until something can be decided. */
class PodWait {
  private readonly dependencies: HookDependencies;
  private readonly ref: RestoreRef;
  private readonly session: HookSession;
  private readonly pod: PodHooks;
  private readonly ended: readonly string[];
  /** Undefined before the watch has said anything. */
  private seen: { readonly live: JsonObject | undefined } | undefined;
  private changed: () => void = () => undefined;

  constructor(
    dependencies: HookDependencies,
    ref: RestoreRef,
    session: HookSession,
    pod: PodHooks,
    ended: readonly string[],
  ) {
    this.dependencies = dependencies;
    this.ref = ref;
    this.session = session;
    this.pod = pod;
    this.ended = ended;
  }

  async decided(): Promise<WaitDecision> {
    const { cancelled, cancellationSignal } = Context.current();
    const selector = restoreNameSelector(this.ref.name);
    const stop = this.dependencies.pods.follow(selector, this.pod, (live) => {
      this.seen = { live };
      this.changed();
    });
    try {
      for (;;) {
        const change = new Promise<void>((resolve) => {
          this.changed = resolve;
        });
        const { decision, lookAgain } = await this.look();
        if (decision !== undefined && (decision.up !== undefined || decision.missed.length > 0)) return decision;
        const until = lookAgain ? Date.now() + LOOK_MS : decision?.until;
        await raceUntil(until, cancellationSignal, [change, cancelled]);
      }
    } finally {
      stop();
    }
  }

  private async look(): Promise<{ readonly decision?: WaitDecision; readonly lookAgain: boolean }> {
    if (this.seen === undefined) return { lookAgain: false };
    const { live } = this.seen;
    if (live !== undefined) return { decision: this.decide(live), lookAgain: false };
    // The watch may be a moment late, or somebody has taken the restore's label away: only the API server's word counts.
    const { namespace, name } = this.pod;
    const found = await this.dependencies.kubernetes.get({
      group: '',
      version: 'v1',
      resource: 'pods',
      namespace,
      name,
    });
    if (found.ok) return { decision: this.decide(found.object), lookAgain: true };
    return found.status === 404 ? { decision: this.decide(undefined), lookAgain: false } : { lookAgain: true };
  }

  private decide(live: JsonObject | undefined): WaitDecision {
    const { pod, ended, session } = this;
    return decideWait({ pod, live, ended, now: Date.now(), limitMs: session.hookTimeoutMs });
  }
}

/** Waits for the first of several promises, or until a moment. */
async function raceUntil(until: number | undefined, signal: AbortSignal, others: Promise<void>[]): Promise<void> {
  const done = new AbortController();
  const stop = AbortSignal.any([signal, done.signal]);
  const pauses =
    until === undefined
      ? []
      : // A longer pause than a timer can take is cut; the loop comes round again.
        [
          sleep(Math.min(Math.max(0, until - Date.now()), 2_147_483_000), undefined, { signal: stop }).catch(
            () => undefined,
          ),
        ];
  try {
    await Promise.race([...others, ...pauses]);
  } finally {
    done.abort();
  }
}
