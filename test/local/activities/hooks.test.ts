import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createHookActivities, type HookWorkerActivities } from '../../../activities/createHookActivities.ts';
import { HookStore } from '../../../activities/hooks/hookStore.ts';
import { WorkStore } from '../../../activities/workStore.ts';
import { DirectoryStore } from '../../../adapters/storage/directoryStore.ts';
import { defaultRestoreOptions, type RestoreRecord } from '../../../domain/contract.ts';
import type { NumberedHook } from '../../../domain/hooks/hook.ts';
import type { HookOutcome } from '../../../domain/hooks/hookOutcome.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { ApiResult } from '../../../domain/kubernetes/api.ts';
import type { ExecEnd, ExecRequest, PodListener } from '../../../domain/kubernetes/podAccess.ts';

jest.setTimeout(60_000);

const ref = { name: 'r', uid: 'restore-1', storageLocation: 'default' };
const index = 3;

/** One pod as API server and kubelet show it. */
class OnePod {
  live: JsonObject | undefined;
  end: ExecEnd | ((request: ExecRequest) => Promise<ExecEnd>) = { kind: 'exited', exitCode: 0 };
  readonly commands: (readonly string[])[] = [];
  private listener: PodListener | undefined;

  set(live: JsonObject | undefined): void {
    this.live = live;
    this.listener?.(live);
  }

  get = (): Promise<ApiResult> => {
    const { live } = this;
    if (live !== undefined) return Promise.resolve({ ok: true, status: 200, object: live, date: undefined });
    const failure = { ok: false, status: 404, reason: 'NotFound', message: 'not found', causes: [] } as const;
    return Promise.resolve({ ...failure, retryAfterMs: undefined, date: undefined });
  };

  exec = async (request: ExecRequest) => {
    this.commands.push(request.command);
    const end = typeof this.end === 'function' ? await this.end(request) : this.end;
    return { end, stdout: Buffer.from('out'), stderr: Buffer.from(''), stdoutBytes: 3, stderrBytes: 0 };
  };

  follow = (_selector: string, _pod: unknown, listener: PodListener): (() => void) => {
    this.listener = listener;
    listener(this.live);
    return () => {
      this.listener = undefined;
    };
  };
}

function podWith(state: JsonObject, changes: { uid?: string; phase?: string; container?: string } = {}): JsonObject {
  const name = changes.container ?? 'main';
  return {
    metadata: { name: 'db-0', namespace: 'shop', uid: changes.uid ?? 'u1' },
    spec: { containers: [{ name }] },
    status: { phase: changes.phase ?? 'Running', containerStatuses: [{ name, state }] },
  };
}

const running = podWith({ running: {} });
const waiting = podWith({ waiting: {} });

function hook(changes: Partial<NumberedHook> = {}): NumberedHook {
  return {
    number: 0,
    name: 'h',
    source: 'spec',
    index: 0,
    container: 'main',
    command: ['run'],
    onError: 'Continue',
    execTimeoutMs: 30_000,
    waitForReady: false,
    ...changes,
  };
}

let directory: string;
let hooks: HookStore;
let pod: OnePod;
let activities: HookWorkerActivities;
let context: MockActivityEnvironment;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hooks-'));
  const store = new DirectoryStore({ path: directory, prefix: '' });
  hooks = new HookStore(store, ref);
  await new WorkStore(store, ref).writeRecord({
    options: { ...defaultRestoreOptions, hookTimeoutMs: 400 },
  } as RestoreRecord);
  pod = new OnePod();
  pod.live = running;
  activities = createHookActivities({ kubernetes: pod, pods: pod, openStore: () => Promise.resolve(store) });
  context = new MockActivityEnvironment();
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function recorded(...list: readonly NumberedHook[]): Promise<void> {
  const numbered = list.map((one, number) => ({ ...one, number }));
  const createdAt = new Date().toISOString();
  await hooks.recordPod(index, {
    namespace: 'shop',
    name: 'db-0',
    uid: 'u1',
    createdAt,
    hooks: numbered,
    warnings: [],
  });
}

function run(number = 0): Promise<HookOutcome> {
  return context.run(activities.commands.runHook, { ref, index, hook: number });
}

function wait(...ended: string[]) {
  return context.run(activities.waits.waitForHookContainer, { ref, index, ended });
}

describe('runHook', () => {
  it('H-061 runs the command, and puts its end and outputs on record', async () => {
    await recorded(hook());
    expect(await run()).toMatchObject({ number: 0, status: 'succeeded', exitCode: 0, stdoutBytes: 3 });
    const outcome = await hooks.readOutcome(index, 0);
    expect(outcome).toMatchObject({ status: 'succeeded' });
    expect(await hooks.readOutput(index, outcome!)).toEqual({ stdout: 'out', stderr: '' });
  });

  it('H-093 never runs it twice: what is on record is told again', async () => {
    await recorded(hook());
    pod.end = { kind: 'exited', exitCode: 7 };
    const first = await run();
    pod.end = { kind: 'exited', exitCode: 0 };
    expect(await run()).toEqual(first);
    expect(pod.commands).toHaveLength(1);
  });

  it('HX-08 does not run what was started and whose end nobody saw', async () => {
    await recorded(hook());
    expect(await hooks.start(index, 0, {})).toBe(true);
    expect(await run()).toMatchObject({ status: 'unknown', message: expect.stringContaining('outcome unknown') });
    expect(pod.commands).toEqual([]);
  });

  it.each<[string, ExecEnd, Partial<HookOutcome>]>([
    [
      'H-114 an exit code',
      { kind: 'exited', exitCode: 7 },
      {
        status: 'failed',
        exitCode: 7,
        message: 'hook h in container main failed to execute, err: command terminated with exit code 7',
      },
    ],
    [
      'H-114 a refusal',
      { kind: 'refused', message: 'no', status: 400 },
      { status: 'failed', message: 'hook h in container main failed to execute, err: no' },
    ],
    [
      'a timeout',
      { kind: 'timedOut' },
      {
        status: 'failed',
        message: 'hook h in container main failed to execute, err: timed out after 30s; the process may still run',
      },
    ],
    [
      'a lost connection',
      { kind: 'lost', message: 'reset' },
      {
        status: 'unknown',
        message: 'hook h in container main failed to execute, err: outcome unknown: reset; the process may still run',
      },
    ],
  ])('tells %s', async (_, end, expected) => {
    await recorded(hook());
    pod.end = end;
    expect(await run()).toMatchObject(expected);
  });

  it('tries again what was not started for want of an answer', async () => {
    await recorded(hook());
    const ends: ExecEnd[] = [
      { kind: 'unreachable', message: 'refused' },
      { kind: 'refused', status: 503, message: 'later' },
      { kind: 'exited', exitCode: 0 },
    ];
    pod.end = () => Promise.resolve(ends.shift()!);
    expect(await run()).toMatchObject({ status: 'succeeded' });
    expect(pod.commands).toHaveLength(3);
  });

  it.each<[string, JsonObject | undefined, Partial<NumberedHook>, Partial<HookOutcome>]>([
    [
      'HX-02 a hook that has expired',
      running,
      { waitTimeoutMs: 1 },
      { status: 'notExecuted', message: 'hook h in container main expired before executing' },
    ],
    [
      'H-104 H-106 a pod that is gone',
      undefined,
      {},
      { status: 'notExecuted', message: expect.stringContaining('the pod was deleted') as unknown as string },
    ],
    [
      'H-105 another pod of its name',
      podWith({ running: {} }, { uid: 'u2' }),
      {},
      { status: 'notExecuted', message: expect.stringContaining('replaced') as unknown as string },
    ],
    [
      'H-109 a container that the pod lacks',
      podWith({ running: {} }, { container: 'other' }),
      {},
      { status: 'failed', message: expect.stringContaining('no such container: "main"') as unknown as string },
    ],
    [
      'H-110 H-111 an empty command',
      running,
      { command: [] },
      { status: 'failed', message: expect.stringContaining('command is required') as unknown as string },
    ],
    [
      'H-119 a pod that has finished: nothing to do',
      podWith({ terminated: {} }, { phase: 'Succeeded' }),
      {},
      { status: 'succeeded', message: expect.stringContaining('nothing was executed') as unknown as string },
    ],
  ])('does not run in %s', async (_, live, changes, expected) => {
    await recorded(hook(changes));
    pod.live = live;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await run()).toMatchObject(expected);
    expect(pod.commands).toEqual([]);
    expect(await hooks.isStarted(index, 0)).toBe(false);
  });

  it.each([
    ['H-107 no pod on record', 9, 0],
    ['H-108 no such hook', index, 5],
  ])('refuses what nobody has recorded: %s', async (_, podIndex, number) => {
    await recorded(hook());
    await expect(context.run(activities.commands.runHook, { ref, index: podIndex, hook: number })).rejects.toThrow(
      /missing|no hook 5/,
    );
  });

  it('puts a cancelled command on record', async () => {
    await recorded(hook());
    pod.end = ({ signal }) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => {
          resolve({ kind: 'cancelled' });
        });
        context.cancel();
      });
    await expect(run()).rejects.toThrow(CancelledFailure);
    expect(await hooks.readOutcome(index, 0)).toMatchObject({
      status: 'cancelled',
      message: 'hook h in container main failed to execute, err: cancelled; the process may still run',
    });
  });
});

describe('settleHook', () => {
  it.each<[string, 'nothing' | 'started' | 'ended', unknown]>([
    ['was not started', 'nothing', { notStarted: true }],
    [
      'was started',
      'started',
      { outcome: { status: 'unknown', message: expect.stringContaining('outcome unknown: worker lost') } },
    ],
    ['has ended', 'ended', { outcome: { status: 'succeeded' } }],
  ])('says of a hook that it %s', async (_, state, expected) => {
    await recorded(hook());
    if (state !== 'nothing') await hooks.start(index, 0, {});
    if (state === 'ended')
      await hooks.recordOutcome(index, { number: 0, status: 'succeeded', at: '2026-01-01T00:00:00Z' });
    expect(
      await context.run(activities.waits.settleHook, { ref, index, hook: 0, reason: 'worker lost' }),
    ).toMatchObject(expected as object);
  });
});

describe('waitForHookContainer', () => {
  it('H-064 waits until the container is up, and tells what is to run in it', async () => {
    await recorded(hook(), hook({ onError: 'Fail' }), hook({ container: 'other' }));
    pod.live = waiting;
    const waited = wait('other');
    setTimeout(() => {
      pod.set(running);
    }, 50);
    expect(await waited).toMatchObject({
      up: {
        container: 'main',
        hooks: [
          { number: 0, onError: 'Continue' },
          { number: 1, onError: 'Fail' },
        ],
      },
      ended: [],
      missed: 0,
    });
  });

  it.each<[string, Partial<NumberedHook>, string | undefined]>([
    ['H-066 H-086 with a wait of its own', { waitTimeoutMs: 100 }, undefined],
    [
      'H-067 H-085 in Fail mode',
      { waitTimeoutMs: 100, onError: 'Fail' },
      'hook h in container main in pod shop/db-0 not executed: context deadline exceeded',
    ],
    ['H-068 H-069 with the limit of the restore', {}, undefined],
  ])('gives up a container that does not come up in time: %s', async (_, changes, failure) => {
    await recorded(hook(changes));
    pod.live = waiting;
    expect(await wait()).toEqual({ up: undefined, ended: ['main'], missed: 1, failure });
    expect(await hooks.readOutcome(index, 0)).toMatchObject({ status: 'notExecuted' });
  });

  it('HX-01 tells a container that the pod lacks at once', async () => {
    await recorded(hook({ container: 'nowhere' }));
    expect(await wait()).toMatchObject({ ended: ['nowhere'], missed: 1 });
  });

  it('HX-07 notices that the pod is deleted, and asks the API server itself', async () => {
    await recorded(hook({ waitTimeoutMs: 30_000 }));
    pod.live = waiting;
    const waited = wait();
    setTimeout(() => {
      pod.set(undefined);
    }, 50);
    expect(await waited).toMatchObject({ ended: ['main'], missed: 1 });
    expect(await hooks.readOutcome(index, 0)).toMatchObject({
      message: expect.stringContaining('the pod was deleted'),
    });
  });

  it('ends when it is cancelled', async () => {
    await recorded(hook({ waitTimeoutMs: 30_000 }));
    pod.live = waiting;
    setTimeout(() => {
      context.cancel();
    }, 50);
    await expect(wait()).rejects.toThrow(CancelledFailure);
    expect(await hooks.readOutcome(index, 0)).toBeUndefined();
  });
});
