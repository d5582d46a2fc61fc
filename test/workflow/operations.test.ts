import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { CheckOperationsResult } from '../../domain/contract.ts';
import type { Outcome } from '../../domain/results/outcome.ts';
import { Gate, until } from './support/gate.ts';
import { created, ScriptedActivities, wavesOf } from './support/scriptedActivities.ts';
import { progressOf, WorkflowServer } from './support/workflowServer.ts';

jest.setTimeout(600_000);

let server: WorkflowServer;

beforeAll(async () => {
  server = await WorkflowServer.start();
}, 600_000);

afterAll(async () => {
  const { errors } = await server.replayAll();
  expect(errors).toEqual([]);
  await server.stop();
});

const operation = { action: 'example.com/a', operationId: 'one', created: '2026-01-01T00:00:00Z' };

/** One item with an operation; `answers` are those of the checks, the last one for good. */
function withOperation(answers: readonly CheckOperationsResult[]): ScriptedActivities {
  let checks = 0;
  return new ScriptedActivities(wavesOf({ name: 'configmaps', length: 2 }), {
    restoreItem: ({ index }) =>
      Promise.resolve(index === 0 ? { ...created(index), operations: [operation] } : created(index)),
    checkOperations: () => {
      const answer = answers[Math.min(checks++, answers.length - 1)];
      if (answer === undefined) throw new Error('no answer');
      return Promise.resolve(answer);
    },
  });
}

const pending = { attempted: 1, completed: 0, failed: 0, pending: 1 };

describe('operations that actions have started', () => {
  it('R-071 are not asked about where there are none', async () => {
    const activities = new ScriptedActivities(wavesOf({ name: 'configmaps', length: 2 }));
    await server.restore(activities);
    expect(activities.callsOf('checkOperations')).toEqual([]);
  });

  it('R-070 are asked about at once and every ten seconds until they have ended; then the restore is finalized', async () => {
    const activities = withOperation([pending, pending, pending, { ...pending, completed: 1, pending: 0 }]);
    const { handle } = await server.restore(activities);
    expect(activities.callsOf('checkOperations')).toHaveLength(4);
    const { events } = await server.history(`${handle.workflowId}/operations`);
    const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
      timer?.startToFireTimeout == null ? [] : [Number(timer.startToFireTimeout.seconds)],
    );
    expect(timers).toEqual([10, 10, 10]);
    const last = activities.callsOf('checkOperations').at(-1);
    expect(activities.callsOf('finalize')[0]?.began).toBeGreaterThan(last?.ended ?? Infinity);
  });

  const failedItem: Outcome = {
    index: 1,
    action: 'failed',
    reason: 'refused',
    tracked: true,
    messages: [{ level: 'error', scope: 'velero', text: 'refused' }],
    at: '2026-01-01T00:00:00Z',
  };
  const done = { ...pending, completed: 1, pending: 0 };
  const failed = { ...pending, failed: 1, pending: 0 };

  it.each([
    ['R-349 R-350 that complete', created(1), done, ['WaitingForPluginOperations', 'Finalizing']],
    ['R-350 R-351 that fail', created(1), failed, ['WaitingForPluginOperations', 'FinalizingPartiallyFailed']],
    [
      'R-352 R-353 that complete beside an item that failed',
      failedItem,
      done,
      ['WaitingForPluginOperationsPartiallyFailed', 'FinalizingPartiallyFailed'],
    ],
    [
      'R-353 R-354 that fail beside an item that failed',
      failedItem,
      failed,
      ['WaitingForPluginOperationsPartiallyFailed', 'FinalizingPartiallyFailed'],
    ],
  ] as const)('%s: the phases of the restore', async (_title, item, end, phases) => {
    const [checking, ending] = [new Gate(), new Gate()];
    let checks = 0;
    const plain = new ScriptedActivities([]);
    const activities: ScriptedActivities = new ScriptedActivities(wavesOf({ name: 'configmaps', length: 2 }), {
      restoreItem: ({ index }) => Promise.resolve(index === 0 ? { ...created(index), operations: [operation] } : item),
      checkOperations: async () => {
        // The first answer is that they go on; the phase stays as it is.
        if (checks++ === 0) return pending;
        await checking.pass();
        return end;
      },
      finalize: async (input) => {
        await ending.pass();
        for (const [block, outcomes] of activities.blocks) plain.blocks.set(block, outcomes);
        return plain.finalize(input);
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      await until('the second check', () => checking.arrived > 0);
      const waiting = await progressOf(handle);
      checking.open();
      await until('the end', () => ending.arrived > 0);
      const finalizing = await progressOf(handle);
      ending.open();
      await server.ended(handle);
      expect([waiting.phase, finalizing.phase]).toEqual(phases);
    });
  });

  it('that go on for four hours stay under 4,096 events a run', async () => {
    const activities = withOperation([
      ...Array.from({ length: 1_440 }, () => pending),
      { ...pending, failed: 1, pending: 0 },
    ]);
    await server.restore(activities);
    const runs = new Map(activities.callsOf('checkOperations').map(({ runId, workflowId }) => [runId, workflowId]));
    expect(runs.size).toBeGreaterThan(1);
    const events = await Promise.all(
      [...runs].map(async ([runId, id]) => (await server.history(id, runId)).events?.length ?? 0),
    );
    expect(Math.max(...events)).toBeLessThanOrEqual(4_096);
  });

  it('are shown by phase and step, and do not hold up a restore that is cancelled', async () => {
    const activities = withOperation([pending]);
    const ended = await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      await until('the restore waits', () => activities.callsOf('checkOperations').length > 1);
      expect(await handle.query<object>('progress')).toMatchObject({
        phase: 'WaitingForPluginOperations',
        step: 'waiting for 1 operations',
      });
      await handle.cancel();
      return server.ended(handle);
    });
    expect(ended.workflowStatus).toBe('CANCELLED');
    expect(activities.callsOf('finalize')[0]?.input).toMatchObject({ cancelled: true });
  });
});
