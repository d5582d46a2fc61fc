import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { restoreFileKey } from '../../domain/backup/layout.ts';
import { parseStorageLocations } from '../../domain/backup/storageLocation.ts';
import {
  defaultRestoreOptions,
  errorTypes,
  type RestoreInput,
  type RestoreResult,
  restoreWorkflowId,
  taskQueueFor,
  workflowTypes,
} from '../../domain/contract.ts';
import type { RestoreStatus } from '../../domain/restore/restore.ts';
import { type RunningWorker, startWorker } from '../../worker/index.ts';
import type { GoldenCase } from './goldenCase.ts';
import type { Target } from './target.ts';

const STORAGE_LOCATION = 'default';

/** A restore may wait for namespaces and definitions, but here never for long. */
const RESTORE_DEADLINE_MS = 240_000;

export interface TemporalServer {
  readonly client: Client;
  readonly address: string;
}

/** A worker of one target, in this process. */
export class TargetWorker {
  private readonly worker: RunningWorker;
  private readonly running: Promise<void>;
  private readonly temporal: TemporalServer;
  private readonly cluster: string;

  private constructor(worker: RunningWorker, temporal: TemporalServer, cluster: string) {
    this.worker = worker;
    this.temporal = temporal;
    this.cluster = cluster;
    this.running = worker.run();
    // Reported by stop(); until then a failed worker shows as a restore that does not end.
    this.running.catch(() => undefined);
  }

  /** @param cluster names the target and so the worker's task queue */
  static async start(options: {
    readonly temporal: TemporalServer;
    readonly target: Target;
    readonly cluster: string;
    readonly bucket: string;
    readonly cacheDirectory: string;
  }): Promise<TargetWorker> {
    const { temporal, target, cluster, bucket, cacheDirectory } = options;
    await mkdir(cacheDirectory, { recursive: true, mode: 0o700 });
    const location = { name: STORAGE_LOCATION, provider: 'directory', bucket };
    const worker = await startWorker({
      temporal: { address: temporal.address, namespace: 'default' },
      cluster,
      kubeconfig: target.kubeconfigPath,
      storageLocations: parseStorageLocations(storageLocationManifest(location), 'golden storage location'),
      cacheDirectory,
      logFormat: 'text',
      // The SDK warns of each workflow that fails: here that is often what is expected.
      logLevel: 'error',
    });
    return new TargetWorker(worker, temporal, cluster);
  }

  /** Runs a case's restore to its end and returns its final status, also where that is a failure. */
  async restore({ restore }: GoldenCase): Promise<RestoreStatus> {
    const input: RestoreInput = {
      cluster: this.cluster,
      restore: { ...restore, uid: randomUUID() },
      storageLocation: STORAGE_LOCATION,
      options: defaultRestoreOptions,
      useSearchAttributes: false,
    };
    try {
      const result = (await this.temporal.client.workflow.execute(workflowTypes.restore, {
        taskQueue: taskQueueFor(this.cluster),
        workflowId: restoreWorkflowId(this.cluster, restore.namespace, restore.name),
        args: [input],
        workflowExecutionTimeout: RESTORE_DEADLINE_MS,
      })) as RestoreResult;
      return result.status;
    } catch (error) {
      const status = failedStatus(error);
      if (status === undefined) throw error;
      return status;
    }
  }

  async stop(): Promise<void> {
    this.worker.shutdown();
    await this.running;
  }
}

/** The status of a restore that its workflow ended as a failure. */
function failedStatus(error: unknown): RestoreStatus | undefined {
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) return undefined;
  const { type, details } = error.cause;
  const [detail] = (details ?? []) as { validationErrors?: readonly string[]; status?: RestoreStatus }[];
  if (type === errorTypes.FailedValidation) {
    return { phase: 'FailedValidation', validationErrors: detail?.validationErrors ?? [] };
  }
  return type === errorTypes.RestoreFailed ? detail?.status : undefined;
}

function storageLocationManifest(location: { readonly name: string; provider: string; bucket: string }): string {
  return JSON.stringify({
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: { name: location.name },
    spec: { provider: location.provider, objectStorage: { bucket: location.bucket } },
  });
}

/** The files of a restore that are compared, in a folder of Velero's output or of our bucket. */
export function outputFiles(
  folder: string,
  restoreName: string,
): { readonly results: string; readonly resourceList: string } {
  return {
    results: join(folder, basename(restoreFileKey(restoreName, 'results'))),
    resourceList: join(folder, basename(restoreFileKey(restoreName, 'resourceList'))),
  };
}
