import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { RESTORES_FOLDER } from '../../../domain/backup/layout.ts';
import { workflowCode } from '../../../worker/workflowCode.ts';
import type { Environment } from './environment.ts';
import { SECRET_MARKER } from './objects.ts';

const MOST_EVENTS = 4_096;
const LARGEST_PAYLOAD = 64 * 1024;

type History = Awaited<ReturnType<ReturnType<Environment['temporal']['workflow']['getHandle']>['fetchHistory']>>;

interface Run {
  readonly workflowId: string;
  readonly history: History;
}

/** Every run of every workflow that the Temporal server has seen: restores and shards. */
async function allRuns({ temporal }: Environment): Promise<Run[]> {
  const runs: Run[] = [];
  for await (const { workflowId, runId } of temporal.workflow.list()) {
    runs.push({ workflowId, history: await temporal.workflow.getHandle(workflowId, runId).fetchHistory() });
  }
  return runs;
}

/** Every `data` field of the payloads below `value`. */
function* payloads(value: unknown): Generator<Uint8Array> {
  if (typeof value !== 'object' || value === null) return;
  if ('data' in value && ArrayBuffer.isView(value.data)) {
    yield new Uint8Array(value.data.buffer, value.data.byteOffset, value.data.byteLength);
  }
  for (const inner of Object.values(value)) if (!ArrayBuffer.isView(inner)) yield* payloads(inner);
}

/** How often an activity of a type was scheduled in a workflow. */
export async function countActivities(
  { temporal }: Environment,
  workflowId: string,
  activityType: string,
): Promise<number> {
  const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory();
  const types = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
  return types.filter((type) => type === activityType).length;
}

/**
 * To be called when all restores of a test file have ended: replays every workflow run of it with the workflow code of
 * today and checks the limits of design §2.
 */
export async function expectSoundHistories(environment: Environment): Promise<void> {
  const runs = await allRuns(environment);
  expect(runs.length).toBeGreaterThan(0);
  const failures: unknown[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: await workflowCode() }, runs)) {
    if (error !== undefined) failures.push({ workflowId, error });
  }
  expect(failures).toEqual([]);
  const events = runs.map(({ history }) => history.events?.length ?? 0);
  expect(Math.max(...events)).toBeLessThanOrEqual(MOST_EVENTS);
  const sizes = runs.flatMap(({ history }) => Array.from(payloads(history.events), ({ length }) => length));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(LARGEST_PAYLOAD);
}

/**
 * To be called when all restores of a test file have ended: nothing of a Secret's content is in what restores leave in the
 * bucket, in workflow histories, or in the worker's log.
 */
export async function expectNoSecretAnywhere(environment: Environment): Promise<void> {
  expect(environment.log()).toContain('restoreItem');
  const places = new Map<string, string>([['the log', environment.log()]]);
  for (const { workflowId, history } of await allRuns(environment)) {
    const texts = Array.from(payloads(history.events), (data) => Buffer.from(data).toString('utf8'));
    places.set(workflowId, [JSON.stringify(history), ...texts].join('\n'));
  }
  const folder = join(environment.bucket, RESTORES_FOLDER);
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const content = await readFile(path);
    places.set(path, (path.endsWith('.gz') ? gunzipSync(content) : content).toString('utf8'));
  }
  const marks = [SECRET_MARKER, Buffer.from(SECRET_MARKER).toString('base64').slice(0, -4)];
  const found = [...places].filter(([, text]) => marks.some((mark) => text.includes(mark))).map(([place]) => place);
  expect(found).toEqual([]);
}
