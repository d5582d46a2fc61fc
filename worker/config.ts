import type { RestoreItemAction } from '../domain/actions/action.ts';
import type { BackupStorageLocation } from '../domain/backup/storageLocation.ts';

/** Where the Temporal server is; as `@temporalio/envconfig` reads it. */
export interface TemporalConnection {
  readonly address: string;
  readonly namespace: string;
  readonly tls?: object | boolean | undefined;
  readonly apiKey?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface WorkerConfig {
  readonly temporal: TemporalConnection;
  /** Name of the target cluster; chooses the task queue. */
  readonly cluster: string;
  /** Default: KUBECONFIG, the home directory's, or in-cluster. */
  readonly kubeconfig?: string | undefined;
  /** Default: the kubeconfig's current context. */
  readonly context?: string | undefined;
  readonly storageLocations: readonly BackupStorageLocation[];
  /** Holds unpacked backups, which hold Secrets: made with mode 0700. Default: below the user's cache directory. */
  readonly cacheDirectory?: string | undefined;
  /** `host:port` of `/healthz` and `/readyz`; none by default. */
  readonly healthAddress?: string | undefined;
  /** Worker versioning (deployment and build id, then PINNED); off by default. */
  readonly versioning?: { readonly deploymentName: string; readonly buildId: string } | undefined;
  /** Activities at a time, which is also the most connections to the API server. Default 64. */
  readonly maxConcurrentActivities?: number | undefined;
  /** Restore item actions of one's own; they run behind the built-in ones (docs/plugins.md). */
  readonly actions?: readonly RestoreItemAction[] | undefined;
  /** Modules that export a list `actions`: paths or names of packages. Their actions run behind those above. */
  readonly actionModules?: readonly string[] | undefined;
  /** Directory of Velero plugin programs, as Velero's --plugin-dir; none by default. */
  readonly pluginDirectory?: string | undefined;
  /** Velero's feature flags, e.g. `EnableCSI`; told to plugins. */
  readonly features?: readonly string[] | undefined;
  /** Default `info`. */
  readonly logLevel?: LogLevel | undefined;
  /** Default `json`; `text` is for people. */
  readonly logFormat?: 'json' | 'text' | undefined;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export const DEFAULT_MAX_CONCURRENT_ACTIVITIES = 64;
