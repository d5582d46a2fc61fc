import { spawnSync } from 'node:child_process';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { isAlive, withLock } from '../../../tools/servers/lock.ts';
import { temporaryFolder } from '../../unit/tools/temporaryFolder.ts';

const quick = { pollMs: 10 };

/** The id of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

async function lockOf(holder: { pid: number; host: string }): Promise<string> {
  const path = join(await temporaryFolder(), 'one.lock');
  await writeFile(path, JSON.stringify({ ...holder, id: 'somebody' }));
  return path;
}

describe('withLock', () => {
  it('lets one work at a time, and all of them in the end', async () => {
    const path = join(await temporaryFolder(), 'folder', 'one.lock');
    let working = 0;
    const order: number[] = [];
    const work = async (index: number): Promise<void> => {
      working++;
      expect(working).toBe(1);
      await sleep(20);
      working--;
      order.push(index);
    };
    await Promise.all([0, 1, 2, 3].map((index) => withLock(path, quick, () => work(index))));
    expect(order.sort()).toEqual([0, 1, 2, 3]);
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  it('is let go of when the work fails', async () => {
    const path = join(await temporaryFolder(), 'one.lock');
    await expect(withLock(path, quick, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await withLock(path, quick, () => Promise.resolve('done'))).toBe('done');
  });

  it('clears a lock whose process is gone', async () => {
    const path = await lockOf({ pid: deadPid(), host: hostname() });
    expect(await withLock(path, quick, () => readFile(path, 'utf8'))).toContain(`"pid":${process.pid}`);
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  it('clears it once when many wait for it', async () => {
    const path = await lockOf({ pid: deadPid(), host: hostname() });
    let working = 0;
    const work = async (): Promise<void> => {
      expect(++working).toBe(1);
      await sleep(10);
      working--;
    };
    await Promise.all([1, 2, 3, 4].map(() => withLock(path, quick, work)));
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  it.each([
    ['a process of this machine that lives', { pid: process.pid, host: hostname() }],
    ['a process of another machine, of which nothing is known', { pid: 1, host: 'elsewhere.example' }],
  ])('waits for %s, as long as the lock is touched', async (_, holder) => {
    const path = await lockOf(holder);
    const waited: (number | undefined)[] = [];
    let worked = false;
    const options = { ...quick, staleAfterMs: 2_000, onWait: (pid: number | undefined) => waited.push(pid) };
    const end = withLock(path, options, () => {
      worked = true;
      return Promise.resolve();
    });
    while (waited.length === 0) await sleep(5);
    expect(waited).toEqual([holder.pid]);
    expect(worked).toBe(false);
    const longAgo = new Date(Date.now() - 10_000);
    await utimes(path, longAgo, longAgo);
    await end;
    expect(worked).toBe(true);
  });

  it('leaves alone the lock of whoever took it from us', async () => {
    const path = join(await temporaryFolder(), 'one.lock');
    const other = JSON.stringify({ pid: 1, host: 'elsewhere.example', id: 'other' });
    await withLock(path, quick, () => writeFile(path, other));
    expect(await readFile(path, 'utf8')).toBe(other);
  });
});

describe('isAlive', () => {
  it('knows the living and the dead', () => {
    expect(isAlive(process.pid)).toBe(true);
    expect(isAlive(deadPid())).toBe(false);
  });
});
