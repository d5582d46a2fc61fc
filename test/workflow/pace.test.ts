import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { type RestoreProgress, updateNames } from '../../domain/contract.ts';
import type { Pace } from '../../domain/pace.ts';
import { Gate, until } from './support/gate.ts';
import { mostInFlight } from './support/inFlight.ts';
import { created, ScriptedActivities, wavesOf } from './support/scriptedActivities.ts';
import { type RestoreUnderTest, WorkflowServer } from './support/workflowServer.ts';

jest.setTimeout(300_000);

let server: WorkflowServer;

beforeAll(async () => {
  server = await WorkflowServer.start();
}, 600_000);

afterAll(async () => {
  await server.stop();
});

/** Items that take their time. */
function slowItems(length: number): ScriptedActivities {
  return new ScriptedActivities(wavesOf({ name: 'configmaps', length }), {
    restoreItem: async ({ index }) => {
      await sleep(20);
      return created(index);
    },
  });
}

function pause(handle: RestoreUnderTest): Promise<Pace> {
  return handle.executeUpdate<Pace, []>(updateNames.pause);
}

function resume(handle: RestoreUnderTest): Promise<Pace> {
  return handle.executeUpdate<Pace, []>(updateNames.resume);
}

function setMaxInFlight(handle: RestoreUnderTest, limit: number): Promise<Pace> {
  return handle.executeUpdate<Pace, [number]>(updateNames.setMaxInFlight, { args: [limit] });
}

async function refusal(update: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await update.catch((thrown: unknown) => thrown);
  if (!(error instanceof WorkflowUpdateFailedError)) throw new Error('expected the update to be refused');
  return error.cause?.message;
}

/** Resolves when nothing has been in flight for a moment. @returns how many items have begun by then */
async function atRest(activities: ScriptedActivities): Promise<number> {
  for (let before = -1; ; ) {
    const calls = activities.callsOf('restoreItem');
    if (calls.length === before && calls.every(({ ended }) => ended !== Infinity)) return before;
    before = calls.length;
    await sleep(500);
  }
}

describe('a restore that is paused', () => {
  it.each([
    { where: 'in its root', length: 32, options: { window: 2 } },
    { where: 'in shards', length: 200, options: { shards: 3, window: 2 } },
  ])('$where starts nothing until it is resumed', async ({ length, options }) => {
    const activities = slowItems(length);
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster, { options });
      await until('some items', () => activities.callsOf('restoreItem').length > 5);
      expect(await pause(handle)).toEqual({ paused: true, maxInFlight: 0 });
      const begun = await atRest(activities);
      expect(begun).toBeLessThan(length);
      expect(await handle.query<RestoreProgress>('progress')).toMatchObject({ pace: { paused: true } });
      expect(await pause(handle)).toEqual({ paused: true, maxInFlight: 0 });
      expect(await resume(handle)).toEqual({ paused: false, maxInFlight: 0 });
      const { result } = await server.ended(handle);
      expect(result).toMatchObject({ counters: { created: length }, status: { phase: 'Completed' } });
    });
  });

  it('before its first item waits with all of them', async () => {
    const gate = new Gate();
    const activities = new ScriptedActivities(wavesOf({ name: 'configmaps', length: 40 }), {
      validate: async () => {
        await gate.pass();
        return { valid: true, backupName: 'nightly' };
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      await until('validation', () => activities.callsOf('validate').length === 1);
      await pause(handle);
      gate.open();
      await until('the plan', () => activities.callsOf('plan').length === 1);
      expect(await atRest(activities)).toBe(0);
      await resume(handle);
      expect((await server.ended(handle)).result?.counters.created).toBe(40);
    });
  });

  it('can be cancelled, and ends at once', async () => {
    const activities = slowItems(200);
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster, { options: { shards: 2, window: 2 } });
      await until('some items', () => activities.callsOf('restoreItem').length > 5);
      await pause(handle);
      await handle.cancel();
      const { workflowStatus } = await server.ended(handle);
      expect(workflowStatus).toBe('CANCELLED');
      expect(activities.callsOf('finalize')).toMatchObject([{ input: { cancelled: true } }]);
    });
  });
});

describe('a limit of activities in flight', () => {
  it.each([
    { limit: 3, most: 3 },
    { limit: 1, most: 1 },
    { limit: 20, most: 20 },
  ])('of $limit over all shards is kept', async ({ limit, most }) => {
    const activities = slowItems(160);
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster, { options: { shards: 4, window: 2 } });
      await until('some items', () => activities.callsOf('restoreItem').length > 5);
      await pause(handle);
      const begun = await atRest(activities);
      await setMaxInFlight(handle, limit);
      await resume(handle);
      const { result } = await server.ended(handle);
      expect(result?.counters.created).toBe(160);
      const afterwards = activities.callsOf('restoreItem').slice(begun);
      expect(afterwards.length).toBeGreaterThan(60);
      expect(mostInFlight(afterwards)).toBeLessThanOrEqual(most);
      if (limit > 8) expect(mostInFlight(afterwards)).toBeGreaterThan(8);
    });
  });

  it('of 0 takes the limit away', async () => {
    const activities = slowItems(160);
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster, { options: { shards: 4, window: 2 } });
      await setMaxInFlight(handle, 1);
      await until('some items', () => activities.callsOf('restoreItem').length > 5);
      expect(await setMaxInFlight(handle, 0)).toEqual({ paused: false, maxInFlight: 0 });
      await server.ended(handle);
      expect(mostInFlight(activities.callsOf('restoreItem').slice(10))).toBeGreaterThan(2);
    });
  });
});

describe('a change that cannot be made', () => {
  it('names the value, or why it is too late', async () => {
    const gate = new Gate();
    const activities: ScriptedActivities = new ScriptedActivities(wavesOf({ name: 'configmaps', length: 10 }), {
      finalize: async (input) => {
        await gate.pass();
        return activities.finalize(input);
      },
    });
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      await until('its end', () => activities.callsOf('finalize').length === 1);
      expect(await refusal(pause(handle))).toBe('restore test is ending: nothing more is started');
      expect(await refusal(setMaxInFlight(handle, 5))).toBe('restore test is ending: nothing more is started');
      gate.open();
      await server.ended(handle);
    });
  });

  it.each([-1, 1.5, 10_001])('%p activities', async (limit) => {
    const activities = slowItems(40);
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster);
      expect(await refusal(setMaxInFlight(handle, limit))).toBe(
        `max-in-flight: found ${String(limit)}, expected a whole number from 1 to 10000, or 0 for the restore's own options`,
      );
      await server.ended(handle);
    });
  });

  it('in a restore of strict order', async () => {
    const activities = slowItems(40);
    await server.withWorker(activities, async (cluster) => {
      const handle = await server.startRestore(cluster, { options: { order: 'strict' } });
      expect(await refusal(setMaxInFlight(handle, 5))).toBe('a restore of strict order has one item in flight');
      await server.ended(handle);
      expect(mostInFlight(activities.callsOf('restoreItem'))).toBe(1);
    });
  });
});

describe('the histories of these tests', () => {
  it('are replayed without a difference', async () => {
    const { runs, errors } = await server.replayAll();
    expect(runs).toBeGreaterThan(10);
    expect(errors).toEqual([]);
  });
});
