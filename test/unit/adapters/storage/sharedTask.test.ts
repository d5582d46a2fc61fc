import { describe, expect, it } from '@jest/globals';
import { SharedTask } from '../../../../adapters/storage/sharedTask.ts';

/** A task that ends when told to, or when it is aborted. */
function controlled() {
  let end: (result: string) => void = () => undefined;
  let report: (progress: number) => void = () => undefined;
  let aborted = false;
  const task = new SharedTask<string, number>((signal, onProgress) => {
    report = onProgress;
    return new Promise((resolve, reject) => {
      end = resolve;
      signal.addEventListener('abort', () => {
        aborted = true;
        reject(new Error('given up'));
      });
    });
  });
  return { task, end: (r: string) => end(r), report: (p: number) => report(p), isAborted: () => aborted };
}

describe('SharedTask', () => {
  it('gives all who wait the same result and progress', async () => {
    const { task, end, report } = controlled();
    const seen: number[][] = [[], []];
    const waits = seen.map((list) => task.wait((progress) => list.push(progress)));
    report(1);
    report(2);
    end('done');
    expect(await Promise.all(waits)).toEqual(['done', 'done']);
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('goes on when one of two gives up', async () => {
    const { task, end, isAborted } = controlled();
    const controller = new AbortController();
    const first = task.wait(undefined, controller.signal);
    const second = task.wait();
    controller.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    expect(isAborted()).toBe(false);
    expect(task.alive).toBe(true);
    end('done');
    expect(await second).toBe('done');
  });

  it('is aborted when all have given up', async () => {
    const { task, isAborted } = controlled();
    const controller = new AbortController();
    const waits = [task.wait(undefined, controller.signal), task.wait(undefined, controller.signal)];
    controller.abort(new Error('enough'));
    expect((await Promise.allSettled(waits)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(isAborted()).toBe(true);
    expect(task.alive).toBe(false);
  });

  it('rejects one who comes with an aborted signal', async () => {
    const { task, isAborted } = controlled();
    await expect(task.wait(undefined, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(isAborted()).toBe(true);
  });

  it('gives all who wait the same error', async () => {
    const task = new SharedTask<string, number>(() => Promise.reject(new Error('broken')));
    await expect(task.wait()).rejects.toThrow('broken');
    await expect(task.wait()).rejects.toThrow('broken');
  });
});
