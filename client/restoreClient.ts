import { randomUUID } from 'node:crypto';
import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  type ItemWait,
  type RestoreProgress,
  type RestoreResult,
  restoreWorkflowId,
  type ShardProgress,
  updateNames,
  type WaitingItemProgress,
} from '../domain/contract.ts';
import type { Pace } from '../domain/pace.ts';
import type { RestoreManifest } from '../domain/restore/restoreManifest.ts';
import { connectTemporal } from './connectTemporal.ts';
import { deleteHistories } from './deleteHistories.ts';
import { describeRestore } from './describeRestore.ts';
import {
  RestoreAlreadyEnded,
  RestoreClientError,
  RestoreNameTaken,
  RestoreNotFound,
  RestoreStillRunning,
} from './errors.ts';
import { type ListOptions, listRestores } from './listRestores.ts';
import { addShards, type RestoreProgressReport } from './progress.ts';
import { isOpen, type RestoreDescription } from './restoreDescription.ts';
import { RestoreHandle } from './restoreHandle.ts';
import { checkCluster, DEFAULT_VELERO_NAMESPACE, type StartOptions, toRestoreRequest } from './restoreRequest.ts';
import { startRestoreWorkflow } from './startRestore.ts';
import { loadTemporalConfig, type TemporalConfigOptions } from './temporalConfig.ts';
import { TemporalServer } from './temporalServer.ts';
import { type ResultOptions, waitForResult } from './waitForResult.ts';

export interface RestoreClientOptions {
  readonly client: Client;
  /** Address of the server, for messages. */
  readonly address?: string | undefined;
  /** Name of the target cluster. Default `default`. */
  readonly cluster?: string | undefined;
  /** Velero's namespace, a part of a restore's identity. Default `velero`. */
  readonly veleroNamespace?: string | undefined;
  /** Deadline of each request to the Temporal server. Milliseconds, default 10 s. */
  readonly timeoutMs?: number | undefined;
}

/** Address, namespace and the rest go before `TEMPORAL_*` variables and profiles. */
export interface RestoreConnectOptions
  extends TemporalConfigOptions,
    Omit<RestoreClientOptions, 'client' | 'address'> {}

const PACE_VERBS = { pause: 'pause', resume: 'resume', setMaxInFlight: 'set' } as const;

/** Shards that are asked what they are being held up by. */
const SHARDS_ASKED = 8;

/** Items that wait for others and are asked for what. */
const WAITS_ASKED = 20;

/**
 * Starts, follows and cancels restores on a Temporal server. Every request has a deadline; every error is a
 * {@link RestoreClientError} with a stable `type`.
 *
 *     const restores = await RestoreClient.connect();
 *     const restore = await restores.start({ name: 'nightly-1', spec: { backupName: 'nightly' } });
 *     console.log((await restore.result()).status.phase);
 */
export class RestoreClient {
  readonly cluster: string;
  readonly veleroNamespace: string;
  private readonly server: TemporalServer;

  /** @throws InvalidRestoreRequest for a cluster name that cannot be part of a task queue */
  constructor({ client, address, cluster = 'default', veleroNamespace, timeoutMs }: RestoreClientOptions) {
    checkCluster(cluster);
    this.cluster = cluster;
    this.veleroNamespace = veleroNamespace ?? DEFAULT_VELERO_NAMESPACE;
    this.server = new TemporalServer(client, address, timeoutMs);
  }

  /**
   * Connects by options, `TEMPORAL_*` variables and profiles; see {@link loadTemporalConfig}.
   * @throws InvalidTemporalConfig, TemporalUnreachable, TemporalAccessDenied
   */
  static async connect(options: RestoreConnectOptions = {}): Promise<RestoreClient> {
    const config = loadTemporalConfig(options);
    const client = await connectTemporal(config);
    return new RestoreClient({ ...options, client, address: config.address });
  }

  /** Closes the connection to the Temporal server; restores go on. */
  async close(): Promise<void> {
    await this.server.client.connection.close();
  }

  /**
   * Starts a restore, or attaches to the one of that name that is running. On a server without our search attributes it runs
   * without them, with a notice.
   * @param restore what a Velero Restore says; `parseRestoreManifest` reads one. Its uid is made here unless given.
   * @throws InvalidRestoreRequest, RestoreValidationFailed (nothing was started), RestoreNameTaken with the phase of the one
   *   that has ended
   */
  async start(restore: RestoreManifest, options: StartOptions = {}): Promise<RestoreHandle> {
    const withNamespace = { ...restore, namespace: restore.namespace ?? this.veleroNamespace };
    const request = toRestoreRequest(this.cluster, withNamespace, randomUUID(), options);
    const { name, namespace, uid } = request.input.restore;
    const workflowId = restoreWorkflowId(this.cluster, namespace, name);
    try {
      await startRestoreWorkflow(this.server, workflowId, request, options);
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) throw await this.nameTaken(name, namespace);
      throw error;
    }
    const { runId, memo } = await this.info(name, namespace);
    const attached = memo?.['restoreUid'] !== uid;
    if (attached && memo?.['requestHash'] !== request.memo.requestHash) {
      options.onNotice?.(
        `restore ${name} was already started with other settings: they stand, those given now are ignored`,
      );
    }
    const knownUid = attached ? String(memo?.['restoreUid']) : uid;
    return new RestoreHandle(this, { name, namespace, uid: knownUid, workflowId, runId, attached });
  }

  /**
   * What Temporal knows of a restore, running or ended.
   * @param namespace Velero's; default: the client's
   * @throws RestoreNotFound
   */
  async get(name: string, namespace = this.veleroNamespace): Promise<RestoreDescription> {
    return describeRestore(this.server, await this.info(name, namespace), () => this.progress(name, namespace));
  }

  /**
   * The newest restores of the cluster, of all Velero namespaces. Lists are a little behind: a restore that was started this
   * very second may be missing.
   */
  list(options: ListOptions = {}): Promise<RestoreDescription[]> {
    return listRestores(this.server, this.cluster, options);
  }

  /**
   * How far a running restore has come, its shards included.
   * @throws RestoreNotFound, WorkerNotAnswering
   */
  async progress(name: string, namespace = this.veleroNamespace): Promise<RestoreProgressReport> {
    const { taskQueue } = await this.info(name, namespace);
    const workflow = this.workflow(name, namespace);
    const root = await this.server.queryProgress<RestoreProgress>(workflow, name, taskQueue);
    const shards = root.runningShards.map((id) => this.server.client.workflow.getHandle(id));
    const [inShards, troubles] = await Promise.all([
      Promise.all(shards.map((shard) => this.shardProgress(shard, taskQueue))),
      Promise.all([workflow, ...shards.slice(0, SHARDS_ASKED)].map((asked) => this.troublesOf(asked))),
    ]);
    const ofShards = inShards.flat();
    const waiting = [root, ...ofShards].flatMap((one) => one.waiting ?? []).slice(0, WAITS_ASKED);
    const waits = await Promise.all(waiting.map((id) => this.waitsOf(id, taskQueue)));
    const counters = ofShards.map((one) => one.counters);
    return { ...addShards(root, counters, troubles.flat()), ...(waiting.length === 0 ? {} : { waits: waits.flat() }) };
  }

  /**
   * Waits until a restore has ended. Completed and PartiallyFailed are results; every other end is an error.
   * @throws RestoreNotFound, RestoreValidationFailed, RestoreFailed, RestoreCancelled, RestoreTerminated; TemporalUnreachable
   *   where the server is away for longer than `patienceMs`
   */
  result(name: string, options: ResultOptions = {}, namespace = this.veleroNamespace): Promise<RestoreResult> {
    return waitForResult(this.server, this.workflow(name, namespace), name, options);
  }

  /**
   * Cancels a restore: no new item is started, those in flight end, result files are written. Returns when the request is taken.
   * @throws RestoreNotFound, RestoreAlreadyEnded
   */
  async cancel(name: string, namespace = this.veleroNamespace): Promise<void> {
    await this.running(name, namespace, 'cancel');
    await this.server.call(() => this.workflow(name, namespace).cancel(), name);
  }

  /**
   * Forgets a restore that has ended: its history and that of its children go, and its name is free. Files in the object store are not touched; while they are there,
   * a restore of the same name is refused.
   * @returns false where Temporal does not know it.
   * @throws RestoreStillRunning
   */
  async delete(name: string, namespace = this.veleroNamespace): Promise<boolean> {
    try {
      const info = await this.info(name, namespace);
      if (isOpen(info)) throw new RestoreStillRunning(`restore ${name} is running: cancel it first`);
      await deleteHistories(this.server, restoreWorkflowId(this.cluster, namespace, name), info.runId);
      return true;
    } catch (error) {
      if (error instanceof RestoreNotFound) return false;
      throw error;
    }
  }

  /**
   * Starts no further item until the restore is resumed; those in flight end, hooks and waits that have begun go on. Pausing a paused
   * restore changes nothing.
   * @throws RestoreNotFound, RestoreAlreadyEnded, PaceRefused where it is ending; WorkerNotAnswering
   */
  pause(name: string, namespace = this.veleroNamespace): Promise<Pace> {
    return this.changePace(name, namespace, 'pause', []);
  }

  /** Goes on with a paused restore. @throws as {@link pause} */
  resume(name: string, namespace = this.veleroNamespace): Promise<Pace> {
    return this.changePace(name, namespace, 'resume', []);
  }

  /**
   * Limits how many activities the restore has in flight, effective within seconds.
   * @param maxInFlight 0: as its options say, shards × window.
   * @throws as {@link pause}
   */
  setMaxInFlight(name: string, maxInFlight: number, namespace = this.veleroNamespace): Promise<Pace> {
    return this.changePace(name, namespace, 'setMaxInFlight', [maxInFlight]);
  }

  private async changePace(
    name: string,
    namespace: string,
    update: keyof typeof updateNames,
    args: readonly [] | readonly [number],
  ): Promise<Pace> {
    const { taskQueue } = await this.running(name, namespace, PACE_VERBS[update]);
    const workflow = this.workflow(name, namespace);
    return this.server.update<Pace>(workflow, updateNames[update], args, { name, taskQueue });
  }

  /** @throws RestoreAlreadyEnded; RestoreNotFound */
  private async running(name: string, namespace: string, verb: string): Promise<WorkflowExecutionDescription> {
    const info = await this.info(name, namespace);
    if (isOpen(info)) return info;
    const { phase } = await describeRestore(this.server, info);
    throw new RestoreAlreadyEnded(`restore ${name} has already ended with phase ${phase}: nothing to ${verb}`);
  }

  private workflow(name: string, namespace: string): WorkflowHandle {
    return this.server.client.workflow.getHandle(restoreWorkflowId(this.cluster, namespace, name));
  }

  private info(name: string, namespace: string): Promise<WorkflowExecutionDescription> {
    return this.server.call(() => this.workflow(name, namespace).describe(), name);
  }

  private async nameTaken(name: string, namespace: string): Promise<Error> {
    const { phase, workflowId, endedAt } = await describeRestore(this.server, await this.info(name, namespace));
    return new RestoreNameTaken(name, phase, workflowId, endedAt);
  }

  /** Nothing where the shard cannot be asked now: the next look has it. */
  private async shardProgress(shard: WorkflowHandle, taskQueue: string): Promise<ShardProgress[]> {
    try {
      return [await this.server.queryProgress<ShardProgress>(shard, '', taskQueue)];
    } catch (error) {
      if (error instanceof RestoreClientError) return [];
      throw error;
    }
  }

  /** Nothing where the item cannot be asked, or waits no longer. */
  private async waitsOf(workflowId: string, taskQueue: string): Promise<readonly ItemWait[]> {
    const item = this.server.client.workflow.getHandle(workflowId);
    try {
      return (await this.server.queryProgress<WaitingItemProgress>(item, '', taskQueue)).waits;
    } catch (error) {
      if (error instanceof RestoreClientError) return [];
      throw error;
    }
  }

  private async troublesOf(workflow: WorkflowHandle): Promise<string[]> {
    try {
      const { raw } = await this.server.call(() => workflow.describe());
      return (raw.pendingActivities ?? []).flatMap(({ lastFailure }) => lastFailure?.message ?? []);
    } catch (error) {
      if (error instanceof RestoreClientError) return [];
      throw error;
    }
  }
}
