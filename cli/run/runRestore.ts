import { setTimeout as sleep } from 'node:timers/promises';
import {
  connectTemporal,
  RestoreAlreadyEnded,
  RestoreClient,
  type RestoreHandle,
  requestHash,
} from '../../client/index.ts';
import { CommandError } from '../commandError.ts';
import { acquireLocalServer, type LocalServer } from '../devServer/localServer.ts';
import { errorMessage } from '../errorParts.ts';
import { exitCodeOf, exitCodes } from '../exitCodes.ts';
import { RestoreFiles } from '../restoreFiles.ts';
import { type RestoreSummary, troubleOf } from '../summary.ts';
import { checkReachable, type TargetCluster, targetCluster } from '../targetCluster.ts';
import type { Terminal } from '../terminal.ts';
import { checkCanStart, checkSamePlaces, findRestore, findUnfinished, type RunMemo } from './existingRestore.ts';
import { CANCEL_WINDOW_MS, type Interrupts, watchInterrupts } from './interrupts.ts';
import { LocalWorker } from './localWorker.ts';
import type { RunRequest } from './runRequest.ts';
import { LOCAL_CLUSTER, startOptions, workerConfig } from './runRequest.ts';
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

/** The development server is ours: one that is away for longer will not come back by itself. */
const SERVER_PATIENCE_MS = 20_000;
const PAUSED: RunEnd = { exitCode: exitCodes.paused };

/**
 * Restores a backup with a Temporal server and a worker of its own, and shows how it goes. Called again after any kind of death it
 * goes on with the same restore; one that has ended is reported, not run again (design §2 "Names", §6).
 * @throws CommandError, RestoreClientError, ObjectStoreError, and whatever the worker cannot start for
 */
export async function runRestore(request: RunRequest, terminal: Terminal): Promise<RunEnd> {
  const files = await RestoreFiles.open(request.location);
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
  const { request, restores, files } = context;
  const target = await targetCluster(request.kubernetes);
  const memo = { target: target?.server ?? 'unknown', store: files.description };
  if (!request.unnamed) return runNamed(context, memo, target);
  const hash = requestHash(request.restore, startOptions(request));
  const name = (await findUnfinished(restores, hash, memo)) ?? request.restore.name;
  return runNamed({ ...context, request: { ...request, restore: { ...request.restore, name } } }, memo, target);
}

async function runNamed(context: RunContext, memo: RunMemo, target: TargetCluster | undefined): Promise<RunEnd> {
  const { request, restores, files, interrupts } = context;
  const { name, namespace } = request.restore;
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
  const going = { ...context, request: withLocationName(request, known?.storageLocation) };
  const worker = await LocalWorker.start(workerConfig(going.request, context.server));
  try {
    return await restore(going, worker, memo);
  } finally {
    await worker.stop();
  }
}

/** A restore under way knows its location by the name it was started with, whatever the location is called now. */
function withLocationName(request: RunRequest, name: string | undefined): RunRequest {
  return name === undefined ? request : { ...request, location: { ...request.location, name } };
}

async function restore(context: RunContext, worker: LocalWorker, memo: RunMemo): Promise<RunEnd> {
  const { request, restores, terminal, interrupts, server } = context;
  const handle = await restores.start(request.restore, {
    ...startOptions(request),
    memo,
    onNotice: (text) => {
      terminal.note(text);
    },
  });
  terminal.note(`${handle.attached ? 'resuming' : 'starting'} restore ${handle.name} into ${memo.target}`);
  terminal.note(`Temporal UI: ${workflowUrl(server.uiUrl, server.namespace, handle.workflowId, handle.runId)}`);
  const others = [interrupts.paused, worker.stopped].map((other) => other.then(() => 'interrupted' as const));
  const end = await waitForEnd(handle, terminal, others, SERVER_PATIENCE_MS).catch(sayThatItResumes);
  if (end === 'ended') return report(context, handle);
  return pauseOrCancel(context, handle, worker);
}

/** Whatever breaks while a restore is under way breaks this process only. */
function sayThatItResumes(error: unknown): never {
  throw new CommandError(
    'Interrupted',
    `${errorMessage(error)}; the restore is not lost, the same command resumes it`,
    {
      cause: error,
    },
  );
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
    await waitForEnd(handle, terminal, [second.stopped.then(() => 'interrupted' as const)], SERVER_PATIENCE_MS);
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
