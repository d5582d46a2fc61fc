import { CommandError } from '../commandError.ts';
import { type DataDirectory, openDataDirectory } from './dataDirectory.ts';
import { findTemporal } from './findTemporal.ts';
import { readLock, type ServerLock } from './lockFile.ts';
import { withMutex } from './mutex.ts';
import { stopProcess } from './processes.ts';
import { isReady, startServer } from './startServer.ts';
import { addUser, forgetUsers, otherUsers, removeUser } from './users.ts';

/** A server that is alive but was just started, or is busy, may take a while to answer. */
const LIVE_SERVER_TIMEOUT_MS = 30_000;

/** The Temporal development server that `run` works with, started here or found running. */
export interface LocalServer {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string;
  /** False where another process (or an earlier run that was killed) had started it. */
  readonly started: boolean;
  /**
   * This process no longer uses the server; it is stopped where nobody else does.
   * @param keep leaves it running: its UI stays.
   * @returns whether the server still runs.
   */
  release(keep: boolean): Promise<boolean>;
}

/**
 * The server of a data directory: a live one is used, a stale lock replaced, and otherwise one started (design §6).
 * @param path default: see defaultDataDirectory
 * @throws CommandError
 */
export async function acquireLocalServer(path?: string): Promise<LocalServer> {
  const directory = await openDataDirectory(path);
  return withMutex(directory.mutexFile, async () => {
    const found = await readLock(directory);
    if (found.state === 'live') {
      await checkAnswers(directory, found.lock);
      await addUser(directory);
      return localServer(directory, found.lock, false);
    }
    await forgetUsers(directory);
    const before = found.state === 'stale' ? found.lock : undefined;
    const lock = await startServer(await findTemporal(), directory, before);
    await addUser(directory);
    return localServer(directory, lock, true);
  });
}

/** The running server of a data directory, for commands that only look; undefined where none runs. */
export async function findLocalServer(path?: string): Promise<ServerLock | undefined> {
  const found = await readLock(await openDataDirectory(path));
  return found.state === 'live' ? found.lock : undefined;
}

async function checkAnswers({ path, logFile }: DataDirectory, lock: ServerLock): Promise<void> {
  if (await isReady(lock, LIVE_SERVER_TIMEOUT_MS)) return;
  throw new CommandError(
    'TemporalServerFailed',
    `the Temporal development server of ${path} (process ${lock.pid}, ${lock.address}) runs but does not answer: end it with \`kill ${lock.pid}\` and try again (log: ${logFile})`,
  );
}

function localServer(directory: DataDirectory, lock: ServerLock, started: boolean): LocalServer {
  return {
    address: lock.address,
    namespace: 'default',
    uiUrl: `http://127.0.0.1:${lock.uiPort}`,
    started,
    release: (keep) =>
      withMutex(directory.mutexFile, async () => {
        await removeUser(directory);
        if (keep || (await otherUsers(directory)).length > 0) return true;
        const found = await readLock(directory);
        if (found.state !== 'live') return false;
        await stopProcess(found.lock.pid);
        return false;
      }),
  };
}
