import { type RestoreManifest, type RestoreOptions, type StartOptions, taskQueueFor } from '../../client/index.ts';
import type { BackupStorageLocation } from '../../domain/backup/storageLocation.ts';
import type { WorkerConfig } from '../../worker/index.ts';
import type { LocalServer } from '../devServer/localServer.ts';
import type { KubernetesFlags } from '../targetCluster.ts';

/** Name of the cluster in the ids of restores that `run` makes: its server serves this machine only. */
export const LOCAL_CLUSTER = 'local';

export interface RunRequest {
  readonly restore: RestoreManifest;
  /** Its name was made up: an unfinished restore that was asked for in the same words is meant. */
  readonly unnamed: boolean;
  readonly options: Partial<RestoreOptions>;
  readonly location: BackupStorageLocation;
  readonly kubernetes: KubernetesFlags;
  /** Default: see defaultDataDirectory. */
  readonly dataDirectory: string | undefined;
  /** Leave the Temporal server running at the end. */
  readonly keepServer: boolean;
  /** The API server's address has changed since the restore was started, the cluster has not. */
  readonly sameCluster: boolean;
  readonly worker: Pick<
    WorkerConfig,
    | 'actionModules'
    | 'pluginDirectory'
    | 'features'
    | 'cacheDirectory'
    | 'maxConcurrentActivities'
    | 'logLevel'
    | 'logFormat'
  >;
}

/** What the restore's start is given, besides the Restore itself. */
export function startOptions(request: RunRequest): StartOptions {
  return {
    storageLocation: request.location.name,
    options: request.options,
    taskQueue: taskQueueFor(taskQueueClusterOf(request)),
  };
}

/**
 * The cluster that a restore's worker serves: one of each restore's own, because workers of other calls may be connected to other
 * clusters and stores.
 */
function taskQueueClusterOf({ restore }: RunRequest): string {
  return `${LOCAL_CLUSTER}/${restore.namespace ?? 'velero'}/${restore.name}`;
}

export function workerConfig(request: RunRequest, server: LocalServer): WorkerConfig {
  const { kubernetes, location, worker } = request;
  return {
    temporal: { address: server.address, namespace: server.namespace },
    cluster: taskQueueClusterOf(request),
    kubeconfig: kubernetes.kubeconfig,
    context: kubernetes.kubecontext,
    storageLocations: [location],
    ...worker,
  };
}
