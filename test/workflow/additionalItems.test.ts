import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ItemNeeds, NeededItem, RestoreItemInput } from '../../domain/contract.ts';
import { FIRST_INDEX_BESIDE_PLAN } from '../../domain/plan/planEntry.ts';
import type { Outcome } from '../../domain/results/outcome.ts';
import { until } from './support/gate.ts';
import { type Behaviour, created, range, ScriptedActivities, wavesOf } from './support/scriptedActivities.ts';
import { type History, WorkflowServer } from './support/workflowServer.ts';

jest.setTimeout(600_000);

const MAX_EVENTS_OF_A_RUN = 4_096;
const MINUTE = 60_000;

let server: WorkflowServer;

beforeAll(async () => {
  server = await WorkflowServer.start();
}, 600_000);

afterAll(async () => {
  const { runs, errors } = await server.replayAll();
  expect(runs).toBeGreaterThan(0);
  expect(errors).toEqual([]);
  await server.stop();
});

function needing(input: RestoreItemInput, needs: readonly number[], more: Partial<ItemNeeds> = {}): ItemNeeds {
  const { index } = input;
  return {
    item: `ConfigMap shop/item-${String(index)}`,
    action: 'example.com/action',
    needs: needs.map((need): NeededItem => ({ index: need, summary: `Secret shop/item-${String(need)}` })),
    totalNeeds: needs.length,
    resume: { actionIndex: 3, stateRef: `state/${String(index)}` },
    ...more,
  };
}

/** Items ask for others the first time that they are restored, and end when they are resumed. */
function asking(
  needs: Readonly<Record<number, readonly number[]>>,
  more: Partial<ItemNeeds> = {},
): Pick<Behaviour, 'restoreItem'> {
  return {
    restoreItem: (input) => {
      const wanted = needs[input.index];
      if (wanted === undefined || input.resume !== undefined) return Promise.resolve(created(input.index));
      return Promise.resolve(needing(input, wanted, more));
    },
  };
}

interface Step {
  readonly index: number;
  readonly path?: readonly number[] | undefined;
  readonly resumed: boolean;
  readonly waited: string | undefined;
}

function steps(activities: ScriptedActivities): Step[] {
  return activities.callsOf('restoreItem').map(({ input: { index, path, resume } }) => ({
    index,
    ...(path === undefined ? {} : { path }),
    resumed: resume !== undefined,
    waited: resume?.waited?.end,
  }));
}

const WAIT = '/item-00000000/wait-3';

/** How long each timer of a workflow ran, in milliseconds. */
function timers({ events }: History): number[] {
  return (events ?? []).flatMap(({ timerStartedEventAttributes: started }) => {
    const timeout = started?.startToFireTimeout;
    return timeout == null ? [] : [Number(timeout.seconds ?? 0) * 1_000 + (timeout.nanos ?? 0) / 1e6];
  });
}

const oneItem = wavesOf({ name: 'configmaps', length: 1 });

describe('additional items', () => {
  it('R-072 are restored before their parent goes on, depth first and in order; the parent is counted once', async () => {
    const activities = new ScriptedActivities(oneItem, asking({ 0: [10, 20], 10: [11], 11: [12] }));
    const { result } = await server.restore(activities);
    expect(steps(activities)).toEqual([
      { index: 0, resumed: false },
      { index: 10, path: [0], resumed: false },
      { index: 11, path: [0, 10], resumed: false },
      { index: 12, path: [0, 10, 11], resumed: false },
      { index: 11, path: [0, 10], resumed: true },
      { index: 10, path: [0], resumed: true },
      { index: 20, path: [0], resumed: false },
      { index: 0, resumed: true },
    ]);
    expect(result?.counters).toMatchObject({ created: 1 });
    expect([...activities.outcomes.keys()]).toEqual([0]);
  });

  it('R-072 end a chain that comes back to itself', async () => {
    const activities = new ScriptedActivities(oneItem, asking({ 0: [1], 1: [2], 2: [0, 1, 3] }));
    await server.restore(activities);
    expect(steps(activities).map(({ index, resumed }) => [index, resumed])).toEqual([
      [0, false],
      [1, false],
      [2, false],
      [3, false],
      [2, true],
      [1, true],
      [0, true],
    ]);
  });

  it('R-072 beside the plan count; a failing one does not keep its parent from being restored', async () => {
    const beside = FIRST_INDEX_BESIDE_PLAN + 7;
    const failed: Outcome = {
      ...created(beside),
      action: 'failed',
      reason: 'refused',
      messages: [{ level: 'error', scope: { namespace: 'shop' }, text: 'refused' }],
    };
    const { restoreItem } = asking({ 0: [beside, beside + 1] });
    const activities = new ScriptedActivities(oneItem, {
      restoreItem: (input, call) => (input.index === beside ? Promise.resolve(failed) : restoreItem(input, call)),
    });
    let counted;
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      await handle.result();
      counted = (await handle.query<{ counters: object }>('progress')).counters;
    });
    expect(counted).toMatchObject({ created: 2, failed: 1, errors: 1 });
  });

  it('that many are told in pieces', async () => {
    const all = range(1_000, 450);
    const piece = (input: RestoreItemInput, offset: number): ItemNeeds =>
      needing(input, all.slice(offset, offset + 200), { totalNeeds: all.length });
    const activities = new ScriptedActivities(oneItem, {
      restoreItem: (input) =>
        Promise.resolve(input.index === 0 && input.resume === undefined ? piece(input, 0) : created(input.index)),
      readNeeds: ({ offset }) =>
        Promise.resolve(
          all.slice(offset, offset + 200).map((index) => ({ index, summary: `Secret ${String(index)}` })),
        ),
    });
    const { result } = await server.restore(activities);
    expect(result?.counters.created).toBe(1);
    expect(activities.itemsBegun).toEqual([0, ...all, 0]);
    // The rest is a new run's, which asks for it again.
    const offsets = activities.callsOf('readNeeds').map(({ input }) => input.offset);
    expect(offsets.slice(0, 2)).toEqual([200, 400]);
    expect(new Set(activities.callsOf('restoreItem').map(({ runId }) => runId)).size).toBe(3);
  });
});

describe('waiting until additional items are ready', () => {
  it('R-072 asks at once, every second for 30 s, then ever more rarely up to every 15 s, until the resource timeout', async () => {
    const activities = new ScriptedActivities(oneItem, {
      ...asking({ 0: [5, 6] }, { waitTimeoutMs: 10 * MINUTE }),
      areAdditionalItemsReady: () => Promise.resolve({ ready: false }),
    });
    const { handle } = await server.restore(activities);
    const history = await server.history(`${handle.workflowId}${WAIT}`);
    const waited = timers(history);
    expect(waited.slice(0, 30)).toEqual(range(0, 30).map(() => 1_000));
    expect(waited.slice(30, 36)).toEqual([1_500, 2_250, 3_375, 5_062.5, 7_593.75, 11_390.625]);
    const rest = waited.slice(36);
    expect(rest.slice(0, -1).every((ms) => ms === 15_000)).toBe(true);
    // Timers and the moments between them, which a busy machine makes longer: the deadline is that of the first moment.
    expect(rest.length).toBeGreaterThanOrEqual(34);
    expect(rest.length).toBeLessThanOrEqual(36);
    const sum = waited.reduce((total, ms) => total + ms, 0);
    expect(sum).toBeGreaterThan(9.4 * MINUTE);
    expect(sum).toBeLessThanOrEqual(10 * MINUTE);
    expect(activities.callsOf('areAdditionalItemsReady')).toHaveLength(waited.length + 1);
    expect(steps(activities).at(-1)).toEqual({ index: 0, resumed: true, waited: 'timedOut' });
    expect(history.events?.length).toBeLessThan(600);
  });

  it.each([
    { timeout: 'shorter than the default', waitTimeoutMs: 2_900, probes: 4, delays: [1_000, 1_000] },
    { timeout: 'of less than a second', waitTimeoutMs: 400, probes: 2, delays: [] },
  ])('an own timeout $timeout counts', async ({ waitTimeoutMs, probes, delays }) => {
    const activities = new ScriptedActivities(oneItem, {
      ...asking({ 0: [5] }, { waitTimeoutMs }),
      areAdditionalItemsReady: () => Promise.resolve({ ready: false }),
    });
    const { handle } = await server.restore(activities);
    const waited = timers(await server.history(`${handle.workflowId}${WAIT}`));
    expect(waited.slice(0, delays.length)).toEqual(delays);
    expect(waited).toHaveLength(probes - 1);
    expect(activities.callsOf('areAdditionalItemsReady')).toHaveLength(probes);
    expect(steps(activities).at(-1)?.waited).toBe('timedOut');
  });

  it('an own timeout longer than the default counts', async () => {
    const started = await server.environment.currentTimeMs();
    const activities = new ScriptedActivities(oneItem, {
      ...asking({ 0: [5] }, { waitTimeoutMs: 30 * MINUTE }),
      areAdditionalItemsReady: () => Promise.resolve({ ready: false }),
    });
    const { handle } = await server.restore(activities);
    const waited = timers(await server.history(`${handle.workflowId}${WAIT}`));
    expect(waited.reduce((total, ms) => total + ms, 0)).toBeGreaterThan(29.9 * MINUTE);
    expect((await server.environment.currentTimeMs()) - started).toBeGreaterThan(29.9 * MINUTE);
  });

  it.each([
    { when: 'at once', after: 0, delays: [] },
    { when: 'after three checks', after: 3, delays: [1_000, 1_000, 1_000] },
  ])('ends $when', async ({ after, delays }) => {
    let asked = 0;
    const activities = new ScriptedActivities(oneItem, {
      ...asking({ 0: [5, 6, 7] }, { waitTimeoutMs: MINUTE }),
      areAdditionalItemsReady: () => Promise.resolve({ ready: asked++ >= after }),
    });
    const { handle } = await server.restore(activities);
    expect(timers(await server.history(`${handle.workflowId}${WAIT}`))).toEqual(delays);
    expect(steps(activities).at(-1)?.waited).toBe('ready');
  });

  it('hands over only items that exist, and asks even where none does', async () => {
    const gone = (index: number): Outcome => ({ ...created(index), action: 'failed', reason: 'refused' });
    const { restoreItem } = asking({ 0: [5, 6, 7] }, { waitTimeoutMs: MINUTE });
    const activities = new ScriptedActivities(oneItem, {
      restoreItem: (input, call) => (input.index >= 6 ? Promise.resolve(gone(input.index)) : restoreItem(input, call)),
    });
    const { handle } = await server.restore(activities);
    expect(activities.callsOf('areAdditionalItemsReady')[0]?.input).toMatchObject({
      missing: [1, 2],
      stateRef: 'state/0',
    });
    const { events } = await server.history(`${handle.workflowId}${WAIT}`);
    const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    expect(JSON.parse(Buffer.from(input ?? []).toString('utf8'))).toMatchObject({
      item: 'ConfigMap shop/item-0',
      action: 'example.com/action',
      awaited: 'Secret shop/item-5',
      deadline: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  it('ends with the error of a check', async () => {
    let asked = 0;
    const activities = new ScriptedActivities(oneItem, {
      ...asking({ 0: [5] }, { waitTimeoutMs: MINUTE }),
      areAdditionalItemsReady: () => Promise.resolve(asked++ < 2 ? { ready: false } : { failed: 'no such volume' }),
    });
    await server.restore(activities);
    const last = activities.callsOf('restoreItem').at(-1)?.input.resume?.waited;
    expect(last).toEqual({ end: 'failed', message: 'no such volume' });
    expect(asked).toBe(3);
  });

  it('goes on through checks that fail for the infrastructure', async () => {
    let asked = 0;
    const activities = new ScriptedActivities(oneItem, {
      ...asking({ 0: [5] }, { waitTimeoutMs: MINUTE }),
      areAdditionalItemsReady: () =>
        asked++ < 2 ? Promise.reject(new Error('connection refused')) : Promise.resolve({ ready: true }),
    });
    await server.restore(activities);
    expect(asked).toBe(3);
    expect(steps(activities).at(-1)?.waited).toBe('ready');
  });

  it('takes a check that takes its time, and one that hangs for one without an answer', async () => {
    let asked = 0;
    const activities = new ScriptedActivities(oneItem, {
      ...asking({ 0: [5] }, { waitTimeoutMs: 10 * MINUTE }),
      areAdditionalItemsReady: async () => {
        asked += 1;
        await sleep(asked === 1 ? 7_000 : 3_000);
        return { ready: true };
      },
    });
    await server.restore(activities);
    expect(asked).toBe(2);
    expect(steps(activities).at(-1)?.waited).toBe('ready');
  });

  it('is cancelled with the restore: the item was not reached, the others are recorded', async () => {
    const activities = new ScriptedActivities(wavesOf({ name: 'configmaps', length: 2 }), {
      ...asking({ 0: [5] }, { waitTimeoutMs: 60 * MINUTE }),
      areAdditionalItemsReady: () => Promise.resolve({ ready: false }),
    });
    const ended = await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      await until('the wait began', () => activities.callsOf('areAdditionalItemsReady').length > 2);
      await handle.cancel();
      return server.ended(handle);
    });
    expect(ended.workflowStatus).toBe('CANCELLED');
    expect([...activities.outcomes.keys()]).toEqual([1]);
    expect(activities.callsOf('finalize')).toHaveLength(1);
  });

  it.each([
    { where: 'a window of 2', length: 12, options: { window: 2, shards: 1 } },
    { where: 'shards', length: 500, options: { window: 64 } },
  ])('of $length items at once does not hold the window: $where', async ({ length, options }) => {
    let waiting = 0;
    const asked = new Set<string>();
    const activities = new ScriptedActivities(wavesOf({ name: 'configmaps', length }), {
      restoreItem: (input) =>
        Promise.resolve(
          input.path === undefined && input.resume === undefined
            ? needing(input, [10_000 + input.index], { waitTimeoutMs: 10 * MINUTE })
            : created(input.index),
        ),
      areAdditionalItemsReady: ({ stateRef }) => {
        asked.add(stateRef);
        waiting = Math.max(waiting, asked.size);
        // Nobody is ready before all wait.
        return Promise.resolve({ ready: asked.size === length });
      },
    });
    const { result, handle } = await server.restore(activities, { options });
    expect(result?.counters.created).toBe(length);
    expect(waiting).toBe(length);
    const runs = new Map(activities.calls.map(({ runId, workflowId }) => [runId, workflowId]));
    const ofRoot = (await server.history(handle.workflowId)).events?.length ?? 0;
    const events = await Promise.all(
      [...runs].map(async ([runId, id]) => (await server.history(id, runId)).events?.length ?? 0),
    );
    expect(Math.max(ofRoot, ...events)).toBeLessThanOrEqual(MAX_EVENTS_OF_A_RUN);
  });

  it('items of a group that ask for others become activities of their own', async () => {
    const { restoreItem } = asking({ 3: [50] }, { waitTimeoutMs: MINUTE });
    const activities: ScriptedActivities = new ScriptedActivities(wavesOf({ name: 'configmaps', length: 10 }), {
      restoreItem,
      restoreItems: ({ offset, length }) => {
        const outcomes = range(offset, length)
          .filter((index) => index !== 3)
          .map(created);
        activities.blocks.set(`group-${String(offset)}`, outcomes);
        const counters = { created: outcomes.length, updated: 0, skipped: 0, failed: 0, warnings: 0, errors: 0 };
        return Promise.resolve({ counters, later: offset === 0 ? [3] : [], end: offset + length });
      },
    });
    const { result } = await server.restore(activities, { options: { itemsPerActivity: 5 } });
    expect(result?.counters.created).toBe(10);
    expect(steps(activities)).toEqual([
      { index: 3, resumed: false },
      { index: 50, path: [3], resumed: false },
      { index: 3, resumed: true, waited: 'ready' },
    ]);
  });
});
