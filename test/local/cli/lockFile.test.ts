import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type DataDirectory, openDataDirectory } from '../../../cli/devServer/dataDirectory.ts';
import {
  databaseFlag,
  isServerOf,
  parseLock,
  readLock,
  type ServerLock,
  writeLock,
} from '../../../cli/devServer/lockFile.ts';
import { isAlive, stopProcess } from '../../../cli/devServer/processes.ts';
import { temporaryDirectory } from '../../unit/cli/temporaryDirectory.ts';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that looks like a server by its arguments and stays until it is ended. */
async function start(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', ...args], { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

function lockOf(pid: number): ServerLock {
  return { pid, address: '127.0.0.1:7233', port: 7233, httpPort: 7243, uiPort: 8233 };
}

async function directory(): Promise<DataDirectory> {
  return openDataDirectory(join(await temporaryDirectory(), 'data'));
}

describe('readLock', () => {
  it('finds none in a new directory', async () => {
    expect(await readLock(await directory())).toEqual({ state: 'none' });
  });

  it('finds the server that runs, and calls the lock stale when it has ended', async () => {
    const data = await directory();
    const lock = lockOf(await start('server', 'start-dev', databaseFlag(data.databaseFile), '--ip=127.0.0.1'));
    await writeLock(data, lock);
    expect(await readLock(data)).toEqual({ state: 'live', lock });
    await stopProcess(lock.pid);
    expect(isAlive(lock.pid)).toBe(false);
    expect(await readLock(data)).toEqual({ state: 'stale', lock });
  });

  it('does not take a foreign process of that id for the server', async () => {
    const data = await directory();
    const foreign = lockOf(await start('something', 'else'));
    await writeLock(data, foreign);
    expect(await readLock(data)).toEqual({ state: 'stale', lock: foreign });
  });

  it('does not take the server of another directory for its own', async () => {
    const [data, other] = [await directory(), await directory()];
    const lock = lockOf(await start('server', 'start-dev', databaseFlag(other.databaseFile)));
    await writeLock(data, lock);
    expect((await readLock(data)).state).toBe('stale');
  });

  it('passes over what is no lock', async () => {
    const data = await directory();
    await writeFile(data.lockFile, '{"pid": 12');
    expect(await readLock(data)).toEqual({ state: 'none' });
  });

  it('keeps directory and lock to their owner', async () => {
    const data = await directory();
    await writeLock(data, lockOf(1));
    expect((await stat(data.path)).mode & 0o777).toBe(0o700);
    expect((await stat(data.lockFile)).mode & 0o777).toBe(0o600);
  });
});

describe('parseLock', () => {
  const good = lockOf(42);

  it('reads what writeLock writes', () => {
    expect(parseLock(JSON.stringify(good))).toEqual(good);
  });

  it.each([
    ['no JSON', 'x'],
    ['no object', '[]'],
    ['null', 'null'],
    ['no process id', JSON.stringify({ ...good, pid: '42' })],
    ['a process id that would mean a group', JSON.stringify({ ...good, pid: -1 })],
    ['no address', JSON.stringify({ ...good, address: 1 })],
    ['no port', JSON.stringify({ ...good, uiPort: 0 })],
  ])('refuses %s', (_, text) => {
    expect(parseLock(text)).toBeUndefined();
  });
});

describe('isServerOf', () => {
  it('does not take a path that only begins the same', () => {
    const data = { databaseFile: '/d/temporal.db' };
    expect(isServerOf(data, 'temporal server start-dev --db-filename=/d/temporal.db --ip=127.0.0.1')).toBe(true);
    expect(isServerOf(data, 'temporal server start-dev --db-filename=/d/temporal.db2')).toBe(false);
    expect(isServerOf(data, undefined)).toBe(false);
  });
});
