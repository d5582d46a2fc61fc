import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { DataDirectory } from './dataDirectory.ts';
import { commandLine, isAlive } from './processes.ts';

/** The development server of a data directory. It stays when the server has ended: the next one takes the same ports, so that links of yesterday work today. */
export interface ServerLock {
  readonly pid: number;
  /** gRPC, `127.0.0.1:<port>`. */
  readonly address: string;
  readonly port: number;
  readonly httpPort: number;
  readonly uiPort: number;
}

export type LockState =
  /** Its server runs. */
  | { readonly state: 'live'; readonly lock: ServerLock }
  /** There is a lock, but its server is gone (or its process id now belongs to another program). */
  | { readonly state: 'stale'; readonly lock: ServerLock }
  /** No lock, or one that cannot be read. */
  | { readonly state: 'none' };

/** Reads the lock and looks whether the process it names is really the server of this data directory. */
export async function readLock(directory: DataDirectory): Promise<LockState> {
  const lock = parseLock(await readFile(directory.lockFile, 'utf8').catch(() => ''));
  if (lock === undefined) return { state: 'none' };
  const live = isAlive(lock.pid) && isServerOf(directory, await commandLine(lock.pid));
  return { state: live ? 'live' : 'stale', lock };
}

/** Whether a command line is that of the server on this data directory's database. */
export function isServerOf(
  { databaseFile }: Pick<DataDirectory, 'databaseFile'>,
  command: string | undefined,
): boolean {
  return command !== undefined && ` ${command} `.includes(` ${databaseFlag(databaseFile)} `);
}

/** The flag by which a server is recognised. */
export function databaseFlag(databaseFile: string): string {
  return `--db-filename=${databaseFile}`;
}

/** Undefined for text that is no lock. */
export function parseLock(text: string): ServerLock | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isLock(value) ? value : undefined;
}

function isLock(value: unknown): value is ServerLock {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, address, port, httpPort, uiPort } = value as Partial<Record<keyof ServerLock, unknown>>;
  const isId = Number.isSafeInteger(pid) && (pid as number) > 0;
  return isId && typeof address === 'string' && [port, httpPort, uiPort].every(isPort);
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536;
}

/** Readers see the old or the new lock, never a part. */
export async function writeLock({ lockFile }: DataDirectory, lock: ServerLock): Promise<void> {
  const aside = `${lockFile}.${randomUUID()}`;
  await writeFile(aside, `${JSON.stringify(lock)}\n`, { mode: 0o600 });
  await rename(aside, lockFile);
}
