import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClosableKubernetesApi, createKubernetesApi } from '../../adapters/kubernetes/client.ts';
import { findLocalServer } from '../../cli/devServer/localServer.ts';
import { type ControlPlane, startControlPlane } from '../../tools/servers/controlPlane.ts';
import { ensurePrograms } from '../../tools/servers/ensure.ts';
import { freePort } from '../../tools/servers/freePort.ts';
import {
  restoreSearchAttributes,
  startTemporalDevServer,
  type TemporalDevServer,
} from '../../tools/servers/temporalDevServer.ts';

const root = resolve(import.meta.dirname, '../..');
const sampleBucket = join(root, 'test/golden/data/bucket');
let directory: string;
let bucket: string;
let dataDirectory: string;
let environment: NodeJS.ProcessEnv;
let controlPlane: ControlPlane;
let cluster: ClosableKubernetesApi;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-test-'));
  bucket = join(directory, 'bucket');
  dataDirectory = join(directory, 'data');
  await cp(join(sampleBucket, 'backups'), join(bucket, 'backups'), { recursive: true });
  const { temporal } = await ensurePrograms(['temporal']);
  controlPlane = await startControlPlane({ directory: join(directory, 'cluster'), controllers: 'minimal' });
  cluster = await createKubernetesApi({ kubeconfig: controlPlane.kubeconfigPath });
  environment = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|NODE_OPTIONS$|DURABLE_RESTORE_ST)/.test(name)),
    ),
    TEMPORAL_CLI_PATH: temporal,
    TEMPORAL_CONFIG_FILE: join(directory, 'no-profiles.toml'),
    XDG_CACHE_HOME: join(directory, 'cache'),
    KUBECONFIG: controlPlane.kubeconfigPath,
  };
}, 1_200_000);

afterAll(async () => {
  await cluster.close();
  await controlPlane.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The command in a process of its own, as its user runs it. */
class Command {
  output = '';
  notes = '';
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(script: string, argv: readonly string[], more: NodeJS.ProcessEnv = {}) {
    const args = ['--import', 'tsx', join(root, script), ...argv];
    this.child = spawn(process.execPath, args, { cwd: root, env: { ...environment, ...more } });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.notes += chunk.toString();
    });
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** @throws Error with everything that was written where the process ends before that */
  async until(what: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await what())) {
      if (this.child.exitCode !== null)
        throw new Error(`ended with ${this.child.exitCode}:\n${this.output}\n${this.notes}`);
      await sleep(20);
    }
  }
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly notes: string;
}

async function ended(command: Command): Promise<Ended> {
  const code = await command.ended;
  return { code, output: command.output, notes: command.notes };
}

function cli(...argv: string[]): Promise<Ended> {
  return ended(new Command('cli/main.ts', argv));
}

function startRun(...argv: string[]): Command {
  return new Command('cli/main.ts', ['run', ...argv, '--backup-dir', bucket, '--data-dir', dataDirectory]);
}

function run(...argv: string[]): Promise<Ended> {
  return ended(startRun(...argv));
}

async function hasNamespace(name: string): Promise<boolean> {
  return (await cluster.get({ group: '', version: 'v1', resource: 'namespaces', name })).ok;
}

/** Written without a line that is no error line of ours. */
function errorLines({ notes }: Ended): string[] {
  expect(notes).not.toMatch(/^\s+at /m);
  return notes.split('\n').filter((line) => line.startsWith('error: '));
}

describe('durable-restore run', () => {
  it('restores a real backup, prints what came out, and leaves no server behind', async () => {
    const first = await run('sample', '--from-backup', 'shop');
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/^Restore sample: Completed$/m) as unknown });
    expect(first.output).toMatch(/Items: +\d+: \d+ created/);
    expect(first.output).toMatch(
      /Temporal UI: http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/restore%2Flocal%2Fvelero%2Fsample\//,
    );
    expect(first.notes).toContain(`starting restore sample into ${controlPlane.url}`);
    expect(await hasNamespace('shop')).toBe(true);
    expect(await findLocalServer(dataDirectory)).toBeUndefined();

    const again = await run('sample', '--from-backup', 'shop');
    expect(again.code).toBe(6);
    expect(errorLines(again)).toEqual([
      expect.stringMatching(
        /^error: a restore named "sample" has already ended at .* with phase Completed: it is reported, not run again/,
      ),
    ]);
    expect(again.output).toContain('Restore sample: Completed');
  }, 300_000);

  it('pauses on Ctrl-C, survives kill -9, and goes on by the same command without a name', async () => {
    const argv = ['--from-backup', 'full', '--namespace-mappings', 'shop:s2,data:d2,infra:i2', '--order', 'strict'];
    const paused = startRun(...argv);
    await paused.until(() => hasNamespace('s2'));
    paused.kill('SIGINT');
    expect(await paused.ended).toBe(5);
    expect(paused.notes).toContain(
      'stopping; the restore is paused, the same command resumes it; Ctrl-C again within 3 s to cancel it',
    );
    expect(await findLocalServer(dataDirectory)).toBeUndefined();
    const name = /starting restore (\S+) into/.exec(paused.notes)?.[1] ?? 'none';

    const killed = startRun(...argv);
    await killed.until(() => killed.notes.includes(`resuming restore ${name} into`));
    killed.kill('SIGKILL');
    await killed.ended;
    const server = await findLocalServer(dataDirectory);
    expect(server).toBeDefined();

    const resumed = startRun(...argv, '-o', 'json');
    await resumed.until(() => resumed.notes.includes(`resuming restore ${name} into`));
    // The server that the killed process had started is used, not replaced.
    expect(await findLocalServer(dataDirectory)).toEqual(server);
    expect([0, 2]).toContain(await resumed.ended);
    const summary = JSON.parse(resumed.output) as {
      name: string;
      status: { progress: { totalItems: number; itemsRestored: number } };
    };
    expect(summary.name).toBe(name);
    expect(summary.status.progress.itemsRestored).toBe(summary.status.progress.totalItems);
    expect(await findLocalServer(dataDirectory)).toBeUndefined();
  }, 600_000);

  it('cancels on a second Ctrl-C, and writes the files', async () => {
    const running = startRun(
      'undone',
      '--from-backup',
      'full',
      '--namespace-mappings',
      'shop:s3,data:d3,infra:i3',
      '--order',
      'strict',
    );
    await running.until(() => hasNamespace('s3'));
    running.kill('SIGINT');
    await running.until(() => running.notes.includes('stopping;'));
    running.kill('SIGINT');
    const end = await ended(running);
    expect(end).toMatchObject({
      code: 4,
      output: expect.stringMatching(/^Restore undone: Failed \(cancelled\)$/m) as unknown,
    });
    const log = await cli('logs', 'undone', '--backup-dir', bucket);
    expect(log).toMatchObject({ code: 0, output: expect.stringContaining('msg="starting restore"') as unknown });
    expect(log.output).toContain('the restore was cancelled');
  }, 600_000);
});

describe('bad input', () => {
  /** One line that says what is wrong and where; nothing is changed. */
  async function refused(command: Promise<Ended>, code: number, message: RegExp): Promise<void> {
    const end = await command;
    expect(end.code).toBe(code);
    expect(errorLines(end)).toEqual([expect.stringMatching(message)]);
    expect(await hasNamespace('never')).toBe(false);
  }

  const mapped = ['--namespace-mappings', 'shop:never'];

  it('R-452: an unknown backup', async () => {
    await refused(
      run('bad-1', '--from-backup', 'nope', ...mapped),
      1,
      new RegExp(`no backup named "nope" in directory ${bucket}`),
    );
  }, 120_000);

  it('a directory that is not there', async () => {
    const missing = join(directory, 'no-bucket');
    await refused(
      cli('run', 'bad-2', '--from-backup', 'shop', '--backup-dir', missing),
      1,
      new RegExp(`directory ${missing}: there is no such directory`),
    );
  }, 120_000);

  it('credentials that cannot be read', async () => {
    const config = `region=eu,s3Url=http://127.0.0.1:${await freePort()},credentialsFile=${directory}/no-credentials`;
    await refused(
      cli('run', 'bad-3', '--from-backup', 'shop', '--bucket', 'velero', '--config', config),
      1,
      /no-credentials/,
    );
  }, 120_000);

  it('a tarball that is none', async () => {
    await cp(join(bucket, 'backups/shop'), join(bucket, 'backups/broken'), { recursive: true });
    const metadata = await readFile(join(bucket, 'backups/shop/velero-backup.json'), 'utf8');
    await writeFile(join(bucket, 'backups/broken/velero-backup.json'), metadata.replaceAll('"shop"', '"broken"'));
    await writeFile(join(bucket, 'backups/broken/broken.tar.gz'), 'this is no gzip');
    await refused(run('bad-4', '--from-backup', 'broken', ...mapped), 3, /restore bad-4 failed: .*broken\.tar\.gz/);
  }, 120_000);

  it('a manifest with an unknown field', async () => {
    const file = join(directory, 'unknown-field.yaml');
    await writeFile(
      file,
      'apiVersion: velero.io/v1\nkind: Restore\nmetadata: {name: bad-5}\nspec: {backupName: shop, namespacesMapping: {shop: never}}\n',
    );
    await refused(run('-f', file), 1, /spec\.namespacesMapping: unknown field/);
  }, 120_000);

  it('a namespace mapped to an invalid name', async () => {
    const argv = ['bad-6', '--from-backup', 'shop', '--namespace-mappings', 'shop:Not_Valid'];
    await refused(run(...argv), 3, /spec\.namespaceMapping\.shop: found "Not_Valid"/);
  }, 120_000);

  it('an API server that cannot be reached', async () => {
    const kubeconfig = join(directory, 'dead-kubeconfig');
    const port = await freePort();
    const text = await readFile(controlPlane.kubeconfigPath, 'utf8');
    await writeFile(kubeconfig, text.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`), { mode: 0o600 });
    const argv = ['bad-7', '--from-backup', 'shop', '--kubeconfig', kubeconfig];
    await refused(
      run(...argv),
      1,
      new RegExp(`API server https://127\\.0\\.0\\.1:${port} cannot be reached: connection refused`),
    );
  }, 120_000);

  it('a Temporal server that cannot be reached', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const message = new RegExp(`Temporal server ${address} cannot be reached: connection refused`);
    await refused(cli('create', 'bad-8', '--from-backup', 'shop', '--temporal-address', address), 1, message);
    await refused(cli('worker', '--backup-dir', bucket, '--temporal-address', address), 1, message);
  }, 120_000);
});

describe('against a Temporal server', () => {
  let server: TemporalDevServer;
  let worker: Command;

  beforeAll(async () => {
    server = await startTemporalDevServer({
      directory: join(directory, 'temporal'),
      searchAttributes: restoreSearchAttributes,
    });
    environment['TEMPORAL_ADDRESS'] = server.address;
    await mkdir(join(directory, 'own-cache'));
    worker = new Command('cli/main.ts', [
      'worker',
      '--backup-dir',
      bucket,
      '--cache-dir',
      join(directory, 'own-cache'),
      '--log-level',
      'warn',
    ]);
    await worker.until(() => worker.output.includes('\n'));
  }, 300_000);

  afterAll(async () => {
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    await server.stop();
  });

  it('the worker says what it serves', () => {
    expect(worker.output).toBe(
      `worker ready: task queue durable-restore/default at ${server.address}, storage locations default\n`,
    );
  });

  it('create starts a restore and waits for it; get, describe and logs show it', async () => {
    const argv = [
      'create',
      'made',
      '--from-backup',
      'shop',
      '--namespace-mappings',
      'shop:s4',
      '--exclude-resources',
      'services',
      '--wait',
    ];
    const created = await cli(...argv, '--backup-dir', bucket);
    expect(created.output).toContain(
      `Restore request "made" submitted successfully to ${server.address}, cluster default.`,
    );
    expect(created.output).toMatch(/^Restore made: (Completed|PartiallyFailed)$/m);
    expect([0, 2]).toContain(created.code);
    expect(await hasNamespace('s4')).toBe(true);

    const table = await cli('get');
    expect(table.output).toMatch(/^NAME +BACKUP +STATUS/);
    expect(table.output).toMatch(/^made +shop +(Completed|PartiallyFailed) /m);

    const described = await cli('describe', 'made', '--details', '--backup-dir', bucket);
    expect(described.output).toContain('Namespace mappings:  shop=s4');
    expect(described.output).toMatch(/^ {2}v1\/ConfigMap:\n {4}- s4\//m);
    expect(described.output).toContain('Workflow:  restore/default/velero/made');

    const taken = await cli(...argv);
    expect(taken.code).toBe(6);
    expect(errorLines(taken)).toEqual([
      expect.stringMatching(/a restore named "made" has already ended at .* with phase/),
    ]);
  }, 300_000);

  it('describe needs no Temporal server where it has the files', async () => {
    const argv = [
      'describe',
      'made',
      '-o',
      'json',
      '--backup-dir',
      bucket,
      '--temporal-address',
      `127.0.0.1:${await freePort()}`,
    ];
    const described = await cli(...argv);
    expect(described.code).toBe(0);
    expect(described.notes).toContain(`showing what is in directory ${bucket}`);
    expect(JSON.parse(described.output)).toMatchObject({
      metadata: { name: 'made' },
      spec: { namespaceMappings: { shop: 's4' } },
    });
  }, 120_000);

  it('examples/startRestore.ts starts a restore and follows it to its end', async () => {
    const example = await ended(new Command('examples/startRestore.ts', ['shop', 'example']));
    expect(example).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^example: (Completed|PartiallyFailed), \d+ created/m) as unknown,
    });
  }, 120_000);

  it('examples/restore.yaml and examples/storage-location.yaml are read', async () => {
    const shown = await cli('create', '-f', join(root, 'examples/restore.yaml'), '-o', 'json');
    expect(JSON.parse(shown.output)).toMatchObject({
      metadata: { name: 'shop-copy' },
      spec: { namespaceMapping: { shop: 'shop-copy' } },
    });
    const location = [
      '--storage-location',
      join(root, 'examples/storage-location.yaml'),
      '--storage-location-name',
      'local',
    ];
    const described = await cli('describe', 'example', ...location);
    expect(errorLines(described)).toEqual(['error: directory /srv/velero: there is no such directory']);
  }, 120_000);

  it('what is not there is one line and exit code 1', async () => {
    const unknown = await cli('get', 'nope');
    expect(unknown.code).toBe(1);
    expect(errorLines(unknown)).toEqual(['error: no restore named "nope" in Temporal (cluster default)']);
    const cancelled = await cli('cancel', 'made');
    expect(cancelled.code).toBe(1);
    expect(errorLines(cancelled)).toEqual([
      expect.stringMatching(/restore made has already ended with phase \w+: nothing to cancel/),
    ]);
  }, 120_000);
});
