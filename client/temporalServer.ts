import {
  type Client,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { queryNames } from '../domain/contract.ts';
import { PaceRefused, RestoreNotFound, WorkerNotAnswering } from './errors.ts';
import { grpcCodes, grpcFault, toClientError } from './temporalErrors.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
/** A query is answered by a worker, which may be busy replaying; one that is not there is not worth 10 s. */
const QUERY_TIMEOUT_MS = 5_000;

/** No worker in time; none for some time; the one that had the question was stopped. */
const NOBODY_ANSWERED: ReadonlySet<number | undefined> = new Set([
  grpcCodes.deadlineExceeded,
  grpcCodes.failedPrecondition,
  grpcCodes.cancelled,
]);

/** Requests to the Temporal server: each with a deadline, each fault with a meaning. */
export class TemporalServer {
  readonly client: Client;
  readonly address: string;
  readonly timeoutMs: number;

  constructor(client: Client, address: string | undefined, timeoutMs: number | undefined) {
    this.client = client;
    this.address = address ?? 'that was given';
    this.timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /**
   * @param name of the restore that is asked about, for the message where it is not there.
   * @throws a RestoreClientError, or WorkflowExecutionAlreadyStartedError as it is
   */
  async call<T>(request: () => Promise<T>, name = '', timeoutMs = this.timeoutMs): Promise<T> {
    try {
      return await this.client.withDeadline(Date.now() + timeoutMs, request);
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) throw error;
      throw this.translate(error, name);
    }
  }

  /** The `progress` query of a restore or shard. @throws WorkerNotAnswering */
  async queryProgress<T>(workflow: WorkflowHandle, name: string, taskQueue: string): Promise<T> {
    try {
      return await this.client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, () =>
        workflow.query<T>(queryNames.progress),
      );
    } catch (error) {
      if (NOBODY_ANSWERED.has(grpcFault(error)?.code) && (await this.answers()))
        throw new WorkerNotAnswering(taskQueue, { cause: error });
      throw this.translate(error, name);
    }
  }

  /**
   * Sends an update to a restore and waits until it has taken effect.
   * @throws PaceRefused with what the restore says; WorkerNotAnswering
   */
  async update<T>(
    workflow: WorkflowHandle,
    update: string,
    args: readonly [] | readonly [unknown],
    { name, taskQueue }: { readonly name: string; readonly taskQueue: string },
  ): Promise<T> {
    try {
      return await this.client.withDeadline(Date.now() + this.timeoutMs, () =>
        args.length === 0
          ? workflow.executeUpdate<T, []>(update)
          : workflow.executeUpdate<T, [unknown]>(update, { args: [args[0]] }),
      );
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) {
        throw new PaceRefused(error.cause?.message ?? error.message, { cause: error });
      }
      const isLate = error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
      const isNobody = isLate || NOBODY_ANSWERED.has(grpcFault(error)?.code);
      if (isNobody && (await this.answers())) throw new WorkerNotAnswering(taskQueue, { cause: error });
      throw this.translate(error, name);
    }
  }

  /** Whether the server can be reached now. */
  async answers(): Promise<boolean> {
    try {
      await this.call(() => this.client.workflowService.getSystemInfo({}), '', 5_000);
      return true;
    } catch {
      return false;
    }
  }

  translate(error: unknown, name: string): Error {
    if (error instanceof WorkflowNotFoundError) {
      const what = `no restore named ${JSON.stringify(name)} is known to Temporal server ${this.address}`;
      return new RestoreNotFound(what, { cause: error });
    }
    return toClientError(error, { address: this.address, namespace: this.client.options.namespace });
  }
}
