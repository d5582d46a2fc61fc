import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  NativeConnection,
  type NativeConnectionOptions,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities } from '../activities/createActivities.ts';
import { UnknownStorageLocation } from '../activities/dependencies.ts';
import { createKubernetesApi } from '../adapters/kubernetes/client.ts';
import { createPodAccess } from '../adapters/kubernetes/pods.ts';
import { ArchiveCache } from '../adapters/storage/archiveCache.ts';
import { openObjectStore } from '../adapters/storage/openStore.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import { isBuiltInProvider } from '../domain/backup/storageConfig.ts';
import type { BackupStorageLocation } from '../domain/backup/storageLocation.ts';
import { taskQueueFor } from '../domain/contract.ts';
import { remember } from '../domain/remember.ts';
import { DEFAULT_MAX_CONCURRENT_ACTIVITIES, type WorkerConfig } from './config.ts';
import { startHealthServer } from './health.ts';
import { createHookWorkers } from './hookWorkers.ts';
import { createLog, temporalLogger } from './log.ts';
import { PluginStores, type ReadNamespacedSecret, secretReader } from './pluginStores.ts';
import { openExtensions } from './plugins.ts';
import { workflowCode } from './workflowCode.ts';

export interface RunningWorker {
  /** Resolves when the worker has stopped; rejects where it failed. */
  run(): Promise<void>;
  /** Takes no more work and lets activities in flight end: items for at most 30 s, commands in pods for at most 10 minutes. */
  shutdown(): void;
}

function defaultCacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'durable-restore', 'backups');
}

/** Opens each location once: credentials are read and connections kept. A failed opening is tried again. */
function storeOpener(
  locations: readonly BackupStorageLocation[],
  plugins: PluginStores,
  readSecret: ReadNamespacedSecret,
): (name: string) => Promise<ObjectStore> {
  const openOne = (location: BackupStorageLocation): Promise<ObjectStore> => {
    if (!isBuiltInProvider(location) && plugins.serves(location)) return plugins.openObjectStore(location);
    return openObjectStore(location, { readSecret: (selector) => readSecret(location.namespace, selector) });
  };
  // Of two locations of one name the first counts.
  const openers = new Map(locations.toReversed().map((one) => [one.name, remember(() => openOne(one))]));
  return async (name) => {
    const open = openers.get(name);
    if (open !== undefined) return open();
    throw new UnknownStorageLocation(
      name,
      locations.map((known) => known.name),
    );
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

/** Closes what a worker opened, the last first. */
class OpenResources {
  private readonly closers: (() => unknown)[] = [];

  /** @returns `resource`, which {@link close} will close. */
  add<T>(resource: T, close: (resource: T) => unknown): T {
    this.closers.push(() => close(resource));
    return resource;
  }

  async close(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
  }
}

/**
 * Starts a worker of one target cluster: workflows and activities on the cluster's task queue.
 * @throws where the Temporal server, the kubeconfig or the health address cannot be used; nothing stays open then.
 */
export async function startWorker(config: WorkerConfig): Promise<RunningWorker> {
  const resources = new OpenResources();
  try {
    return await openWorker(config, resources);
  } catch (error) {
    // A Worker that was made and never ran keeps its connection open; why it could not run is what counts.
    await resources.close().catch(() => undefined);
    throw error;
  }
}

async function openWorker(config: WorkerConfig, resources: OpenResources): Promise<RunningWorker> {
  const maxActivities = config.maxConcurrentActivities ?? DEFAULT_MAX_CONCURRENT_ACTIVITIES;
  const { kubeconfig, context } = config;
  const kubernetes = resources.add(
    await createKubernetesApi({ kubeconfig, context, connections: maxActivities }),
    (api) => api.close(),
  );
  const pods = resources.add(await createPodAccess({ kubeconfig, context }), (access) => access.close());
  const archives = resources.add(
    new ArchiveCache({ directory: config.cacheDirectory ?? defaultCacheDirectory() }),
    (cache) => cache.close(),
  );
  const log = createLog(config);
  const extensions = resources.add(await openExtensions(config, log), ({ plugins }) => plugins.close());
  const readSecret = secretReader(kubernetes);
  const pluginStores = new PluginStores(extensions.plugins, readSecret);
  const openStore = storeOpener(config.storageLocations, pluginStores, readSecret);
  const { actions } = extensions;
  const hasSnapshotters = extensions.plugins.offered.some(({ kind }) => kind === 'VolumeSnapshotter');
  const volumeSnapshotters = hasSnapshotters ? pluginStores : undefined;
  const work = resources.add(
    createActivities({ kubernetes, archives, openStore, actions, volumeSnapshotters }),
    (activities) => {
      activities.close();
    },
  );

  installRuntime(log, config);
  const connection = resources.add(await connect(config), (open) => open.close());
  const shared = { connection, namespace: config.temporal.namespace, ...versioningOptions(config) };
  const taskQueue = taskQueueFor(config.cluster);
  const worker = await Worker.create({
    ...shared,
    taskQueue,
    workflowBundle: await workflowCode(),
    activities: work.activities,
    maxConcurrentActivityTaskExecutions: maxActivities,
    maxConcurrentActivityTaskPolls: Math.min(16, maxActivities),
    maxConcurrentWorkflowTaskPolls: 8,
    // Items that wait for others have a workflow each, which is asked for every few seconds.
    maxCachedWorkflows: 1_000,
    // A dead worker's workflows move to another one after this long.
    stickyQueueScheduleToStartTimeout: '3s',
    maxHeartbeatThrottleInterval: '4s',
    shutdownGraceTime: '10s',
    shutdownForceTime: '30s',
  });
  const workers = [worker, ...(await createHookWorkers(shared, taskQueue, { kubernetes, pods, openStore }))];
  const shutdown = (): void => {
    for (const one of workers) if (one.getState() === 'RUNNING') one.shutdown();
  };
  const run = async (): Promise<void> => {
    try {
      await runAll(workers, shutdown);
    } finally {
      await resources.close();
    }
  };
  if (config.healthAddress !== undefined) {
    try {
      resources.add(await startHealthServer(config.healthAddress, worker), (server) => server.close());
    } catch (error) {
      // A worker that was created can only be closed by running it to its end.
      const ended = run();
      shutdown();
      await ended;
      throw error;
    }
  }
  return { run, shutdown };
}

/** Runs workers until all have stopped; where one fails, the others are stopped as well. */
async function runAll(workers: readonly Worker[], shutdown: () => void): Promise<void> {
  const running = workers.map(async (worker) => {
    try {
      await worker.run();
    } finally {
      shutdown();
    }
  });
  for (const ended of await Promise.allSettled(running)) if (ended.status === 'rejected') throw ended.reason;
}

function versioningOptions({ versioning }: WorkerConfig): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (versioning === undefined) return {};
  return {
    workerDeploymentOptions: {
      version: versioning,
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'PINNED',
    },
  };
}
