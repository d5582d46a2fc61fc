import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../commandError.ts';
import { errorCode } from '../errorParts.ts';
import { isAlive } from './processes.ts';

/** Starting a server takes a minute at worst. */
const PATIENCE_MS = 120_000;
const POLL_MS = 100;

/**
 * Does the work while no other process does: two commands must not start a server on one database, and none may stop a server
 * that another one is about to use. A holder that was killed is passed over.
 * @throws CommandError where another process holds it for longer than two minutes
 */
export async function withMutex<T>(path: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  const content = `${process.pid} ${randomUUID()}`;
  while (!(await create(path, content))) {
    const holder = await read(path);
    if (holder !== undefined && !isAlive(Number.parseInt(holder, 10))) {
      await clear(path, holder);
      continue;
    }
    if (Date.now() > deadline) {
      throw new CommandError('Busy', `process ${holder ?? 'unknown'} has been holding ${path} for two minutes`);
    }
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    if ((await read(path)) === content) await rm(path, { force: true });
  }
}

/** The file appears with its content, so that a holder that is killed at any moment can be told from one that lives. */
async function create(path: string, content: string): Promise<boolean> {
  const aside = `${path}.${randomUUID()}`;
  await writeFile(aside, content, { mode: 0o600 });
  try {
    await link(aside, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Undefined where it is gone. */
async function read(path: string): Promise<string | undefined> {
  const content = await readFile(path, 'utf8').catch(() => '');
  return content === '' ? undefined : content;
}

/** Two who wait may both come here: only one can move the file, and what it moved is looked at again. */
async function clear(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await read(aside)) === stale) await rm(aside, { force: true });
  else await rename(aside, path);
}
