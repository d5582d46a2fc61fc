import { setTimeout as sleep } from 'node:timers/promises';
import {
  connectTemporal,
  RestoreAlreadyEnded,
  RestoreClient,
  type RestoreHandle,
  taskQueueFor,
} from '../../client/index.ts';
import { openStorageLocation } from '../../worker/index.ts';
import { acquireLocalServer, type LocalServer } from '../devServer/localServer.ts';
import { exitCodeOf, exitCodes } from '../exitCodes.ts';
import { RestoreFiles } from '../restoreFiles.ts';
import { type RestoreSummary, troubleOf } from '../summary.ts';
import { checkReachable, targetCluster } from '../targetCluster.ts';
import type { Terminal } from '../terminal.ts';
import { checkCanStart, checkSamePlaces, findRestore, type RunMemo } from './existingRestore.ts';
import { CANCEL_WINDOW_MS, type Interrupts, watchInterrupts } from './interrupts.ts';
import { LocalWorker } from './localWorker.ts';
import type { RunRequest } from './runRequest.ts';
import { LOCAL_CLUSTER, taskQueueClusterOf, workerConfig } from './runRequest.ts';
import { summarize, summarizeStored, workflowUrl } from './summarize.ts';
import { waitForEnd } from './waitForEnd.ts';

export interface RunEnd {
  readonly exitCode: number;
  /** Undefined where the restore was paused. */
  readonly summary?: RestoreSummary;
}

interface RunContext {
  readonly request: RunRequest;
  readonly restores: RestoreClient;
  readonly files: RestoreFiles;
  readonly server: LocalServer;
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
}

const PAUSED: RunEnd = { exitCode: exitCodes.paused };

/**
 * Restores a backup with a Temporal server and a worker of its own, and shows how it goes. Called again after any kind of death it
 * goes on with the same restore; one that has ended is reported, not run again (design §2 "Names", §6).
 * @throws CommandError, RestoreClientError, ObjectStoreError, and whatever the worker cannot start for
 */
export async function runRestore(request: RunRequest, terminal: Terminal): Promise<RunEnd> {
  const files = new RestoreFiles(await openStorageLocation(request.location));
  const interrupts = watchInterrupts((mayCancel) => {
    const cancel = mayCancel ? '; Ctrl-C again within 3 s to cancel it' : '';
    terminal.note(`stopping; the restore is paused, the same command resumes it${cancel}`);
  });
  const server = await acquireLocalServer(request.dataDirectory);
  try {
    const client = await connectTemporal({ address: server.address, namespace: server.namespace });
    const restores = new RestoreClient({ client, address: server.address, cluster: LOCAL_CLUSTER });
    try {
      return await run({ request, restores, files, server, terminal, interrupts });
    } finally {
      await restores.close();
    }
  } finally {
    await server.release(request.keepServer);
    interrupts.stop();
  }
}

async function run(context: RunContext): Promise<RunEnd> {
  const { request, restores, files, interrupts } = context;
  const { name, namespace } = request.restore;
  const target = targetCluster(request.kubernetes);
  const memo = { target: target?.server ?? 'unknown', store: files.description };
  const known = await findRestore(restores, name, namespace);
  if (known?.ended === true) return reportEnded(context);
  if (known !== undefined) {
    checkSamePlaces(known, memo, request.sameCluster);
  } else {
    const stored = await summarizeStored(name, files);
    if (stored !== undefined) return nameTaken(context, stored);
    await checkCanStart(request.restore, files);
    if (target !== undefined) await checkReachable(target);
  }
  if (interrupts.requested) return PAUSED;
  const worker = await LocalWorker.start(workerConfig(request, context.server));
  try {
    return await restore(context, worker, memo);
  } finally {
    await worker.stop();
  }
}

async function restore(context: RunContext, worker: LocalWorker, memo: RunMemo): Promise<RunEnd> {
  const { request, restores, terminal, interrupts, server } = context;
  const handle = await restores.start(request.restore, {
    storageLocation: request.location.name,
    options: request.options,
    taskQueue: taskQueueFor(taskQueueClusterOf(request)),
    memo,
    onNotice: (text) => {
      terminal.note(text);
    },
  });
  terminal.note(`${handle.attached ? 'resuming' : 'starting'} restore ${handle.name} into ${memo.target}`);
  terminal.note(`Temporal UI: ${workflowUrl(server.uiUrl, server.namespace, handle.workflowId, handle.runId)}`);
  const end = await waitForEnd(handle, terminal, [
    interrupts.paused.then(() => 'interrupted' as const),
    worker.stopped.then(() => 'interrupted' as const),
  ]);
  if (end === 'ended') return report(context, handle);
  return pauseOrCancel(context, handle, worker);
}

/** The worker drains at once; meanwhile a second Ctrl-C may turn the pause into a cancellation, which needs a worker again. */
async function pauseOrCancel(context: RunContext, handle: RestoreHandle, worker: LocalWorker): Promise<RunEnd> {
  const { request, server, terminal, interrupts } = context;
  const stopping = worker.stop();
  const cancel = interrupts.mayCancel && (await isCancelled(interrupts));
  await stopping;
  if (!cancel) return (await handle.describe()).ended ? report(context, handle) : PAUSED;
  terminal.note('cancelling the restore; items in flight end, result files are written');
  try {
    await handle.cancel();
  } catch (error) {
    if (!(error instanceof RestoreAlreadyEnded)) throw error;
  }
  const second = await LocalWorker.start(workerConfig(request, server));
  try {
    await waitForEnd(handle, terminal, [second.stopped.then(() => 'interrupted' as const)]);
    return await report(context, handle);
  } finally {
    await second.stop();
  }
}

async function isCancelled({ cancelled }: Interrupts): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(CANCEL_WINDOW_MS, false, { signal: waiting.signal }).catch(() => false);
  try {
    return await Promise.race([cancelled.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}

async function report(context: RunContext, handle: RestoreHandle): Promise<RunEnd> {
  const { request, files, server, terminal } = context;
  const description = await handle.describe();
  const uiUrl = workflowUrl(server.uiUrl, server.namespace, handle.workflowId, handle.runId);
  const hint = request.keepServer ? undefined : '  (--keep-server keeps the Temporal UI running after the restore)';
  const summary = await summarize(description, files, { uiUrl, hint });
  const trouble = troubleOf(summary);
  if (trouble !== undefined) terminal.note(`error: ${trouble}`);
  return { exitCode: exitCodeOf(summary.status.phase, summary.cancelled), summary };
}

async function reportEnded(context: RunContext): Promise<RunEnd> {
  const { request, restores, files, server } = context;
  const description = await restores.get(request.restore.name, request.restore.namespace);
  const uiUrl = workflowUrl(server.uiUrl, server.namespace, description.workflowId, description.runId);
  return nameTaken(context, await summarize(description, files, { uiUrl: request.keepServer ? uiUrl : undefined }));
}

function nameTaken({ terminal }: RunContext, summary: RestoreSummary): RunEnd {
  const { completionTimestamp, phase } = summary.status;
  const when = completionTimestamp === undefined ? '' : ` at ${completionTimestamp}`;
  terminal.note(
    `error: a restore named ${JSON.stringify(summary.name)} has already ended${when} with phase ${phase}: it is reported, not run again; choose another name`,
  );
  return { exitCode: exitCodes.nameTaken, summary };
}
