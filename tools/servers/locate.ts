import { stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { cachedPath, isExecutable } from './cache.ts';
import { runCommand } from './command.ts';
import type { Program, ProgramName } from './programs.ts';
import { ServerMissing } from './serverMissing.ts';

export interface LocatedProgram {
  readonly name: ProgramName;
  /** Absolute path. */
  readonly path: string;
  /** Where it was found, for people: `KUBEBUILDER_ASSETS`, `TEMPORAL_CLI_PATH`, `cache`, `PATH`, `built`, … */
  readonly origin: string;
}

/** What an envtest folder always holds; the other two may be there. */
const envtestAlways: readonly ProgramName[] = ['etcd', 'kube-apiserver'];
const envtestSometimes: readonly ProgramName[] = ['kubectl', 'kube-controller-manager'];

/** A folder of envtest is given and lacks this program, as it may: then one is fetched or built all the same. */
export function isLeftOutOfAssets(name: ProgramName, environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment['KUBEBUILDER_ASSETS']) && envtestSometimes.includes(name);
}

/**
 * Finds a program without building or fetching anything: an explicit environment variable, then the cache, then PATH
 * (temporal and rclone only, and only when new enough).
 * @returns undefined when it is nowhere
 * @throws ServerMissing when an environment variable names something that is not there
 */
export async function locateProgram(
  program: Program,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<LocatedProgram | undefined> {
  const explicit = await fromEnvironment(program, environment);
  if (explicit) return explicit;
  const cached = await cachedPath(program, environment);
  if (await isExecutable(cached)) return { name: program.name, path: cached, origin: 'cache' };
  return fromPath(program.name, environment);
}

async function fromEnvironment(program: Program, environment: NodeJS.ProcessEnv): Promise<LocatedProgram | undefined> {
  const { name } = program;
  const cli = environment['TEMPORAL_CLI_PATH'];
  if (name === 'temporal' && cli) {
    const path = resolve(cli);
    if (await isExecutable(path)) return { name, path, origin: 'TEMPORAL_CLI_PATH' };
    throw new ServerMissing(`TEMPORAL_CLI_PATH is ${cli}, expected an executable file`);
  }
  const assets = environment['KUBEBUILDER_ASSETS'];
  if (!assets) return undefined;
  const required = envtestAlways.includes(name);
  if (!required && !envtestSometimes.includes(name)) return undefined;
  const path = join(resolve(assets), name);
  if (await isExecutable(path)) return { name, path, origin: 'KUBEBUILDER_ASSETS' };
  if (!required) return undefined;
  throw new ServerMissing(`KUBEBUILDER_ASSETS is ${assets}, expected a folder with an executable ${name} in it`);
}

async function fromPath(name: ProgramName, environment: NodeJS.ProcessEnv): Promise<LocatedProgram | undefined> {
  const newEnough = pathChecks[name];
  if (newEnough === undefined) return undefined;
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = resolve(folder, name);
    if (!(await isProgramFile(path))) continue;
    if (await newEnough(path, environment)) return { name, path, origin: 'PATH' };
  }
  return undefined;
}

async function isProgramFile(path: string): Promise<boolean> {
  if (!(await isExecutable(path))) return false;
  return (await stat(path)).isFile();
}

type Check = (path: string, environment: NodeJS.ProcessEnv) => Promise<boolean>;

/** The programs that people have installed for other purposes, and what ours needs of them. */
const pathChecks: Readonly<Partial<Record<ProgramName, Check>>> = {
  async temporal(path, environment) {
    const { code, output } = await runCommand(path, ['--version'], { environment, timeoutMs: 10_000 });
    return code === 0 && isTemporalNewEnough(output);
  },
  async rclone(path, environment) {
    // Older versions know `serve` but not `s3`, and then print the help of `serve` with exit code 0.
    const { code, output } = await runCommand(path, ['serve', 's3', '--help'], { environment, timeoutMs: 10_000 });
    return code === 0 && output.includes('rclone serve s3');
  },
};

/** Whether `temporal --version` speaks of version 1.5 or newer, the first with every flag that is used here. */
export function isTemporalNewEnough(versionOutput: string): boolean {
  const found = /temporal version v?(\d+)\.(\d+)\./.exec(versionOutput);
  if (found === null) return false;
  const major = Number(found[1]);
  const minor = Number(found[2]);
  return major > 1 || (major === 1 && minor >= 5);
}
