/**
 * `npm run demo [-- --kubeconfig FILE] [flags of durable-restore run]`: restores the sample backup with everything on this machine. Without a
 * kubeconfig it starts a local control plane (`npm run cluster -- down` stops it). Killed at any moment and called again it goes on with
 * the same restore; after that restore has ended it begins a new one into namespaces of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clusterUp } from './cluster/cluster.ts';
import { cacheDirectory } from './servers/cache.ts';
import { ensurePrograms } from './servers/ensure.ts';
import { logToStderr } from './servers/progress.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const BACKUP = 'shop';

/** Everything but the kubeconfig is for the command itself. */
const args = process.argv.slice(2);
const at = args.indexOf('--kubeconfig');
const [, givenKubeconfig] = at < 0 ? [] : args.splice(at, 2);

/** A restore that has ended has a status in the work store. */
async function hasEnded(bucket: string, name: string): Promise<boolean> {
  const work = join(bucket, 'restores', name, 'durable');
  const uids = existsSync(work) ? await readdir(work) : [];
  return uids.some((uid) => existsSync(join(work, uid, 'status.json')));
}

async function nextRestore(bucket: string): Promise<{ readonly name: string; readonly flags: readonly string[] }> {
  for (let number = 1; ; number++) {
    const name = `demo-${number}`;
    if (await hasEnded(bucket, name)) continue;
    if (number === 1) return { name, flags: [] };
    // The first demo's services hold the node ports that the backup asks for.
    return {
      name,
      flags: ['--namespace-mappings', `${BACKUP}:${BACKUP}-${number}`, '--exclude-resources', 'services'],
    };
  }
}

const started = Date.now();
const bucket = join(cacheDirectory(), 'demo', 'bucket');
await mkdir(bucket, { recursive: true, mode: 0o700 });
await cp(join(root, 'examples/bucket/backups'), join(bucket, 'backups'), { recursive: true });

const { temporal } = await ensurePrograms(['temporal'], { log: logToStderr });
const kubeconfig =
  givenKubeconfig !== undefined
    ? resolve(givenKubeconfig)
    : (await clusterUp(join(cacheDirectory(), 'cluster'), undefined, logToStderr)).state.kubeconfig;

if (!existsSync(join(root, 'dist/workflow-bundle.js'))) {
  logToStderr('building durable-restore');
  const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (built.status !== 0) process.exit(1);
}

const { name, flags } = await nextRestore(bucket);
const command = [
  'run',
  name,
  '--from-backup',
  BACKUP,
  '--backup-dir',
  bucket,
  '--kubeconfig',
  kubeconfig,
  ...flags,
  ...args,
];
process.stderr.write(
  `ready after ${Math.round((Date.now() - started) / 1_000)} s\n$ durable-restore ${command.join(' ')}\n`,
);
// Ctrl-C reaches the command itself, which pauses or cancels; this process only waits for what becomes of it.
process.on('SIGINT', () => undefined);
const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...command], {
  stdio: 'inherit',
  env: { ...process.env, TEMPORAL_CLI_PATH: temporal },
});
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
