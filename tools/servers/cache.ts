import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Program } from './programs.ts';

/** Folder with the Go modules of the servers: the one this file lies in. */
export const serversFolder = import.meta.dirname;

/**
 * Where programs are kept between runs, outside the clone: `DURABLE_RESTORE_CACHE`, else
 * `$XDG_CACHE_HOME/durable-restore`, else `~/.cache/durable-restore`.
 */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const own = environment['DURABLE_RESTORE_CACHE'];
  if (own) return resolve(own);
  const caches = environment['XDG_CACHE_HOME'];
  // The XDG specification: a relative path there is invalid and to be ignored.
  if (caches?.startsWith('/')) return join(caches, 'durable-restore');
  return join(homedir(), '.cache', 'durable-restore');
}

/**
 * Name of a program's folder in the cache: name, version and platform, and for a Go module a short hash of go.mod
 * and go.sum, so that a changed dependency is a different program; so is one whose own code changed.
 * @throws Error when the module's files cannot be read
 */
export async function cacheKey(program: Program, modulesFolder: string = serversFolder): Promise<string> {
  const key = `${program.name}-${program.version}-${process.platform}-${process.arch}`;
  if (program.source.from !== 'go') return key;
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', ...(program.source.ownSources ?? [])]) {
    hash.update(await readFile(join(modulesFolder, program.source.module, file))).update('\0');
  }
  return `${key}-${hash.digest('hex').slice(0, 12)}`;
}

/** Where the cache keeps (or would keep) a program. Each has a folder of its own, usable as a plugin folder. */
export async function cachedPath(program: Program, environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  return join(cacheDirectory(environment), 'programs', await cacheKey(program), program.name);
}

/** Whether the file is there and may be run. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
