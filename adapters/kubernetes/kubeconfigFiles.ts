import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { type KubeconfigCluster, KubeconfigFile, type KubeconfigUser } from './kubeconfig.schema.ts';

/** Thrown where no cluster can be found to talk to; the message says what was looked for, and where. */
export class KubeconfigError extends Error {
  readonly type = 'Kubeconfig';
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KubeconfigError';
  }
}

/** A cluster and a user of it, with every file named by an absolute path. */
export interface KubeconfigContext {
  readonly name: string;
  readonly clusterName: string;
  readonly cluster: KubeconfigCluster;
  readonly userName: string;
  readonly user: KubeconfigUser;
}

interface LoadedFile {
  readonly path: string;
  readonly content: KubeconfigFile;
}

/** Files named by `KUBECONFIG` or, where it is not set, the one in the home folder. */
export function defaultKubeconfigPaths(environment: NodeJS.ProcessEnv): readonly string[] {
  const named = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return named.length > 0 ? named : [join(environment['HOME'] ?? homedir(), '.kube', 'config')];
}

/** Reads the files that exist; several are merged like kubectl does: of two entries with one name the first counts. */
export async function readKubeconfigFiles(paths: readonly string[]): Promise<readonly LoadedFile[]> {
  const loaded: LoadedFile[] = [];
  for (const path of paths) {
    const text = await readIfPresent(path);
    if (text !== undefined) loaded.push({ path, content: parseKubeconfig(path, text) });
  }
  return loaded;
}

/**
 * Picks a context.
 * @param wanted its name; default: the current one.
 * @throws KubeconfigError where there is none of that name, or where it names a cluster or user that is not there.
 */
export function pickContext(files: readonly LoadedFile[], wanted: string | undefined): KubeconfigContext {
  const where = files.map(({ path }) => path).join(', ');
  const contexts = files.flatMap(({ content }) => content.contexts ?? []);
  const name = wanted ?? files.map(({ content }) => content['current-context']).find((one) => one);
  if (name === undefined || name === null) {
    throw new KubeconfigError(
      `kubeconfig ${where}: no current-context, expected one or a context by name (${namesOf(contexts)})`,
    );
  }
  const context = contexts.find((one) => one.name === name)?.context;
  if (context === undefined) {
    throw new KubeconfigError(
      `kubeconfig ${where}: context is ${JSON.stringify(name)}, expected one of: ${namesOf(contexts)}`,
    );
  }
  return {
    name,
    clusterName: context.cluster,
    cluster: findCluster(files, where, name, context.cluster),
    userName: context.user ?? '',
    user: findUser(files, where, name, context.user ?? ''),
  };
}

function findCluster(files: readonly LoadedFile[], where: string, context: string, name: string): KubeconfigCluster {
  for (const { path, content } of files) {
    const found = content.clusters?.find((one) => one.name === name)?.cluster;
    if (found === undefined) continue;
    return { ...found, 'certificate-authority': absolute(path, found['certificate-authority']) };
  }
  throw new KubeconfigError(
    `kubeconfig ${where}: context ${JSON.stringify(context)} names cluster ${JSON.stringify(name)}, which is not there`,
  );
}

/** A context may name no user: then requests are anonymous. */
function findUser(files: readonly LoadedFile[], where: string, context: string, name: string): KubeconfigUser {
  if (name === '') return {};
  for (const { path, content } of files) {
    const found = content.users?.find((one) => one.name === name);
    if (found !== undefined) return withAbsolutePaths(path, found.user ?? {});
  }
  throw new KubeconfigError(
    `kubeconfig ${where}: context ${JSON.stringify(context)} names user ${JSON.stringify(name)}, which is not there`,
  );
}

function withAbsolutePaths(path: string, user: KubeconfigUser): KubeconfigUser {
  const { exec } = user;
  return {
    ...user,
    'client-certificate': absolute(path, user['client-certificate']),
    'client-key': absolute(path, user['client-key']),
    tokenFile: absolute(path, user.tokenFile),
    // A command without a slash is looked up in PATH.
    exec: exec?.command.includes('/') ? { ...exec, command: absolute(path, exec.command) ?? exec.command } : exec,
  };
}

function absolute(kubeconfigPath: string, path: string | null | undefined): string | undefined {
  if (!path) return undefined;
  return isAbsolute(path) ? path : resolve(dirname(kubeconfigPath), path);
}

/** Parser messages are kept without the text they are about, which may be a token. */
function parseKubeconfig(path: string, text: string): KubeconfigFile {
  const parsed = KubeconfigFile.safeParse(parseYamlOf(path, text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new KubeconfigError(`kubeconfig ${path}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`);
}

function parseYamlOf(path: string, text: string): unknown {
  try {
    return parseYaml(text, { prettyErrors: false, logLevel: 'error' });
  } catch {
    throw new KubeconfigError(`kubeconfig ${path}: is no YAML, expected a kubeconfig file (kind Config)`);
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return undefined;
    throw new KubeconfigError(`kubeconfig ${path}: cannot be read: ${code ?? String(error)}`, { cause: error });
  }
}

function namesOf(entries: readonly { readonly name: string }[]): string {
  return entries.length === 0 ? 'there are none' : entries.map(({ name }) => name).join(', ');
}
