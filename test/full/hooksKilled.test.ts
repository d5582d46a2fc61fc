import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { type ClosablePodAccess, createPodAccess } from '../../adapters/kubernetes/pods.ts';
import { RestoreClient, type RestoreHandle } from '../../client/index.ts';
import { hookFileKey } from '../../domain/hooks/hookKeys.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type ControlPlane, startControlPlane } from '../../tools/servers/controlPlane.ts';
import { findNodePrograms } from '../../tools/servers/node/nodePrograms.ts';
import { realNodeApiServerFlags, startRealNode } from '../../tools/servers/node/realNode.ts';
import {
  restoreSearchAttributes,
  startTemporalDevServer,
  type TemporalDevServer,
} from '../../tools/servers/temporalDevServer.ts';
import { makeBackup } from '../integration/support/backupBucket.ts';
import { container, execHook, hooksFor, pod } from './hookPods.ts';
import { CommandProcess, copyOfBuild, waitUntil } from './killSupport.ts';

jest.setTimeout(300_000);

const programs = await findNodePrograms();
const reason = typeof programs === 'string' ? programs : undefined;
const describeOnNode = reason === undefined ? describe : describe.skip;

let directory: string;
let bucket: string;
let command: string;
let controlPlane: ControlPlane;
let temporal: TemporalDevServer;
let connection: Connection;
let client: Client;
let restores: RestoreClient;
let pods: ClosablePodAccess;
const stops: (() => Promise<unknown>)[] = [];
const processes: CommandProcess[] = [];

function startTemporal(port?: number): Promise<TemporalDevServer> {
  const databaseFile = join(directory, 'temporal.db');
  return startTemporalDevServer({
    directory: join(directory, 'temporal'),
    searchAttributes: restoreSearchAttributes,
    databaseFile,
    port,
  });
}

beforeAll(async () => {
  if (typeof programs === 'string') return;
  directory = await mkdtemp(join(tmpdir(), 'hooks-killed-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  bucket = join(directory, 'bucket');
  command = copyOfBuild(directory);
  controlPlane = await startControlPlane({
    directory: join(directory, 'cluster'),
    controllers: 'minimal',
    apiServerFlags: realNodeApiServerFlags,
  });
  stops.push(() => controlPlane.stop());
  const node = await startRealNode(join(directory, 'node'), controlPlane, programs);
  stops.push(() => node.stop());
  temporal = await startTemporal();
  stops.push(() => temporal.stop());
  pods = await createPodAccess({ kubeconfig: controlPlane.kubeconfigPath });
  stops.push(() => pods.close());
  connection = await Connection.connect({ address: temporal.address });
  stops.push(() => connection.close());
  client = new Client({ connection });
  restores = new RestoreClient({ client, address: temporal.address, timeoutMs: 30_000 });
}, 1_200_000);

afterEach(async () => {
  for (const one of processes.splice(0)) if (one.isRunning) await one.kill();
});

afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function startWorker(): Promise<CommandProcess> {
  const worker = new CommandProcess(command, [
    ...['worker', '--temporal-address', temporal.address, '--kubeconfig', controlPlane.kubeconfigPath],
    ...['--backup-dir', bucket, '--cache-dir', join(directory, 'cache')],
  ]);
  processes.push(worker);
  await waitUntil('the worker', () => worker.output.includes('worker ready'), { needs: [worker] });
  return worker;
}

async function shell(namespace: string, script: string): Promise<string> {
  const request = { namespace, pod: 'db', container: 'main', timeoutMs: 20_000, maxOutputBytes: 10_000 };
  const { stdout } = await pods.exec({ ...request, command: ['/bin/sh', '-c', script] });
  return Buffer.from(stdout).toString();
}

const runs = (namespace: string): Promise<string> => shell(namespace, 'cat /data/runs');

/** A container that is ready when somebody says so. */
const gated = (name: string): JsonObject =>
  container(name, undefined, {
    readinessProbe: { exec: { command: ['/bin/test', '-f', '/data/ready'] }, periodSeconds: 1 },
  });

async function start(
  name: string,
  containers: readonly JsonObject[],
  hooks: readonly JsonObject[],
): Promise<RestoreHandle> {
  await makeBackup(bucket, name, [pod(name, 'db', containers, { labels: { app: 'db' } })]);
  return restores.start({ name, spec: { backupName: name, hooks: hooksFor({ db: hooks }) } });
}

/** Where what a hook of the restore's first pod is recorded as is kept; the namespace is the item before it. */
function isRecorded({ name, uid }: RestoreHandle, hook: number, file: 'started' | 'outcome.json'): boolean {
  return [0, 1, 2].some((index) => existsSync(join(bucket, hookFileKey({ name, uid }, index, hook, file))));
}

describeOnNode(`a worker that is killed${reason === undefined ? '' : `: ${reason}`}`, () => {
  it('HX-08 while a command runs: its outcome is unknown, it is not run again, and the next one runs', async () => {
    const worker = await startWorker();
    const handle = await start(
      'running',
      [container('main')],
      [execHook('echo 0 >> /data/runs; sleep 20'), execHook('echo 1 >> /data/runs')],
    );
    await waitUntil('the command', async () => (await runs('running')) === '0\n', { needs: [worker] });
    await worker.kill();
    await startWorker();
    const { status } = await handle.result();
    expect(status).toMatchObject({
      phase: 'Completed',
      warnings: 1,
      hookStatus: { hooksAttempted: 2, hooksFailed: 1 },
    });
    expect(await runs('running')).toBe('0\n1\n');
  });

  it('HX-08 while it waits for a container: another one waits on, and the hook runs once', async () => {
    const worker = await startWorker();
    const handle = await start('waiting', [gated('main')], [execHook('echo 0 >> /data/runs', { waitForReady: true })]);
    await waitUntil('the pod', async () => (await shell('waiting', 'echo up')) === 'up\n', { needs: [worker] });
    await worker.kill();
    await startWorker();
    await shell('waiting', 'touch /data/ready');
    const { status } = await handle.result();
    expect(status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: 1 } });
    expect(await runs('waiting')).toBe('0\n');
  });

  it('HX-08 between two hooks: each runs once, also after a reset of the workflow', async () => {
    const worker = await startWorker();
    const handle = await start(
      'between',
      [container('main'), gated('later')],
      [execHook('echo 0 >> /data/runs'), execHook('echo 1 >> /data/runs', { container: 'later', waitForReady: true })],
    );
    await waitUntil('the first hook', () => isRecorded(handle, 0, 'outcome.json'), { needs: [worker] });
    await worker.kill();
    await startWorker();
    await shell('between', 'touch /data/ready');
    const first = await handle.result();
    expect(first.status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: 2 } });
    expect(await runs('between')).toBe('0\n1\n');

    // To the very beginning: everything is done again, and nothing runs twice.
    await client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: handle.workflowId },
      workflowTaskFinishEventId: 4 as never,
      reason: 'test',
      requestId: 'reset-between',
    });
    const second = (await client.workflow.getHandle(handle.workflowId).result()) as typeof first;
    expect(second.status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: 2 } });
    expect(second.status.hookStatus?.hooksFailed).toBeUndefined();
    expect(await runs('between')).toBe('0\n1\n');
  });
});

describeOnNode(`a worker that is told to stop${reason === undefined ? '' : `: ${reason}`}`, () => {
  it('lets a running command end, and its result is kept', async () => {
    const worker = await startWorker();
    const handle = await start(
      'stopped',
      [container('main')],
      [execHook('echo 0 >> /data/runs; sleep 60; echo ended', { execTimeout: '2m' })],
    );
    await waitUntil('the command', async () => (await runs('stopped')) === '0\n', { needs: [worker] });
    process.kill(worker.pid, 'SIGTERM');
    expect(await worker.ended()).toBe(0);
    expect(isRecorded(handle, 0, 'outcome.json')).toBe(true);
    await startWorker();
    const { status } = await handle.result();
    expect(status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: 1 } });
    expect(status.hookStatus?.hooksFailed).toBeUndefined();
    expect(await runs('stopped')).toBe('0\n');
  });
});

describeOnNode(`a Temporal server that is restarted${reason === undefined ? '' : `: ${reason}`}`, () => {
  it('while a command runs and another pod waits: nothing is lost', async () => {
    const worker = await startWorker();
    const handle = await start(
      'restarted',
      [container('main'), gated('later')],
      [
        execHook('echo 0 >> /data/runs; sleep 15; echo ended'),
        execHook('echo 1 >> /data/runs', { container: 'later', waitForReady: true }),
      ],
    );
    await waitUntil('the command', async () => (await runs('restarted')) === '0\n', { needs: [worker] });
    await temporal.stop();
    temporal = await startTemporal(temporal.port);
    await shell('restarted', 'touch /data/ready');
    const { status } = await handle.result();
    expect(status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: 2 } });
    expect(status.hookStatus?.hooksFailed).toBeUndefined();
    expect(await runs('restarted')).toBe('0\n1\n');
  });
});
