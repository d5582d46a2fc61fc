import { setMaxListeners } from 'node:events';
import type { WorkflowHandle } from '@temporalio/client';
import type { RestoreResult } from '../domain/contract.ts';
import { TemporalUnreachable } from './errors.ts';
import { toRestoreEnd } from './restoreEnd.ts';
import type { TemporalServer } from './temporalServer.ts';

export interface ResultOptions {
  /** How long the Temporal server may be away while the result is waited for. Milliseconds, default 60 s. */
  readonly patienceMs?: number | undefined;
  /** Ends the waiting, not the restore: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_PATIENCE_MS = 60_000;
/** The server answers one long poll after 20 s at the latest. */
const WAIT_MS = 30_000;
const PAUSE_MS = 500;

/** Waits for the end of a restore, also over a restart of the Temporal server. Errors: see RestoreClient.result. */
export async function waitForResult(
  server: TemporalServer,
  workflow: WorkflowHandle,
  name: string,
  { patienceMs = DEFAULT_PATIENCE_MS, signal }: ResultOptions,
): Promise<RestoreResult> {
  let answeredAt = Date.now();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await waitOnce(server, workflow, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const fault = toRestoreEnd(name, error) ?? server.translate(error, name);
      if (!(fault instanceof TemporalUnreachable)) throw fault;
      // The end of our own deadline looks the same as a server that does not answer.
      if (await server.answers()) answeredAt = Date.now();
      if (Date.now() - answeredAt > patienceMs) throw fault;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** A signal of its own for each wait: the SDK leaves its listeners on what it is given. */
async function waitOnce(
  { client }: TemporalServer,
  workflow: WorkflowHandle,
  signal: AbortSignal | undefined,
): Promise<RestoreResult> {
  const waiting = new AbortController();
  setMaxListeners(0, waiting.signal);
  const stop = (): void => {
    waiting.abort();
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await client.withAbortSignal(waiting.signal, () =>
      client.withDeadline(Date.now() + WAIT_MS, () => workflow.result() as Promise<RestoreResult>),
    );
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
