import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Outcome } from '../../domain/results/outcome.ts';
import { Gate, until } from './support/gate.ts';
import { mostInFlight, span } from './support/inFlight.ts';
import { type Call, created, planOf, range, ScriptedActivities, wavesOf } from './support/scriptedActivities.ts';
import { causeOf, type EndedRestore, progressOf, WorkflowServer } from './support/workflowServer.ts';

jest.setTimeout(120_000);

let server: WorkflowServer;

beforeAll(async () => {
  server = await WorkflowServer.start();
}, 600_000);

afterAll(async () => {
  await server.stop();
});

function shardsOf({ handle }: Pick<EndedRestore, 'handle'>, ...offsets: number[]): string[] {
  return offsets.map((offset) => `${handle.workflowId}/${String(offset).padStart(8, '0')}`);
}

describe('waves', () => {
  const waves = wavesOf(
    { name: 'customresourcedefinitions', length: 2, kind: 'customResourceDefinitions' },
    { name: 'namespaces', length: 2, kind: 'namespaces' },
    { name: 'secrets', length: 3 },
    { name: 'configmaps', length: 40 },
    { name: 'middle: custom resources', length: 5 },
  );

  it('R-321: run in their order and one after another, in the root and in shards, and the end comes after all of them', async () => {
    const activities = new ScriptedActivities(waves);
    const { result } = await server.restore(activities);
    expect(result).toMatchObject({ status: { phase: 'Completed' }, counters: { created: 52, errors: 0 } });

    expect(activities.itemsBegun.toSorted((a, b) => a - b)).toEqual(range(0, 52));
    const items = [...activities.callsOf('restoreItem'), ...activities.callsOf('ensureNamespace')];
    const spans = waves.map(({ offset, length }) =>
      span(items.filter(({ input }) => input.index >= offset && input.index < offset + length)),
    );
    for (const [position, { first }] of spans.entries()) {
      if (position > 0) expect(first).toBeGreaterThan(spans[position - 1]!.last);
    }
    expect(
      activities
        .callsOf('ensureNamespace')
        .map(({ input }) => input.index)
        .toSorted(),
    ).toEqual([2, 3]);

    const [awaited, ...more] = activities.callsOf('awaitCustomResourceDefinitions');
    expect(more).toEqual([]);
    expect(awaited!.input.wave).toEqual(waves[0]);
    expect(awaited!.began).toBeGreaterThan(spans[0]!.last);
    expect(awaited!.ended).toBeLessThan(spans[1]!.first);
    const ends = activities.callsOf('finalize');
    expect(ends.map(({ input }) => input)).toMatchObject([{ totalItems: 52, cancelled: false }]);
    expect(ends[0]!.began).toBeGreaterThan(Math.max(...items.map(({ ended }) => ended)));
  });

  it('add an error for each definition that is not ready in time', async () => {
    const late = [0, 1].map(
      (index): Outcome => ({
        index,
        action: 'created',
        tracked: true,
        messages: [{ level: 'error', scope: 'cluster', text: `definition ${String(index)} is not ready` }],
        at: '2026-01-01T00:00:00Z',
      }),
    );
    const gate = new Gate();
    const plain = new ScriptedActivities(waves);
    const activities: ScriptedActivities = new ScriptedActivities(waves, {
      awaitCustomResourceDefinitions: () => Promise.resolve(late),
      finalize: async (input) => {
        await gate.pass();
        for (const [block, outcomes] of activities.blocks) plain.blocks.set(block, outcomes);
        return plain.finalize(input);
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      await until('finalize', () => gate.arrived > 0);
      expect(await progressOf(handle)).toMatchObject({ phase: 'FinalizingPartiallyFailed', counters: { errors: 2 } });
      gate.open();
      expect((await server.ended(handle)).result?.status.phase).toBe('PartiallyFailed');
    });
    const recorded = [...activities.blocks.values()].flat().filter(({ messages }) => messages !== undefined);
    expect(recorded).toEqual(late);
  });
});

describe('window', () => {
  it.each([
    { where: 'the root', length: 20, shards: 8, window: 4, most: 4, workflows: 1 },
    { where: 'shards', length: 60, shards: 2, window: 3, most: 6, workflows: 2 },
  ])('is filled and never exceeded in $where', async ({ length, shards, window, most, workflows }) => {
    const gate = new Gate();
    const activities = new ScriptedActivities(wavesOf({ name: 'configmaps', length }), {
      restoreItem: async ({ index }) => {
        await gate.pass();
        return created(index);
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster, { options: { shards, window } });
      await until('a full window', () => gate.arrived === most);
      gate.open();
      expect((await server.ended(handle)).result?.counters.created).toBe(length);
    });
    const calls = activities.callsOf('restoreItem');
    expect(mostInFlight(calls)).toBe(most);
    const ids = new Set(calls.map(({ workflowId }) => workflowId));
    expect(ids.size).toBe(workflows);
    for (const id of ids) expect(mostInFlight(calls.filter(({ workflowId }) => workflowId === id))).toBe(window);
  });

  it('is one in strict order, whatever the options say', async () => {
    const activities = new ScriptedActivities(wavesOf({ name: 'secrets', length: 3 }, { name: 'pods', length: 40 }));
    const options = { order: 'strict', shards: 8, window: 16 } as const;
    const { result } = await server.restore(activities, { options });
    expect(result?.counters.created).toBe(43);
    expect(activities.itemsBegun).toEqual(range(0, 43));
    expect(mostInFlight(activities.callsOf('restoreItem'))).toBe(1);
  });
});

describe('validation', () => {
  it('ends the restore with every reason, and nothing else is done', async () => {
    const validationErrors = ['backup "nightly" does not exist', 'namespace "-" is not a name'];
    const activities = new ScriptedActivities([], {
      validate: () => Promise.resolve({ valid: false, validationErrors }),
    });
    const { error, workflowStatus } = await server.restore(activities);
    expect(workflowStatus).toBe('FAILED');
    expect(causeOf(error)).toMatchObject({
      type: 'FailedValidation',
      nonRetryable: true,
      message: validationErrors.join('\n'),
      details: [{ validationErrors }],
    });
    expect(activities.calls.map(({ activity }) => activity)).toEqual(['validate']);
  });

  it('gives up after four attempts, and says why', async () => {
    const activities = new ScriptedActivities([], {
      validate: () => Promise.reject(new Error('connect ECONNREFUSED')),
    });
    const { error } = await server.restore(activities);
    expect(causeOf(error)).toMatchObject({
      type: 'FailedValidation',
      details: [{ validationErrors: ['connect ECONNREFUSED'] }],
    });
    expect(activities.callsOf('validate').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });
});

describe('faults of the infrastructure', () => {
  /** Fails that many attempts, then does what the default does. */
  function failing<Result>(attempts: number, result: () => Result) {
    return (_input: unknown, { attempt }: Call): Promise<Result> =>
      attempt <= attempts ? Promise.reject(new Error('connect ECONNREFUSED')) : Promise.resolve(result());
  }

  it('are tried again until they pass', async () => {
    const waves = wavesOf({ name: 'namespaces', length: 1, kind: 'namespaces' }, { name: 'secrets', length: 2 });
    const activities: ScriptedActivities = new ScriptedActivities(waves, {
      plan: failing(5, () => planOf(waves)),
      describeItems: ({ length }, call) => failing(2, () => range(0, length).map(String))(undefined, call),
      ensureNamespace: failing(7, () => created(0)),
      restoreItem: ({ index }, call) => failing(index === 1 ? 40 : 0, () => created(index))(undefined, call),
      recordOutcomes: ({ block, outcomes }, call) =>
        failing(3, () => {
          activities.blocks.set(block, outcomes);
        })(undefined, call),
    });
    const { result } = await server.restore(activities);
    expect(result).toMatchObject({ status: { phase: 'Completed' }, counters: { created: 3, failed: 0 } });
    expect(activities.callsOf('plan')).toHaveLength(6);
    expect(activities.callsOf('ensureNamespace')).toHaveLength(8);
    expect(activities.callsOf('restoreItem').filter(({ input }) => input.index === 1)).toHaveLength(41);
    expect([...activities.outcomes.keys()].toSorted()).toEqual([0, 1, 2]);
  });
});

/** Velero gives up the last change of a restore's status after ten minutes, and the restore is left without an end. */
describe('writing how a restore ended', () => {
  it.each([
    ['R-340 at once', 0],
    ['R-338 at the second attempt', 1],
    ['R-339 however often it is refused', 60],
  ])('%s', async (_title, refusals) => {
    const waves = wavesOf({ name: 'secrets', length: 1 });
    const plain = new ScriptedActivities(waves);
    const activities: ScriptedActivities = new ScriptedActivities(waves, {
      finalize: (input, { attempt }) => {
        if (attempt <= refusals) return Promise.reject(new Error('the bucket does not answer'));
        for (const [block, outcomes] of activities.blocks) plain.blocks.set(block, outcomes);
        return Promise.resolve(plain.finalize(input));
      },
    });
    const { result } = await server.restore(activities);
    expect(result).toMatchObject({ status: { phase: 'Completed' }, counters: { created: 1 } });
    expect(activities.callsOf('finalize')).toHaveLength(refusals + 1);
  });
});

describe('a restore that cannot be executed', () => {
  const failure = (): never => {
    throw ApplicationFailure.nonRetryable('the backup is gone from the bucket', 'BackupChanged');
  };

  it.each([
    { where: 'in the root', length: 10, window: 1, last: 4, shards: 8 },
    { where: 'in a shard', length: 40, window: 1, last: 4, shards: 1 },
  ])('$where fails, with what was done on record', async ({ length, window, last, shards }) => {
    const waves = wavesOf({ name: 'secrets', length }, { name: 'pods', length: 2 });
    const activities = new ScriptedActivities(waves, {
      restoreItem: ({ index }) => (index === last ? failure() : Promise.resolve(created(index))),
    });
    const { error, workflowStatus } = await server.restore(activities, { options: { window, shards } });
    expect(workflowStatus).toBe('FAILED');
    expect(causeOf(error)).toMatchObject({
      type: 'RestoreFailed',
      nonRetryable: true,
      message: 'the backup is gone from the bucket',
      details: [{ status: { phase: 'Failed', failureReason: 'the backup is gone from the bucket' } }],
    });
    expect(activities.callsOf('finalize').map(({ input }) => input)).toMatchObject([
      { totalItems: length + 2, cancelled: false, failureReason: 'the backup is gone from the bucket' },
    ]);
    expect([...activities.outcomes.keys()]).toEqual(range(0, last));
    expect(activities.itemsBegun).toEqual(range(0, last + 1));
  });

  it('because it cannot be planned fails after twenty attempts', async () => {
    const activities = new ScriptedActivities([], { plan: () => Promise.reject(new Error('bucket is gone')) });
    const { error } = await server.restore(activities);
    expect(causeOf(error)).toMatchObject({ type: 'RestoreFailed', message: 'bucket is gone' });
    expect(activities.callsOf('plan')).toHaveLength(20);
    expect(activities.callsOf('finalize')[0]!.input).toMatchObject({ totalItems: 0, failureReason: 'bucket is gone' });
  });
});

describe('cancelling', () => {
  function expectCancelled(end: EndedRestore, activities: ScriptedActivities): void {
    expect(end.workflowStatus).toBe('CANCELLED');
    expect(causeOf(end.error)).toMatchObject({ name: 'CancelledFailure' });
    const [finalized, ...more] = activities.callsOf('finalize');
    expect(more).toEqual([]);
    expect(finalized!.input.cancelled).toBe(true);
    expect(finalized!.input.failureReason).toBeUndefined();
    for (const { ended } of activities.calls) expect(ended).toBeLessThanOrEqual(finalized!.ended);
  }

  it.each(['ends although it was cancelled', 'stops'] as const)('while a plan is made, which %s', async (how) => {
    const waves = wavesOf({ name: 'secrets', length: 3 });
    const gate = new Gate();
    const activities = new ScriptedActivities(waves, {
      plan: async () => {
        if (how === 'stops') await Context.current().cancelled.finally(() => void gate.pass());
        await gate.pass();
        return planOf(waves);
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      await until('planning', () => activities.callsOf('plan').length === 1);
      await handle.cancel();
      await until('cancelled', () => server.hasEvent(handle.workflowId, 'activityTaskCancelRequestedEventAttributes'));
      gate.open();
      expectCancelled(await server.ended(handle), activities);
    });
    expect(activities.itemsBegun).toEqual([]);
  });

  it('in a wave of the root lets items in flight end, records them, and starts no other', async () => {
    const waves = wavesOf({ name: 'secrets', length: 20 }, { name: 'pods', length: 2 });
    const gate = new Gate();
    const activities = new ScriptedActivities(waves, {
      restoreItem: async ({ index }) => {
        await gate.pass();
        return created(index);
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster, { options: { window: 4 } });
      await until('a full window', () => gate.arrived === 4);
      await handle.cancel();
      await until('cancelled', () => server.hasEvent(handle.workflowId, 'activityTaskCancelRequestedEventAttributes'));
      gate.open();
      expectCancelled(await server.ended(handle), activities);
    });
    expect(activities.itemsBegun.toSorted()).toEqual([0, 1, 2, 3]);
    expect([...activities.outcomes.keys()].toSorted()).toEqual([0, 1, 2, 3]);
  });

  it('in shards lets items in flight end, records them, and starts neither item nor shard', async () => {
    const waves = wavesOf({ name: 'secrets', length: 1_001 }, { name: 'pods', length: 2 });
    const gate = new Gate();
    const activities = new ScriptedActivities(waves, {
      restoreItem: async ({ index }) => {
        await gate.pass();
        return created(index);
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster, { options: { shards: 2, window: 3 } });
      await until('full windows', () => gate.arrived === 6);
      await handle.cancel();
      for (const shard of shardsOf({ handle }, 0, 500)) {
        await until('cancelled', () => server.hasEvent(shard, 'activityTaskCancelRequestedEventAttributes'));
      }
      gate.open();
      expectCancelled(await server.ended(handle), activities);
    });
    const inFlight = [0, 1, 2, 500, 501, 502];
    expect(activities.itemsBegun.toSorted((a, b) => a - b)).toEqual(inFlight);
    expect([...activities.outcomes.keys()].toSorted((a, b) => a - b)).toEqual(inFlight);
    expect(activities.callsOf('describeItems')).toHaveLength(2);
  });
});

describe('progress', () => {
  it('of the root tells phase, step, counts and waves', async () => {
    const gate = new Gate();
    const waves = wavesOf({ name: 'secrets', length: 2 }, { name: 'pods', length: 5 });
    const activities = new ScriptedActivities(waves, {
      restoreItem: async ({ index }) => {
        if (index >= 5) await gate.pass();
        return index === 3 ? { ...created(index), action: 'failed' } : created(index);
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      await until('five items', async () => (await progressOf(handle)).waves[1]?.done === 3);
      const progress = await progressOf(handle);
      expect(progress).toMatchObject({
        phase: 'InProgress',
        step: 'restoring pods',
        totalItems: 7,
        counters: { created: 4, updated: 0, skipped: 0, failed: 1, warnings: 0, errors: 0 },
        waves: [
          { name: 'secrets', total: 2, done: 2, failed: 0 },
          { name: 'pods', total: 5, done: 3, failed: 1 },
        ],
        runningShards: [],
      });
      expect(Date.parse(progress.startTimestamp ?? '')).not.toBeNaN();
      gate.open();
      await server.ended(handle);
      expect(await progressOf(handle)).toMatchObject({ phase: 'Completed', step: 'ended', counters: { created: 6 } });
    });
  });

  it('of a shard tells counts, and the root names the shards at work', async () => {
    const gate = new Gate();
    const activities = new ScriptedActivities(wavesOf({ name: 'pods', length: 40 }), {
      restoreItem: async ({ index }) => {
        if (index >= 36) await gate.pass();
        return created(index);
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster, { options: { shards: 2 } });
      const [first, second] = shardsOf({ handle }, 0, 20);
      await until('the first shard', async () => (await progressOf(handle)).counters.created === 20);
      const shard = server.environment.client.workflow.getHandle(second!);
      const counters = { created: 16, updated: 0, skipped: 0, failed: 0, warnings: 0, errors: 0 };
      await until('all that is not held', async () => {
        const answer = await shard.query<{ counters: typeof counters }>('progress');
        return answer.counters.created === 16;
      });
      expect(await shard.query('progress')).toEqual({ counters });
      expect((await progressOf(handle)).runningShards).toEqual([second]);
      expect(first).not.toBe(second);
      gate.open();
      await server.ended(handle);
      expect(await progressOf(handle)).toMatchObject({ runningShards: [], counters: { created: 40 } });
    });
  });
});

describe('search attributes', () => {
  it.each([
    { useSearchAttributes: false, written: false },
    { useSearchAttributes: true, written: true },
  ])('are written: $useSearchAttributes', async ({ useSearchAttributes, written }) => {
    const activities = new ScriptedActivities(wavesOf({ name: 'pods', length: 2 }));
    const { handle, result } = await server.restore(activities, { useSearchAttributes });
    expect(result?.status.phase).toBe('Completed');
    const event = 'upsertWorkflowSearchAttributesEventAttributes';
    expect(await server.hasEvent(handle.workflowId, event)).toBe(written);
  });
});

describe('the histories of these tests', () => {
  it('are replayed without a difference', async () => {
    const { runs, errors } = await server.replayAll();
    expect(errors).toEqual([]);
    expect(runs).toBeGreaterThan(20);
  });
});
