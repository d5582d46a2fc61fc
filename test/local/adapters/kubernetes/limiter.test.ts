import { getEventListeners, getMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AdaptiveLimiter } from '../../../../adapters/kubernetes/limiter.ts';

/** A task that runs until it is told to end. */
class Task {
  started = false;
  readonly done: Promise<string>;
  end: () => void = () => undefined;

  constructor(limiter: AdaptiveLimiter, name = 'task', signal?: AbortSignal) {
    this.done = limiter.run(() => {
      this.started = true;
      return new Promise((resolve) => {
        this.end = () => resolve(name);
      });
    }, signal);
  }
}

function startTasks(limiter: AdaptiveLimiter, count: number): Task[] {
  return Array.from({ length: count }, (_value, index) => new Task(limiter, `task ${index}`));
}

async function settle(): Promise<void> {
  await new Promise(setImmediate);
}

async function endAll(tasks: readonly Task[]): Promise<void> {
  for (const task of tasks) {
    await settle();
    task.end();
    await task.done;
  }
}

describe('AdaptiveLimiter', () => {
  it('runs as many tasks at a time as its limit, the others in the order in which they came', async () => {
    const limiter = new AdaptiveLimiter({ max: 2 });
    const tasks = startTasks(limiter, 5);
    await settle();

    expect(tasks.map(({ started }) => started)).toEqual([true, true, false, false, false]);
    expect([limiter.limit, limiter.inFlight, limiter.waiting]).toEqual([2, 2, 3]);

    tasks[1]?.end();
    await settle();

    expect(tasks.map(({ started }) => started)).toEqual([true, true, true, false, false]);
    await endAll(tasks);
    expect([limiter.inFlight, limiter.waiting]).toEqual([0, 0]);
  });

  it('gives what the task gives and throws what it throws', async () => {
    const limiter = new AdaptiveLimiter({ max: 1 });
    const error = new Error('of the task');

    await expect(limiter.run(() => Promise.resolve(5))).resolves.toBe(5);
    await expect(limiter.run(() => Promise.reject(error))).rejects.toBe(error);
    await expect(limiter.run(() => Promise.resolve(6))).resolves.toBe(6);
    expect(limiter.inFlight).toBe(0);
  });

  it('halves its limit on a refusal, at most once a second, never below 1', async () => {
    const limiter = new AdaptiveLimiter({ max: 5 });

    for (let refusal = 0; refusal < 10; refusal++) limiter.throttled(undefined);
    expect(limiter.limit).toBe(2);
    await sleep(1_050);
    limiter.throttled(undefined);
    expect(limiter.limit).toBe(1);
    await sleep(1_050);
    limiter.throttled(undefined);
    expect(limiter.limit).toBe(1);
  });

  it('grows by one after so many successes, up to its maximum, and starts those who wait', async () => {
    const limiter = new AdaptiveLimiter({ max: 4, successesPerStep: 3 });
    limiter.throttled(undefined);
    const tasks = startTasks(limiter, 4);
    await settle();
    expect(tasks.filter(({ started }) => started)).toHaveLength(2);

    for (let success = 0; success < 2; success++) limiter.succeeded();
    expect(limiter.limit).toBe(2);
    limiter.succeeded();
    await settle();

    expect(limiter.limit).toBe(3);
    expect(tasks.filter(({ started }) => started)).toHaveLength(3);
    for (let success = 0; success < 30; success++) limiter.succeeded();
    expect(limiter.limit).toBe(4);
    await endAll(tasks);
  });

  it('counts successes anew after a refusal', () => {
    const limiter = new AdaptiveLimiter({ max: 4, successesPerStep: 3 });
    limiter.throttled(undefined);
    limiter.succeeded();
    limiter.succeeded();
    limiter.throttled(undefined);
    limiter.succeeded();
    limiter.succeeded();

    expect(limiter.limit).toBe(2);
  });

  it('starts nothing while the server has asked for a pause, then goes on', async () => {
    const limiter = new AdaptiveLimiter({ max: 4 });
    const before = performance.now();
    limiter.throttled(200);
    const startedAt: number[] = [];

    await Promise.all(
      Array.from({ length: 3 }, () => limiter.run(() => Promise.resolve(startedAt.push(performance.now() - before)))),
    );

    expect(startedAt).toHaveLength(3);
    expect(Math.min(...startedAt)).toBeGreaterThanOrEqual(200);
  });

  it('lets go of a task whose signal is aborted while it waits, and keeps the others in order', async () => {
    const limiter = new AdaptiveLimiter({ max: 1 });
    const reason = new Error('cancelled');
    const controller = new AbortController();
    const [running] = startTasks(limiter, 1);
    const cancelled = new Task(limiter, 'cancelled', controller.signal);
    const last = new Task(limiter, 'last');
    await settle();

    controller.abort(reason);

    await expect(cancelled.done).rejects.toBe(reason);
    expect(limiter.waiting).toBe(1);
    await endAll([running!, last]);
    expect(cancelled.started).toBe(false);
  });

  it('refuses a signal that is aborted already and ignores one that is aborted later', async () => {
    const limiter = new AdaptiveLimiter({ max: 1 });
    const controller = new AbortController();
    const task = new Task(limiter, 'task', controller.signal);
    await settle();
    controller.abort();
    task.end();

    await expect(task.done).resolves.toBe('task');
    await expect(limiter.run(() => Promise.resolve(1), controller.signal)).rejects.toBe(controller.signal.reason);
  });

  it('lets any number of tasks wait on one signal without a warning of Node', async () => {
    const limiter = new AdaptiveLimiter({ max: 1 });
    const { signal } = new AbortController();

    await Promise.all(Array.from({ length: 100 }, () => limiter.run(settle, signal)));

    expect(getMaxListeners(signal)).toBe(Number.POSITIVE_INFINITY);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses a limit of %p', (max) => {
    expect(() => new AdaptiveLimiter({ max })).toThrow(`limit is ${max}, expected a whole number of at least 1`);
  });
});
