import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { createKubernetesApi } from '../../adapters/kubernetes/client.ts';
import { RestoreClient } from '../../client/index.ts';
import type { JsonObject } from '../../domain/json.ts';
import { startNodes } from '../../tools/golden/nodes.ts';
import { type ControlPlane, startControlPlane } from '../../tools/servers/controlPlane.ts';
import { restoreSearchAttributes, startTemporalDevServer } from '../../tools/servers/temporalDevServer.ts';
import { makeBackup } from '../integration/support/backupBucket.ts';
import { execHook, hooksFor } from './hookPods.ts';
import { CommandProcess, copyOfBuild, waitUntil } from './killSupport.ts';

const PODS = 2_000;
const NODES = 4;
const MAX_EVENTS = 4_096;
const MAX_MEMORY_MIB = 512;

jest.setTimeout(1_200_000);

let directory: string;
let bucket: string;
let controlPlane: ControlPlane;
let worker: CommandProcess;
let client: Client;
let restores: RestoreClient;
const stops: (() => Promise<unknown>)[] = [];

/** A control plane whose nodes kwok plays: it runs the commands of hooks on this machine, with this test's own rights. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hooks-scale-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  bucket = join(directory, 'bucket');
  const command = copyOfBuild(directory);
  controlPlane = await startControlPlane({ directory: join(directory, 'cluster'), controllers: 'minimal' });
  stops.push(() => controlPlane.stop());
  const kubernetes = await createKubernetesApi({ kubeconfig: controlPlane.kubeconfigPath });
  stops.push(() => kubernetes.close());
  const capacity = { cpu: '1000', memory: '1000Gi', pods: '1000' };
  for (let node = 0; node < NODES; node++) {
    const object = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `n${String(node)}` },
      status: { capacity, allocatable: capacity },
    };
    const made = await kubernetes.create({ group: '', version: 'v1', resource: 'nodes' }, object, {
      fieldManager: 'test',
    });
    expect(made.ok).toBe(true);
  }
  const clusterDirectory = dirname(dirname(controlPlane.apiServer.certificateFile));
  const stopNodes = await startNodes(clusterDirectory, controlPlane.kubeconfigPath, kubernetes);
  stops.push(stopNodes);
  const temporal = await startTemporalDevServer({
    directory: join(directory, 'temporal'),
    searchAttributes: restoreSearchAttributes,
  });
  stops.push(() => temporal.stop());
  worker = new CommandProcess(command, [
    ...['worker', '--temporal-address', temporal.address, '--kubeconfig', controlPlane.kubeconfigPath],
    ...['--backup-dir', bucket, '--cache-dir', join(directory, 'cache')],
  ]);
  stops.push(() => (worker.isRunning ? worker.kill() : Promise.resolve()));
  await waitUntil('the worker', () => worker.output.includes('worker ready'), { needs: [worker] });
  const connection = await Connection.connect({ address: temporal.address });
  stops.push(() => connection.close());
  client = new Client({ connection });
  restores = new RestoreClient({ client, address: temporal.address, timeoutMs: 30_000 });
}, 1_200_000);

afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function pod(index: number): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${String(index).padStart(4, '0')}`, namespace: 'many', labels: { app: 'one' } },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'registry.example.com/one:1' }] },
  };
}

/** The most memory that the process has had, in MiB. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024);
}

async function eventsOf(workflowId: string): Promise<{ readonly type: string; readonly events: number }[]> {
  const runs: { type: string; events: number }[] = [];
  for await (const run of client.workflow.list({ query: `WorkflowId STARTS_WITH "${workflowId}"` })) {
    runs.push({ type: run.type, events: run.historyLength });
  }
  return runs;
}

describe('a restore of 2,000 pods with hooks', () => {
  it('runs all of them, within the limits of histories and memory', async () => {
    await makeBackup(
      bucket,
      'many',
      Array.from({ length: PODS }, (_, index) => pod(index)),
    );
    const startedAt = Date.now();
    const handle = await restores.start({
      name: 'many',
      spec: { backupName: 'many', hooks: hooksFor({ one: [execHook('true')] }) },
    });
    const { status } = await handle.result();
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    expect(status).toMatchObject({ phase: 'Completed', hookStatus: { hooksAttempted: PODS } });
    expect(status.hookStatus?.hooksFailed).toBeUndefined();

    const memory = await peakMemory(worker.pid);
    let runs = await eventsOf(handle.workflowId);
    // The list of workflows is a moment late.
    await waitUntil('all workflows', async () => {
      runs = await eventsOf(handle.workflowId);
      return runs.filter(({ type }) => type === 'podHooks').length === PODS;
    });
    const longest = Math.max(...runs.map(({ events }) => events));
    const batches = runs.filter(({ type }) => type === 'hookBatch').length;
    process.stdout.write(
      `${String(PODS)} pods with hooks in ${String(seconds)} s (${String(Math.round(PODS / seconds))}/s); ${String(batches)} batches, longest history ${String(longest)} events, worker at most ${String(memory)} MiB\n`,
    );
    expect(longest).toBeLessThan(MAX_EVENTS);
    expect(memory).toBeLessThan(MAX_MEMORY_MIB);
  });
});
