import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../domain/json.ts';
import { isExecutable } from '../servers/cache.ts';
import { ensurePrograms } from '../servers/ensure.ts';
import { createObject } from './createObject.ts';
import { isThere } from './goldenData.ts';
import type { Target } from './target.ts';

/** The name by which `kubectl create` signs what it creates. */
const KUBECTL_CREATE = 'kubectl-create';

/**
 * Does to the target what was done to the golden one before the restore: creates the manifests of the setup folder, then runs its
 * `changes.sh` (golden README, "What is here").
 * @throws Error where a manifest is refused or the script fails
 */
export async function applySetup(setupDirectory: string, target: Target): Promise<void> {
  if (!(await isThere(setupDirectory))) return;
  const files = (await readdir(setupDirectory)).sort();
  for (const file of files.filter((name) => name.endsWith('.yaml'))) {
    for (const object of await readManifests(join(setupDirectory, file))) {
      await createObject(target.kubernetes, object, KUBECTL_CREATE);
    }
  }
  for (const file of files.filter((name) => name.endsWith('.sh'))) {
    await runScript(join(setupDirectory, file), target.kubeconfigPath);
  }
}

/** The objects of a file of manifests. */
export async function readManifests(path: string): Promise<JsonObject[]> {
  const documents = parseAllDocuments(await readFile(path, 'utf8'));
  return documents
    .map((document) => document.toJS() as JsonObject | null)
    .filter((object): object is JsonObject => object !== null);
}

async function runScript(path: string, kubeconfig: string): Promise<void> {
  const programs = [dirname(await kubectl()), process.env['PATH'] ?? ''].join(delimiter);
  const script = spawn('/bin/sh', ['-e', path], {
    env: { ...process.env, PATH: programs, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([text(script.stdout), text(script.stderr)]);
  const [code] = (await once(script, 'close')) as [number | null];
  const [, complaints] = await output;
  if (code !== 0) throw new Error(`${path} ended with ${code ?? 'a signal'}: ${complaints.trim()}`);
}

/** The machine's own kubectl: of any version, for these changes; built where there is none. */
async function kubectl(): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, 'kubectl')))) return join(folder, 'kubectl');
  }
  return (await ensurePrograms(['kubectl'])).kubectl;
}
