import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Files of a data directory of `durable-restore run`. */
export interface DataDirectory {
  readonly path: string;
  /** Database of the development server: restores under way live here. */
  readonly databaseFile: string;
  /** Which server is running, see lockFile.ts. */
  readonly lockFile: string;
  /** Held for the moment of starting or stopping the server. */
  readonly mutexFile: string;
  /** One file for each process that uses the server. */
  readonly usersDirectory: string;
  readonly logFile: string;
}

/** `$XDG_STATE_HOME/durable-restore`, else `~/.local/state/durable-restore`. */
export function defaultDataDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const states = environment['XDG_STATE_HOME'];
  // The XDG specification: a relative path there is invalid and to be ignored.
  const base = states?.startsWith('/') ? states : join(homedir(), '.local', 'state');
  return join(base, 'durable-restore');
}

/** Makes the directory, for its owner only: the database holds names and messages of the restored items. */
export async function openDataDirectory(path: string = defaultDataDirectory()): Promise<DataDirectory> {
  const absolute = resolve(path);
  const usersDirectory = join(absolute, 'users');
  await mkdir(usersDirectory, { recursive: true, mode: 0o700 });
  return {
    path: absolute,
    databaseFile: join(absolute, 'temporal.db'),
    lockFile: join(absolute, 'server.lock'),
    mutexFile: join(absolute, 'server.mutex'),
    usersDirectory,
    logFile: join(absolute, 'temporal.log'),
  };
}
