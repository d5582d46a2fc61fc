import { CancelledFailure, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { errorTypes } from '../domain/contract.ts';
import { KubernetesUnreachable } from '../domain/kubernetes/api.ts';
import { InfrastructureFault } from './infrastructureFault.ts';

/** A third of the shortest heartbeat timeout (8 s): one lost heartbeat does not cost an attempt. */
const HEARTBEAT_INTERVAL_MS = 2_500;

/** `type` of an error of ours, if it has one. */
function typeOf(error: Error): string | undefined {
  return 'type' in error && typeof error.type === 'string' ? error.type : undefined;
}

/**
 * Turns what an activity threw into a failure with a stable type. Only faults that can pass are retryable; what we do not know
 * may pass as well, so it is retried and stays visible as the activity's last failure.
 */
function toFailure(error: unknown): Error {
  if (!(error instanceof Error)) return ApplicationFailure.retryable(String(error));
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (error instanceof KubernetesUnreachable) {
    return ApplicationFailure.retryable(error.message, errorTypes.KubernetesUnreachable);
  }
  if (error instanceof InfrastructureFault) {
    return ApplicationFailure.create({
      message: error.message,
      type: error.type,
      nonRetryable: false,
      ...(error.retryAfterMs === undefined ? {} : { nextRetryDelay: error.retryAfterMs }),
    });
  }
  const type = typeOf(error);
  if (type === undefined) return error;
  // A known fault of input or storage; most cannot be helped by trying again.
  const nonRetryable = !('retryable' in error && error.retryable === true);
  return ApplicationFailure.create({ message: error.message, type, nonRetryable });
}

/**
 * Runs the body of an activity: heartbeats in the background, so that a dead worker is noticed within seconds (design §3
 * "Liveness"), and gives every fault its type. The first heartbeat comes after {@link HEARTBEAT_INTERVAL_MS}: most activities have
 * ended by then, and each heartbeat is a transaction of the server.
 * @param details what the next attempt should know; asked at every heartbeat.
 * @param intervalMs between heartbeats, where the activity's heartbeat timeout is another.
 */
export async function runActivity<T>(
  body: () => Promise<T>,
  details: () => unknown = () => undefined,
  intervalMs = HEARTBEAT_INTERVAL_MS,
): Promise<T> {
  const context = Context.current();
  const beat = (): void => {
    context.heartbeat(details());
  };
  const timer = setInterval(beat, intervalMs);
  try {
    return await body();
  } catch (error) {
    throw toFailure(error);
  } finally {
    clearInterval(timer);
  }
}

/** Waits, unless the activity is cancelled meanwhile. */
export function pause(ms: number): Promise<void> {
  return Context.current().sleep(ms);
}

/** Whether the activity is cancelled because its worker stops, which is no cancellation of the restore. */
export function isShuttingDown(): boolean {
  const reason: unknown = Context.current().cancellationSignal.reason;
  return reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}
