import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './errors.ts';

export interface LockOptions {
  /** Called about once every five seconds while another process holds the lock, with that process's id if known. */
  readonly onWait?: (holder: number | undefined) => void;
  /** A lock whose holder has not touched it for so long is stale. Milliseconds, default 60 s. */
  readonly staleAfterMs?: number;
  /** Pause between two attempts. Milliseconds, default 200. */
  readonly pollMs?: number;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly id: string;
}

/**
 * Does the work while holding a lock file, so that two runs side by side do not do it at once. The holder touches the
 * file every few seconds; a lock whose process is gone, or that was not touched for `staleAfterMs`, is cleared.
 * The lock avoids double work, it is no guard of correctness: what it protects must be written atomically all the same.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const id = await acquire(path, options);
  const staleAfterMs = options.staleAfterMs ?? 60_000;
  const touch = setInterval(
    () => {
      const now = new Date();
      // A lock that was taken from us meanwhile is no reason to stop: see above.
      void utimes(path, now, now).catch(() => undefined);
    },
    Math.max(staleAfterMs / 6, 50),
  );
  touch.unref();
  try {
    return await work();
  } finally {
    clearInterval(touch);
    if ((await readHolder(path))?.id === id) await rm(path, { force: true });
  }
}

async function acquire(path: string, options: LockOptions): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let toldAt = 0;
  for (;;) {
    const id = await create(path);
    if (id !== undefined) return id;
    if (await clearIfStale(path, options.staleAfterMs ?? 60_000)) continue;
    if (Date.now() - toldAt >= 5_000) {
      toldAt = Date.now();
      options.onWait?.((await readHolder(path))?.pid);
    }
    await sleep(options.pollMs ?? 200);
  }
}

async function create(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'wx', 0o600);
    const holder: Holder = { pid: process.pid, host: hostname(), id: randomUUID() };
    await file.writeFile(JSON.stringify(holder));
    await file.close();
    return holder.id;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined;
    throw error;
  }
}

async function clearIfStale(path: string, staleAfterMs: number): Promise<boolean> {
  const holder = await readHolder(path);
  const touchedAt = await stat(path).then(
    (found) => found.mtimeMs,
    () => undefined,
  );
  if (touchedAt === undefined) return true;
  const untouched = Date.now() - touchedAt > staleAfterMs;
  const gone = holder !== undefined && holder.host === hostname() && !isAlive(holder.pid);
  if (!untouched && !gone) return false;
  // Two waiters may both come here. Renaming tells them apart: only one gets the file, and what it got is looked at
  // again, so that a lock taken newly in between is given back.
  const aside = `${path}.stale-${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  const moved = await readHolder(aside);
  if (moved?.id !== holder?.id) {
    await rename(aside, path);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isHolder(value) ? value : undefined;
  } catch {
    // Gone, or being written this very moment: whoever asks looks again.
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host, id } = value as Partial<Record<keyof Holder, unknown>>;
  return Number.isSafeInteger(pid) && typeof host === 'string' && typeof id === 'string';
}

/** Whether a process of that id runs on this machine (also one of another user). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
