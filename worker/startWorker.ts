import type { Server } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection, type NativeConnectionOptions, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities, type WorkerActivities } from '../activities/createActivities.ts';
import { UnknownStorageLocation } from '../activities/dependencies.ts';
import { type ClosableKubernetesApi, createKubernetesApi } from '../adapters/kubernetes/client.ts';
import { ArchiveCache } from '../adapters/storage/archiveCache.ts';
import { openObjectStore } from '../adapters/storage/openStore.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import type { BackupStorageLocation } from '../domain/backup/storageLocation.ts';
import { taskQueueFor } from '../domain/contract.ts';
import { DEFAULT_MAX_CONCURRENT_ACTIVITIES, type WorkerConfig } from './config.ts';
import { startHealthServer } from './health.ts';
import { createLog, temporalLogger } from './log.ts';
import { workflowCode } from './workflowCode.ts';

export interface RunningWorker {
  /** Resolves when the worker has stopped; rejects where it failed. */
  run(): Promise<void>;
  /** Takes no more work and lets activities in flight end, for at most 30 s. */
  shutdown(): void;
}

function defaultCacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'durable-restore', 'backups');
}

/** Opens each location once: credentials are read and connections kept. A failed opening is tried again. */
function storeOpener(locations: readonly BackupStorageLocation[]): (name: string) => Promise<ObjectStore> {
  const open = new Map<string, Promise<ObjectStore>>();
  return async (name) => {
    const location = locations.find((candidate) => candidate.name === name);
    if (location === undefined)
      throw new UnknownStorageLocation(
        name,
        locations.map((known) => known.name),
      );
    const opening = open.get(name) ?? openObjectStore(location);
    open.set(name, opening);
    opening.catch(() => open.delete(name));
    return opening;
  };
}

/** One log for Temporal's native code, its TypeScript code and ours; a process has one Runtime. */
function installRuntime(log: Logger, config: WorkerConfig): void {
  if (Runtime._instance !== undefined) return;
  Runtime.install({
    logger: temporalLogger(log, config.logLevel),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
    // The command decides what a signal means: `run` pauses, `worker` drains.
    shutdownSignals: [],
  });
}

async function connect({ temporal }: WorkerConfig): Promise<NativeConnection> {
  const { address, tls, apiKey, metadata } = temporal;
  const options: NativeConnectionOptions = {
    address,
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
  };
  return NativeConnection.connect(options);
}

/**
 * Starts a worker of one target cluster: workflows and activities on the cluster's task queue.
 * @throws where the Temporal server, the kubeconfig or the health address cannot be used.
 */
export async function startWorker(config: WorkerConfig): Promise<RunningWorker> {
  const log = createLog(config);
  installRuntime(log, config);
  const maxActivities = config.maxConcurrentActivities ?? DEFAULT_MAX_CONCURRENT_ACTIVITIES;
  const kubernetes = await createKubernetesApi({
    ...(config.kubeconfig === undefined ? {} : { kubeconfig: config.kubeconfig }),
    ...(config.context === undefined ? {} : { context: config.context }),
    connections: maxActivities,
  });
  const archives = new ArchiveCache({ directory: config.cacheDirectory ?? defaultCacheDirectory() });
  const openStore = storeOpener(config.storageLocations);
  const work = createActivities({ kubernetes, archives, openStore });
  const connection = await connect(config);
  const worker = await Worker.create({
    connection,
    namespace: config.temporal.namespace,
    taskQueue: taskQueueFor(config.cluster),
    workflowBundle: await workflowCode(),
    activities: work.activities,
    maxConcurrentActivityTaskExecutions: maxActivities,
    maxConcurrentActivityTaskPolls: Math.min(16, maxActivities),
    maxConcurrentWorkflowTaskPolls: 8,
    maxCachedWorkflows: 200,
    // A dead worker's workflows move to another one after this long.
    stickyQueueScheduleToStartTimeout: '3s',
    maxHeartbeatThrottleInterval: '4s',
    shutdownGraceTime: '10s',
    shutdownForceTime: '30s',
    ...(config.versioning === undefined
      ? {}
      : {
          workerDeploymentOptions: {
            version: config.versioning,
            useWorkerVersioning: true,
            defaultVersioningBehavior: 'PINNED',
          },
        }),
  });
  const health = config.healthAddress === undefined ? undefined : await startHealthServer(config.healthAddress, worker);
  return {
    run: () => runUntilStopped(worker, { kubernetes, archives, work, connection, health }),
    shutdown: () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

async function runUntilStopped(
  worker: Worker,
  resources: {
    readonly kubernetes: ClosableKubernetesApi;
    readonly archives: ArchiveCache;
    readonly work: WorkerActivities;
    readonly connection: NativeConnection;
    readonly health: Server | undefined;
  },
): Promise<void> {
  try {
    await worker.run();
  } finally {
    resources.health?.close();
    await resources.kubernetes.close();
    resources.work.close();
    await resources.archives.close();
    await resources.connection.close();
  }
}
