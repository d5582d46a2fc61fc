import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { searchAttributes } from '../../domain/contract.ts';
import { CommandError } from '../commandError.ts';
import { errorMessage } from '../errorParts.ts';
import type { DataDirectory } from './dataDirectory.ts';
import { freePorts } from './freePorts.ts';
import { databaseFlag, type ServerLock, writeLock } from './lockFile.ts';
import { isAlive, stopProcess } from './processes.ts';

const READY_TIMEOUT_MS = 60_000;
const ATTEMPTS = 3;

/** The development server's own limits are those of a desk; a restore is meant to be as fast as the cluster. */
const RAISED_LIMITS = ['matching.rps', 'frontend.rps', 'frontend.namespaceRPS', 'history.rps'];
const ATTRIBUTE_TYPES = { KEYWORD: 'Keyword', INT: 'Int' } as const;

/**
 * Starts a Temporal development server on a data directory and waits until it can be used. It is a process of its own, in its own
 * group, that outlives this one: killing the restore command in the middle does not touch its database.
 * @param wanted ports of the server before it, kept where they are free
 * @throws CommandError `TemporalServerFailed` with the end of the server's log
 */
export async function startServer(
  program: string,
  directory: DataDirectory,
  wanted: Pick<ServerLock, 'port' | 'httpPort' | 'uiPort'> | undefined,
): Promise<ServerLock> {
  for (let attempt = 1; ; attempt++) {
    const kept = wanted === undefined || attempt > 1 ? [] : [wanted.port, wanted.httpPort, wanted.uiPort];
    const [port = 0, httpPort = 0, uiPort = 0, metricsPort = 0] = await freePorts(4, kept);
    const logStart = (await stat(directory.logFile).catch(() => ({ size: 0 }))).size;
    const pid = await launch(program, directory, [
      `--port=${port}`,
      `--http-port=${httpPort}`,
      `--ui-port=${uiPort}`,
      `--metrics-port=${metricsPort}`,
    ]);
    const lock = { pid, address: `127.0.0.1:${port}`, port, httpPort, uiPort };
    // At once: whoever is killed from here on leaves a server that the next command finds.
    await writeLock(directory, lock);
    if (await isReady(lock, READY_TIMEOUT_MS)) return lock;
    await stopProcess(pid);
    const tail = await logSince(directory.logFile, logStart);
    const portTaken = /address already in use|port is already (?:in use|allocated)/i.test(tail);
    if (portTaken && attempt < ATTEMPTS) continue;
    throw new CommandError(
      'TemporalServerFailed',
      `the Temporal development server did not start: ${lastWord(tail)} (log: ${directory.logFile})`,
    );
  }
}

async function launch(
  program: string,
  { databaseFile, logFile }: DataDirectory,
  ports: readonly string[],
): Promise<number> {
  const log = await open(logFile, 'a', 0o600);
  try {
    const args = ['server', 'start-dev', '--ip=127.0.0.1', '--ui-ip=127.0.0.1', ...ports, ...settings(databaseFile)];
    const child = spawnPrivately(program, args, log.fd);
    child.unref();
    await once(child, 'spawn');
    return child.pid ?? 0;
  } catch (error) {
    throw new CommandError('TemporalServerFailed', `${program} cannot be started: ${errorMessage(error)}`, {
      cause: error,
    });
  } finally {
    await log.close();
  }
}

/** The server makes its database readable for its owner only, because it inherits that from this process. */
function spawnPrivately(program: string, args: readonly string[], output: number): ChildProcess {
  const before = process.umask(0o077);
  try {
    return spawn(program, args, { detached: true, stdio: ['ignore', output, output], env: ownEnvironment() });
  } finally {
    process.umask(before);
  }
}

function settings(databaseFile: string): string[] {
  return [
    databaseFlag(databaseFile),
    '--sqlite-pragma=journal_mode=WAL',
    '--sqlite-pragma=synchronous=NORMAL',
    '--log-level=warn',
    ...Object.entries(searchAttributes).map(([name, type]) => `--search-attribute=${name}=${ATTRIBUTE_TYPES[type]}`),
    ...RAISED_LIMITS.map((key) => `--dynamic-config-value=${key}=20000`),
  ];
}

/** Settings of the user's own Temporal connection are not for this server. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

/** Whether a server can be used within the time: its namespace and its UI answer. Ends early where its process has ended. */
export async function isReady({ pid, httpPort, uiPort }: ServerLock, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const usable =
      (await answersOk(`http://127.0.0.1:${httpPort}/api/v1/namespaces/default`)) &&
      (await answersOk(`http://127.0.0.1:${uiPort}/`));
    // What answers for a dead server is another program on its port.
    if (!isAlive(pid)) return false;
    if (usable) return true;
    if (Date.now() > deadline) return false;
    await sleep(100);
  }
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function logSince(logFile: string, start: number): Promise<string> {
  const content = await readFile(logFile).catch(() => Buffer.alloc(0));
  return content.subarray(start).toString('utf8');
}

function lastWord(log: string): string {
  return log.trimEnd().split('\n').at(-1) || 'it did not say why';
}
