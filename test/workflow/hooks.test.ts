import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { countOutcomes } from '../../domain/results/counters.ts';
import { Gate, until } from './support/gate.ts';
import { range, ScriptedActivities, wavesOf } from './support/scriptedActivities.ts';
import { ScriptedHooks } from './support/scriptedHooks.ts';
import { type Changes, type EndedRestore, progressOf, WorkflowServer } from './support/workflowServer.ts';

jest.setTimeout(240_000);

/** Of the workflows of pods, which are alike. */
const REPLAYED_PODS = 20;

let server: WorkflowServer;

beforeAll(async () => {
  server = await WorkflowServer.start();
}, 600_000);

afterAll(async () => {
  await server.stop();
});

/** Activities whose items are the pods of the hooks. */
function itemsOf(hooks: ScriptedHooks, length: number, behind = 0): ScriptedActivities {
  const waves = wavesOf({ name: 'pods', length }, ...(behind === 0 ? [] : [{ name: 'roles', length: behind }]));
  return new ScriptedActivities(waves, { restoreItem: ({ index }) => Promise.resolve(hooks.outcome(index)) });
}

/** Runs `body` with workers for hooks; the workflows of pods are replayed at the end as well. */
async function withHooks<T>(hooks: ScriptedHooks, cluster: string, body: () => Promise<T>): Promise<T> {
  const result = await hooks.withWorkers(server.environment.nativeConnection, cluster, body);
  server.replayLater([...hooks.runs].slice(0, REPLAYED_PODS));
  return result;
}

/** A whole restore with hooks. */
function restore(hooks: ScriptedHooks, activities: ScriptedActivities, changes: Changes = {}): Promise<EndedRestore> {
  return server.withWorker(activities, (cluster) =>
    withHooks(hooks, cluster, async () => server.ended(await server.startRestore(cluster, changes))),
  );
}

function finalizeInput(activities: ScriptedActivities) {
  const [call] = activities.callsOf('finalize');
  return call?.input;
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('hooks of one pod', () => {
  it('H-070 H-071 H-084 H-123 run container by container, each in its order, and never two at once', async () => {
    const hooks = new ScriptedHooks({ 0: [{ hooks: [{}, {}] }, { hooks: [{}] }] });
    const activities = itemsOf(hooks, 1);
    const { result } = await restore(hooks, activities);
    expect(result?.status.phase).toBe('Completed');
    expect(hooks.events).toEqual([
      'pod 0 c0 up',
      'pod 0 hook 0',
      'pod 0 hook 0 succeeded',
      'pod 0 hook 1',
      'pod 0 hook 1 succeeded',
      'pod 0 c1 up',
      'pod 0 hook 2',
      'pod 0 hook 2 succeeded',
    ]);
    expect(finalizeInput(activities)?.hooksLeftOut).toBeUndefined();
  });

  it('H-063 H-086 H-087 H-130 go on behind errors in Continue mode', async () => {
    const fails = { run: () => Promise.resolve('failed' as const) };
    const hooks = new ScriptedHooks({ 0: [{ hooks: [fails, {}] }, { hooks: [{}], missed: true }, { hooks: [{}] }] });
    const { result } = await restore(hooks, itemsOf(hooks, 1));
    expect(result?.status.phase).toBe('Completed');
    expect(hooks.events.filter((event) => /succeeded|failed|missed/.test(event))).toEqual([
      'pod 0 hook 0 failed',
      'pod 0 hook 1 succeeded',
      'pod 0 c1 missed',
      'pod 0 hook 3 succeeded',
    ]);
  });

  it('H-062 H-085 H-129 H-131 H-135 H-137 stop at the first error in Fail mode', async () => {
    const hooks = new ScriptedHooks({
      0: [{ hooks: [{}, { onError: 'Fail', run: () => Promise.resolve('failed') }, {}] }, { hooks: [{}] }],
    });
    const activities = itemsOf(hooks, 1);
    await restore(hooks, activities);
    expect(hooks.events.at(-1)).toBe('pod 0 hook 1 failed');
    expect(finalizeInput(activities)?.hooksLeftOut).toContain('hook 1 failed');
  });

  it('HX-08 a command whose worker is lost is not run again, and the next one is', async () => {
    const lost = { run: () => Promise.reject(ApplicationFailure.retryable('the process was killed')) };
    const hooks = new ScriptedHooks({ 0: [{ hooks: [lost, {}] }] });
    const { result } = await restore(hooks, itemsOf(hooks, 1));
    expect(result?.status.phase).toBe('Completed');
    expect(hooks.events).toEqual([
      'pod 0 c0 up',
      'pod 0 hook 0',
      'pod 0 hook 0 broke (attempt 1)',
      'pod 0 hook 0 settled',
      'pod 0 hook 1',
      'pod 0 hook 1 succeeded',
    ]);
  });

  it('HX-08 a command that was not started is tried again', async () => {
    let tries = 0;
    const hooks: ScriptedHooks = new ScriptedHooks({
      0: [
        {
          hooks: [
            {
              run: () => {
                tries += 1;
                if (tries > 1) return Promise.resolve('succeeded');
                hooks.started.clear();
                return Promise.reject(ApplicationFailure.retryable('the store is away'));
              },
            },
          ],
        },
      ],
    });
    const { result } = await restore(hooks, itemsOf(hooks, 1));
    expect(result?.status.phase).toBe('Completed');
    expect(tries).toBe(2);
  });
});

describe('the scope of all hooks', () => {
  /** Pods a (fails when b runs), b (runs for ever), c (waits for ever), d (created when a has failed), and 200 items. */
  async function scope(
    onError: 'Fail' | 'Continue',
  ): Promise<{ hooks: ScriptedHooks; activities: ScriptedActivities; ended: EndedRestore }> {
    const failed = new Gate();
    const running = new Gate();
    const end = new Gate();
    const endless = onError === 'Fail' ? never : () => end.pass();
    const hooks: ScriptedHooks = new ScriptedHooks({
      0: [
        {
          hooks: [
            {
              onError,
              run: async () => {
                await until('b runs and c waits', () => running.arrived > 0 && hooks.waits >= 3);
                setTimeout(() => {
                  failed.open();
                }, 500);
                return 'failed';
              },
            },
          ],
        },
      ],
      1: [
        {
          hooks: [
            {
              run: async () => {
                void running.pass();
                await endless();
                return 'succeeded';
              },
            },
          ],
        },
      ],
      2: [{ hooks: [{}], up: endless }],
      3: [{ hooks: [{}] }],
    });
    const waves = wavesOf({ name: 'pods', length: 4 }, { name: 'roles', length: 200 });
    const activities = new ScriptedActivities(waves, {
      restoreItem: async ({ index }) => {
        if (index === 3) await failed.pass().then(() => new Promise((resolve) => setTimeout(resolve, 3_000)));
        if (index === 203) end.open();
        return hooks.outcome(index);
      },
    });
    return { hooks, activities, ended: await restore(hooks, activities) };
  }

  it('HX-04 H-068 H-069 H-131 the first error in Fail mode ends what runs and what waits; later hooks do not start; items go on', async () => {
    const { hooks, activities, ended } = await scope('Fail');
    expect(activities.itemsBegun.toSorted((a, b) => a - b)).toEqual(range(0, 204));
    expect(ended.result?.counters.created).toBe(204);
    expect(hooks.events).toContain('pod 1 hook 0 cancelled (attempt 1)');
    expect(hooks.events.filter((event) => event.startsWith('pod 2') || event.startsWith('pod 3'))).toEqual([]);
    expect(finalizeInput(activities)).toMatchObject({
      cancelled: false,
      hooksLeftOut: expect.stringContaining('another hook failed that has onError Fail: hook 0 failed'),
    });
    const [finalize] = activities.callsOf('finalize');
    const items = activities.callsOf('restoreItem');
    expect(finalize!.began).toBeGreaterThan(Math.max(...items.map(({ ended: at }) => at)));
  });

  it('HX-03 an error in Continue mode ends nothing', async () => {
    const { hooks, activities } = await scope('Continue');
    expect(activities.itemsBegun).toHaveLength(204);
    expect(hooks.events).toEqual(
      expect.arrayContaining([
        'pod 0 hook 0 failed',
        'pod 1 hook 0 succeeded',
        'pod 2 hook 0 succeeded',
        'pod 3 hook 0 succeeded',
      ]),
    );
    expect(finalizeInput(activities)?.hooksLeftOut).toBeUndefined();
  });

  it('a cancelled restore cancels its hooks and is finalized', async () => {
    const hooks = new ScriptedHooks({ 0: [{ hooks: [{ run: never }] }], 1: [{ hooks: [{}], up: never }] });
    const activities = itemsOf(hooks, 2);
    const ended = await server.withWorker(activities, (cluster) =>
      withHooks(hooks, cluster, async () => {
        const handle = await server.startRestore(cluster);
        await until('the command', () => hooks.events.includes('pod 0 hook 0') && hooks.waits === 2);
        expect((await progressOf(handle)).hooks).toEqual({ total: 2, done: 0, failed: 0 });
        await handle.cancel();
        return server.ended(handle);
      }),
    );
    expect(ended.workflowStatus).toBe('CANCELLED');
    expect(hooks.events).toContain('pod 0 hook 0 cancelled (attempt 1)');
    expect(finalizeInput(activities)).toMatchObject({ cancelled: true, hooksLeftOut: 'the restore was cancelled' });
  });
});

describe('many pods', () => {
  const length = 600;

  it('H-138 run side by side, also where each waits for the last; no history is long', async () => {
    const last = new Gate();
    const pods = range(0, length).map((index) => [
      index,
      [
        {
          hooks: [{ run: () => Promise.resolve('succeeded' as const) }],
          up: () => (index === length - 1 ? Promise.resolve(last.open()) : last.pass()),
        },
      ],
    ]);
    const hooks = new ScriptedHooks(Object.fromEntries(pods) as ConstructorParameters<typeof ScriptedHooks>[0]);
    const activities = new ScriptedActivities(wavesOf({ name: 'pods', length }), {
      restoreItems: ({ offset, length: size }) => {
        const outcomes = range(offset, size).map((index) => hooks.outcome(index));
        const hookPods = outcomes.flatMap(({ hookPod }) => hookPod ?? []);
        return Promise.resolve({ counters: countOutcomes(outcomes), later: [], hookPods, end: offset + size });
      },
    });
    const ended = await restore(hooks, activities, { options: { itemsPerActivity: 10 } });
    expect(ended.result?.status.phase).toBe('Completed');
    expect(hooks.events.filter((event) => event.endsWith('succeeded'))).toHaveLength(length);
    const root = await server.history(ended.handle.workflowId);
    expect(root.events?.length).toBeLessThan(4_096);
    const batches = (root.events ?? []).flatMap(({ startChildWorkflowExecutionInitiatedEventAttributes: child }) =>
      child?.workflowId?.match(/\/batch-\d+$/) ? [child.workflowId] : [],
    );
    expect(batches.length).toBeGreaterThan(1);
    for (const batch of batches) expect((await server.history(batch)).events?.length).toBeLessThan(4_096);
  });
});

describe('the histories of these tests', () => {
  it('are replayed without a difference', async () => {
    const { runs, errors } = await server.replayAll();
    expect(errors).toEqual([]);
    expect(runs).toBeGreaterThan(30);
  });
});
