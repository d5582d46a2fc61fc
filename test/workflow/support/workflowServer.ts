import { randomUUID } from 'node:crypto';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import {
  defaultRestoreOptions,
  type RestoreInput,
  type RestoreOptions,
  type RestoreProgress,
  type RestoreResult,
  searchAttributes,
  taskQueueFor,
} from '../../../domain/contract.ts';
import { ensurePrograms } from '../../../tools/servers/ensure.ts';
import { workflowCode } from '../../../worker/workflowCode.ts';
import type { restore } from '../../../workflows/restore.ts';
import type { ScriptedActivities } from './scriptedActivities.ts';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

type HistoryEvent = NonNullable<History['events']>[number];

export type RestoreUnderTest = WorkflowHandle<typeof restore>;

/** Time-skipping Temporal server with the workflow code, for all tests of a file. */
export class WorkflowServer {
  readonly environment: TestWorkflowEnvironment;
  private readonly code: WorkflowBundleOption;
  private readonly executions = new Map<string, string>();

  private constructor(environment: TestWorkflowEnvironment, code: WorkflowBundleOption) {
    this.environment = environment;
    this.code = code;
  }

  static async start(): Promise<WorkflowServer> {
    // Failing activities are what these tests are about: their warnings would hide what is unexpected.
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
    });
    const programs = await ensurePrograms(['temporal-test-server']);
    const executable = { type: 'existing-path' as const, path: programs['temporal-test-server'] };
    const [environment, code] = await Promise.all([
      TestWorkflowEnvironment.createTimeSkipping({ server: { executable } }),
      workflowCode(),
    ]);
    const types = Object.entries(searchAttributes).map(([name, type]) => [
      name,
      encodeSearchAttributeIndexedValueType(type)!,
    ]);
    await environment.connection.operatorService.addSearchAttributes({
      namespace: environment.namespace ?? 'default',
      searchAttributes: Object.fromEntries(types) as Record<string, number>,
    });
    return new WorkflowServer(environment, code);
  }

  async stop(): Promise<void> {
    await this.environment.teardown();
  }

  /** Runs `body` with a worker on a task queue of its own. */
  async withWorker<T>(activities: ScriptedActivities, body: (cluster: string) => Promise<T>): Promise<T> {
    const cluster = randomUUID();
    const worker = await Worker.create({
      connection: this.environment.nativeConnection,
      taskQueue: taskQueueFor(cluster),
      workflowBundle: this.code,
      activities: activities.implementation,
      maxConcurrentActivityTaskExecutions: 300,
      // What is asked for when a test ends must not wait for heartbeats that were held back.
      maxHeartbeatThrottleInterval: '100ms',
    });
    const result = await worker.runUntil(() => body(cluster));
    for (const { runId, workflowId } of activities.calls) this.executions.set(runId, workflowId);
    return result;
  }

  /** Has further runs replayed by {@link replayAll}: run ids with workflow ids. */
  replayLater(runs: Iterable<readonly [string, string]>): void {
    for (const [runId, workflowId] of runs) this.executions.set(runId, workflowId);
  }

  /** Starts a restore on the task queue of `cluster`. */
  async startRestore(cluster: string, changes: Changes = {}): Promise<RestoreUnderTest> {
    const input = restoreInput(cluster, changes);
    const handle = await this.environment.client.workflow.start<typeof restore>('restore', {
      taskQueue: taskQueueFor(cluster),
      workflowId: `restore/${cluster}/velero/test`,
      args: [input],
    });
    this.executions.set(handle.firstExecutionRunId, handle.workflowId);
    return handle;
  }

  /** A whole restore with its own worker. */
  restore(activities: ScriptedActivities, changes: Changes = {}): Promise<EndedRestore> {
    return this.withWorker(activities, async (cluster) => {
      const handle = await this.startRestore(cluster, changes);
      return this.ended(handle);
    });
  }

  /** The restore's end, whichever it is. */
  async ended(handle: RestoreUnderTest): Promise<EndedRestore> {
    const end = await handle.result().then(
      (result) => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error }),
    );
    const { status } = await handle.describe();
    return { ...end, handle, workflowStatus: status.name };
  }

  async history(workflowId: string, runId?: string): Promise<History> {
    return this.environment.client.workflow.getHandle(workflowId, runId).fetchHistory();
  }

  /** Whether the run's history holds an event of that kind. */
  async hasEvent(workflowId: string, attributes: keyof HistoryEvent): Promise<boolean> {
    const { events } = await this.history(workflowId);
    return (events ?? []).some((event) => event[attributes] != null);
  }

  /** Replays every run of this file's tests. @returns how many, and the errors. */
  async replayAll(): Promise<{ readonly runs: number; readonly errors: string[] }> {
    const histories = await Promise.all(
      [...this.executions].map(async ([runId, workflowId]) => ({
        workflowId,
        history: await this.history(workflowId, runId),
      })),
    );
    const errors: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: this.code }, histories)) {
      if (error !== undefined) errors.push(`${workflowId}: ${error.message}`);
    }
    return { runs: histories.length, errors };
  }
}

export interface Changes {
  readonly options?: Partial<RestoreOptions>;
  readonly useSearchAttributes?: boolean;
}

export interface EndedRestore {
  readonly handle: RestoreUnderTest;
  readonly result: RestoreResult | undefined;
  readonly error: unknown;
  readonly workflowStatus: string;
}

export function restoreInput(cluster: string, { options, useSearchAttributes = false }: Changes = {}): RestoreInput {
  return {
    cluster,
    restore: { name: 'test', namespace: 'velero', uid: randomUUID(), spec: { backupName: 'nightly' } },
    storageLocation: 'default',
    options: { ...defaultRestoreOptions, ...options },
    useSearchAttributes,
  };
}

export async function progressOf(handle: RestoreUnderTest): Promise<RestoreProgress> {
  return handle.query<RestoreProgress>('progress');
}

/** Why the workflow failed, as its caller sees it. */
export function causeOf(error: unknown): unknown {
  return error instanceof WorkflowFailedError ? error.cause : error;
}
