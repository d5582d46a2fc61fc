import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { createKubernetesApi } from '../../../adapters/kubernetes/client.ts';
import { RestoreClient } from '../../../client/index.ts';
import { parseStorageLocations } from '../../../domain/backup/storageLocation.ts';
import { type ControlPlane, startControlPlane } from '../../../tools/servers/controlPlane.ts';
import { restoreSearchAttributes, startTemporalDevServer } from '../../../tools/servers/temporalDevServer.ts';
import { type RunningWorker, startWorker, type WorkerConfig } from '../../../worker/index.ts';
import { Cluster } from './cluster.ts';
import { FaultProxy } from './faultProxy.ts';

/** Everything that a restore needs, for one test file. */
export interface Environment {
  readonly controlPlane: ControlPlane;
  readonly cluster: Cluster;
  /** Stands between the worker and the API server; lets everything pass until told otherwise. */
  readonly proxy: FaultProxy;
  /** Directory of the one BackupStorageLocation, `default`. */
  readonly bucket: string;
  readonly temporal: Client;
  readonly restores: RestoreClient;
  /** Everything that this process wrote to its error output: the worker's log, at its most talkative. */
  log(): string;
  stop(): Promise<void>;
}

export interface Extensions extends Pick<WorkerConfig, 'actions' | 'actionModules' | 'pluginDirectory' | 'features'> {
  /** Beside the one of the bucket directory. */
  readonly moreLocations?: WorkerConfig['storageLocations'];
}

export interface EnvironmentOptions {
  readonly apiServerFlags?: readonly string[] | undefined;
}

function bucketLocation(bucket: string): string {
  return JSON.stringify({
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: { name: 'default' },
    spec: { provider: 'directory', objectStorage: { bucket } },
  });
}

/**
 * Starts a control plane with no more controllers than a restore needs, a Temporal development server and a worker in
 * this process, which reaches the API server through a {@link FaultProxy}.
 * @param extensions what the worker has beyond the built-in actions.
 */
export async function startEnvironment(
  extensions: Extensions = {},
  options: EnvironmentOptions = {},
): Promise<Environment> {
  const directory = await mkdtemp(join(tmpdir(), 'restore-test-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    return { ...(await start(directory, stops, extensions, options)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  directory: string,
  stops: (() => Promise<unknown>)[],
  { moreLocations = [], ...own }: Extensions,
  { apiServerFlags }: EnvironmentOptions,
): Promise<Omit<Environment, 'stop'>> {
  const log = captureLog(stops);
  const bucket = join(directory, 'bucket');
  const controlPlane = await startControlPlane({
    directory: join(directory, 'cluster'),
    controllers: 'minimal',
    apiServerFlags,
  });
  stops.push(() => controlPlane.stop());
  const server = await startTemporalDevServer({
    directory: join(directory, 'temporal'),
    searchAttributes: restoreSearchAttributes,
  });
  stops.push(() => server.stop());
  const proxy = await FaultProxy.start(controlPlane, directory);
  stops.push(() => proxy.stop());
  const api = await createKubernetesApi({ kubeconfig: controlPlane.kubeconfigPath });
  stops.push(() => api.close());

  const worker = await startWorker({
    temporal: { address: server.address, namespace: server.namespace },
    cluster: 'default',
    kubeconfig: proxy.kubeconfigPath,
    storageLocations: [...parseStorageLocations(bucketLocation(bucket), 'the tests'), ...moreLocations],
    cacheDirectory: join(directory, 'cache'),
    ...own,
    logLevel: 'trace',
    logFormat: 'text',
  });
  stops.push(runInBackground(worker));

  const connection = await Connection.connect({ address: server.address });
  stops.push(() => connection.close());
  const temporal = new Client({ connection, namespace: server.namespace });
  const restores = new RestoreClient({ client: temporal, address: server.address, timeoutMs: 30_000 });
  return { controlPlane, cluster: new Cluster(api), proxy, bucket, temporal, restores, log };
}

/** @returns what stops the worker and tells how it ended. */
function runInBackground(worker: RunningWorker): () => Promise<void> {
  const running = worker.run();
  // Told where it is waited for.
  running.catch(() => undefined);
  return async () => {
    worker.shutdown();
    await running;
  };
}

/** The log goes to memory: tests look for what must not be in it, and nobody wants to read it on the terminal. */
function captureLog(stops: (() => Promise<unknown>)[]): () => string {
  const lines: string[] = [];
  const written = jest.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  stops.push(() => {
    written.mockRestore();
    return Promise.resolve();
  });
  return () => lines.join('');
}
