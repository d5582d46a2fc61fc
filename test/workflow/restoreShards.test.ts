import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { taskQueueFor } from '../../domain/contract.ts';
import { countOutcomes, noCounters } from '../../domain/results/counters.ts';
import type { Outcome } from '../../domain/results/outcome.ts';
import type { restoreShard } from '../../workflows/restoreShard.ts';
import { mostInFlight, span } from './support/inFlight.ts';
import { created, planOf, range, ScriptedActivities, wavesOf } from './support/scriptedActivities.ts';
import { WorkflowServer } from './support/workflowServer.ts';

jest.setTimeout(600_000);

/** No payload over 64 KiB, no run over 4,096 events (design §2). */
const MAX_PAYLOAD_BYTES = 65_536;
const MAX_EVENTS_OF_A_RUN = 4_096;

let server: WorkflowServer;

beforeAll(async () => {
  server = await WorkflowServer.start();
}, 600_000);

afterAll(async () => {
  await server.stop();
});

/** Which slice each workflow worked on, by the ends of their ids; the root's is empty. */
function slices(activities: ScriptedActivities): [string, number, number][] {
  return activities
    .callsOf('describeItems')
    .map(({ workflowId, input }): [string, number, number] => [
      workflowId.split('/').slice(4).join('/'),
      input.offset,
      input.length,
    ])
    .toSorted(([, a], [, b]) => a - b);
}

describe('a wave of single items', () => {
  it.each([
    { length: 32, shards: 8, expected: [['', 0, 32]] },
    {
      length: 33,
      shards: 8,
      expected: [
        ['00000000', 0, 5],
        ['00000005', 5, 5],
        ['00000010', 10, 5],
        ['00000015', 15, 5],
        ['00000020', 20, 5],
        ['00000025', 25, 5],
        ['00000030', 30, 3],
      ],
    },
    {
      length: 40,
      shards: 3,
      expected: [
        ['00000000', 0, 14],
        ['00000014', 14, 14],
        ['00000028', 28, 12],
      ],
    },
    {
      length: 501,
      shards: 1,
      expected: [
        ['00000000', 0, 500],
        ['00000500', 500, 1],
      ],
    },
  ])('of $length, $shards shards side by side, is cut into $expected.length', async ({ length, shards, expected }) => {
    const activities = new ScriptedActivities(wavesOf({ name: 'configmaps', length }));
    const { result } = await server.restore(activities, { options: { shards } });
    expect(result?.counters.created).toBe(length);
    expect(slices(activities)).toEqual(expected);
    expect(activities.itemsBegun.toSorted((a, b) => a - b)).toEqual(range(0, length));
    expect(activities.callsOf('restoreItems')).toEqual([]);
    const calls = activities.callsOf('restoreItem');
    const workflows = expected.map(([id]) => calls.filter(({ workflowId }) => workflowId.endsWith(String(id))));
    const spans = workflows.map(span).map(({ first, last }) => ({ began: first, ended: last }));
    expect(mostInFlight(spans)).toBeLessThanOrEqual(shards);
  });

  it('goes to shards as well when the root has run 300', async () => {
    const waves = range(0, 10).map((wave) => ({ name: `wave ${String(wave)}`, length: 32 }));
    const activities = new ScriptedActivities(wavesOf(...waves));
    const { result } = await server.restore(activities, { options: { shards: 1 } });
    expect(result?.counters.created).toBe(320);
    const inRoot = range(0, 9).map((wave): [string, number, number] => ['', wave * 32, 32]);
    expect(slices(activities)).toEqual([...inRoot, ['00000288', 288, 32]]);
  });
});

describe('groups', () => {
  it('begin beyond 2,000 items, namespaces not counted', async () => {
    const waves = wavesOf({ name: 'namespaces', length: 3, kind: 'namespaces' }, { name: 'configmaps', length: 40 });
    const activities = new ScriptedActivities(waves, {
      plan: () => Promise.resolve({ ...planOf(waves), totalItems: 2_003 }),
    });
    await server.restore(activities);
    expect(activities.callsOf('restoreItems')).toEqual([]);
    expect(activities.callsOf('restoreItem')).toHaveLength(40);
  });

  it('are of eleven in a restore of 2,001 items, but namespaces stay alone', async () => {
    const waves = wavesOf({ name: 'namespaces', length: 3, kind: 'namespaces' }, { name: 'configmaps', length: 2_001 });
    const activities = new ScriptedActivities(waves);
    const { result } = await server.restore(activities);
    expect(result).toMatchObject({ counters: { created: 2_004 }, status: { phase: 'Completed' } });
    const groups = activities.callsOf('restoreItems');
    expect(new Set(groups.map(({ input }) => input.length))).toEqual(new Set([11, 10]));
    expect(groups).toHaveLength(182);
    expect(activities.callsOf('restoreItem')).toEqual([]);
    expect(activities.callsOf('ensureNamespace')).toHaveLength(3);
    expect(activities.itemsBegun.toSorted((a, b) => a - b)).toEqual(range(0, 2_004));
    expect(activities.outcomes.size).toBe(2_004);
  });

  it.each([
    { itemsPerActivity: 0, groups: 2, singles: 0 },
    { itemsPerActivity: 1, groups: 0, singles: 100 },
    { itemsPerActivity: 30, groups: 4, singles: 0 },
  ])(
    'of $itemsPerActivity items an activity in a restore of 100,000',
    async ({ itemsPerActivity, groups, singles }) => {
      // A piece of the plan is enough: the size of groups follows from the number of items that it tells.
      const waves = wavesOf({ name: 'configmaps', length: 100 });
      const plan = { ...planOf(waves), totalItems: 100_000 };
      const activities = new ScriptedActivities(waves, { plan: () => Promise.resolve(plan) });
      await server.restore(activities, { options: { itemsPerActivity } });
      expect(activities.callsOf('restoreItems')).toHaveLength(groups);
      expect(activities.callsOf('restoreItem')).toHaveLength(singles);
      expect(activities.itemsBegun.toSorted((a, b) => a - b)).toEqual(range(0, 100));
    },
  );

  it.each([
    { where: 'the root', length: 30 },
    { where: 'shards', length: 400 },
  ])('in $where hand on what has to wait as activities of its own', async ({ length }) => {
    const mustWait = (index: number): boolean => index % 5 === 2;
    const waves = wavesOf({ name: 'configmaps', length });
    const activities: ScriptedActivities = new ScriptedActivities(waves, {
      restoreItems: (input) => {
        const indexes = range(input.offset, input.length);
        const outcomes = indexes.filter((index) => !mustWait(index)).map(created);
        activities.blocks.set(`group-${String(input.offset)}`, outcomes);
        const counters = countOutcomes(outcomes);
        const end = input.offset + input.length;
        return Promise.resolve({ counters, later: indexes.filter(mustWait), end });
      },
    });
    const { result } = await server.restore(activities, { options: { itemsPerActivity: 10, shards: 2 } });
    expect(result?.counters.created).toBe(length);
    const alone = activities.callsOf('restoreItem');
    const indexes = alone.map(({ input }) => input.index).toSorted((a, b) => a - b);
    expect(indexes).toEqual(range(0, length).filter(mustWait));
    const groups = activities.callsOf('restoreItems');
    for (const id of new Set(alone.map(({ workflowId }) => workflowId))) {
      const ofWorkflow = ({ workflowId }: { workflowId: string }): boolean => workflowId === id;
      expect(span(alone.filter(ofWorkflow)).first).toBeGreaterThan(span(groups.filter(ofWorkflow)).last);
    }
  });

  it('of which every item has to wait keep each run short', async () => {
    const waves = wavesOf({ name: 'configmaps', length: 3_000 });
    const activities = new ScriptedActivities(waves, {
      restoreItems: ({ offset, length }) =>
        Promise.resolve({ counters: noCounters, later: range(offset, length), end: offset + length }),
    });
    const options = { itemsPerActivity: 50, shards: 1, window: 32 };
    const { result } = await server.restore(activities, { options });
    expect(result?.counters.created).toBe(3_000);
    const indexes = activities.callsOf('restoreItem').map(({ input }) => input.index);
    expect(indexes.toSorted((a, b) => a - b)).toEqual(range(0, 3_000));
    for (const [runId, workflowId] of new Map(activities.calls.map((call) => [call.runId, call.workflowId]))) {
      const { events } = await server.history(workflowId, runId);
      expect(events!.length).toBeLessThan(MAX_EVENTS_OF_A_RUN);
    }
  });
});

describe('a long shard', () => {
  it('goes on as a new run, with its counts and the names of its blocks', async () => {
    const length = 700;
    const activities = new ScriptedActivities([]);
    const ref = { name: 'test', uid: randomUUID(), storageLocation: 'default' };
    const result = await server.withWorker(activities, async (cluster) =>
      server.environment.client.workflow.execute<typeof restoreShard>('restoreShard', {
        taskQueue: taskQueueFor(cluster),
        workflowId: `restore/${cluster}/velero/test/00001000`,
        args: [
          {
            ref,
            kind: 'items',
            offset: 1_000,
            length,
            itemsPerActivity: 1,
            window: 1,
            later: [],
            done: 0,
            blocks: 0,
            counters: noCounters,
          },
        ],
      }),
    );
    expect(result).toEqual({ counters: { ...noCounters, created: length }, hookPods: 0, cancelled: false });
    expect(activities.itemsBegun).toEqual(range(1_000, length));

    const runs = new Map(activities.calls.map(({ runId, workflowId }) => [runId, workflowId]));
    expect(runs.size).toBe(2);
    for (const [runId, workflowId] of runs) {
      const { events } = await server.history(workflowId, runId);
      expect(events!.length).toBeLessThan(MAX_EVENTS_OF_A_RUN);
    }
    const blocks = activities.callsOf('recordOutcomes').map(({ input }) => input.block);
    expect(blocks).toEqual(range(0, blocks.length).map((block) => `shard-00001000-000${String(block)}`));
    expect([...activities.outcomes.keys()]).toEqual(range(1_000, length));
    expect(activities.callsOf('describeItems').map(({ input }) => input.offset)[0]).toBe(1_000);
  });
});

describe('batches of outcomes', () => {
  it.each([
    { what: 'no message', texts: [] },
    { what: 'a long message', texts: ['x'.repeat(1_024)] },
    { what: 'long messages of three bytes a character', texts: ['限'.repeat(1_024), '界'.repeat(1_024)] },
    { what: 'long messages full of quotes', texts: ['"'.repeat(1_024), '\\'.repeat(1_024), '\u0001'.repeat(1_024)] },
  ])('with $what stay under 64 KiB, and none is lost', async ({ texts }) => {
    const outcome = (index: number): Outcome => ({
      ...created(index),
      messages: texts.map((text) => ({ level: 'warning', scope: { namespace: 'shop' }, text, ref: 'messages/1/0' })),
    });
    const activities = new ScriptedActivities(wavesOf({ name: 'configmaps', length: 150 }), {
      restoreItem: ({ index }) => Promise.resolve(outcome(index)),
    });
    await server.restore(activities, { options: { shards: 1, window: 64 } });
    const sizes = activities.callsOf('recordOutcomes').map(({ input }) => Buffer.byteLength(JSON.stringify(input)));
    expect(Math.max(...sizes)).toBeLessThan(MAX_PAYLOAD_BYTES);
    expect([...activities.outcomes.keys()].toSorted((a, b) => a - b)).toEqual(range(0, 150));
    expect([...activities.blocks.values()].flat()).toHaveLength(150);
  });
});

describe('the histories of these tests', () => {
  it('are replayed without a difference', async () => {
    const { runs, errors } = await server.replayAll();
    expect(errors).toEqual([]);
    expect(runs).toBeGreaterThan(20);
  });
});
