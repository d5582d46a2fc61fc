/**
 * `npx tsx tools/recordHistories.ts`: runs small restores on a real Temporal server and keeps their histories in
 * test/histories/<version>/, to be replayed by every later version: a change to the workflows that a restore under way could not
 * survive is then found by a test. Run it once for each release; the histories of earlier ones stay.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import {
  defaultRestoreOptions,
  type RestoreInput,
  type RestoreOptions,
  searchAttributes,
  taskQueueFor,
} from '../domain/contract.ts';
import { countOutcomes } from '../domain/results/counters.ts';
import { created, range, ScriptedActivities, wavesOf } from '../test/workflow/support/scriptedActivities.ts';
import { ScriptedHooks } from '../test/workflow/support/scriptedHooks.ts';
import { workflowCode } from '../worker/workflowCode.ts';
import type { restore } from '../workflows/restore.ts';
import { ensurePrograms } from './servers/ensure.ts';
import { startTemporalDevServer } from './servers/temporalDevServer.ts';

interface Recording {
  readonly name: string;
  readonly options?: Partial<RestoreOptions>;
  readonly useSearchAttributes?: boolean;
  readonly hooks?: ScriptedHooks;
  readonly activities: (handle: () => WorkflowHandle) => ScriptedActivities;
}

const inlineWaves = wavesOf(
  { name: 'customresourcedefinitions', kind: 'customResourceDefinitions', length: 1 },
  { name: 'namespaces', kind: 'namespaces', length: 2 },
  { name: 'secrets', length: 3 },
  { name: 'middle: custom resources', length: 2 },
);
const sharded = wavesOf({ name: 'namespaces', kind: 'namespaces', length: 1 }, { name: 'configmaps', length: 40 });

/** Cancels the restore from its third item on, and ends the item all the same. */
function cancelling(handle: () => WorkflowHandle): ScriptedActivities {
  return new ScriptedActivities(sharded, {
    restoreItem: async ({ index }) => {
      if (index >= 3) await handle().cancel();
      return created(index);
    },
  });
}

function withLater(): ScriptedActivities {
  return new ScriptedActivities(sharded, {
    restoreItems: ({ offset, length }) => {
      const outcomes = range(offset, length - 1).map(created);
      const later = [offset + length - 1];
      return Promise.resolve({ counters: countOutcomes(outcomes), later, end: offset + length });
    },
  });
}

function failingAtThird(): ScriptedActivities {
  return new ScriptedActivities(inlineWaves, {
    describeItems: ({ offset, length }) =>
      offset >= 3
        ? Promise.reject(ApplicationFailure.nonRetryable('the plan is gone'))
        : Promise.resolve(range(offset, length).map(String)),
  });
}

/** Pods in the root and in shards: one whose hooks run, one that is missed, one that fails and ends the others. */
function podsWithHooks(fails: boolean): ScriptedHooks {
  const last = {
    onError: 'Fail' as const,
    run: () => Promise.resolve(fails ? ('failed' as const) : ('succeeded' as const)),
  };
  const beside = fails ? { up: () => new Promise(() => undefined) } : {};
  return new ScriptedHooks({
    0: [{ hooks: [{}, {}] }, { hooks: [{}] }],
    1: [{ hooks: [{}], missed: true }],
    5: [{ hooks: [{}], ...beside }],
    20: [{ hooks: [last, {}] }],
  });
}

function withHooks(hooks: ScriptedHooks): ScriptedActivities {
  const waves = wavesOf({ name: 'secrets', length: 3 }, { name: 'pods', length: 40 });
  return new ScriptedActivities(waves, { restoreItem: ({ index }) => Promise.resolve(hooks.outcome(index)) });
}

/** Items of the root and of shards that ask for others, wait for them, and start something that goes on. */
function waiting(): ScriptedActivities {
  const waves = wavesOf({ name: 'secrets', length: 3 }, { name: 'configmaps', length: 40 });
  const operations = [{ action: 'example.com/action', operationId: 'one', created: '2026-01-01T00:00:00Z' }];
  let asked = 0;
  let checks = 0;
  return new ScriptedActivities(waves, {
    restoreItem: ({ index, path, resume }) => {
      const asks = (index === 1 || index === 20) && path === undefined && resume === undefined;
      if (!asks) return Promise.resolve(index === 7 ? { ...created(index), operations } : created(index));
      return Promise.resolve({
        item: `ConfigMap shop/item-${index}`,
        action: 'example.com/action',
        needs: [100, 101].map((need) => ({ index: need, summary: `Secret shop/item-${need}` })),
        totalNeeds: 2,
        resume: { actionIndex: 3, stateRef: `state/${index}` },
        waitTimeoutMs: 60_000,
      });
    },
    areAdditionalItemsReady: () => Promise.resolve({ ready: ++asked > 3 }),
    checkOperations: () => {
      const pending = checks++ === 0 ? 1 : 0;
      return Promise.resolve({ attempted: 1, completed: 1 - pending, failed: 0, pending });
    },
  });
}

const hooksThatRun = podsWithHooks(false);
const hooksThatFail = podsWithHooks(true);

const recordings: readonly Recording[] = [
  { name: 'inline', useSearchAttributes: true, activities: () => new ScriptedActivities(inlineWaves) },
  { name: 'strict', options: { order: 'strict' }, activities: () => new ScriptedActivities(inlineWaves) },
  { name: 'shards', options: { shards: 2, window: 4 }, activities: () => new ScriptedActivities(sharded) },
  { name: 'groups', options: { shards: 2, window: 2, itemsPerActivity: 10 }, activities: withLater },
  { name: 'cancelled', options: { shards: 2, window: 2 }, activities: cancelling },
  { name: 'failed', activities: failingAtThird },
  { name: 'hooks', options: { shards: 2 }, hooks: hooksThatRun, activities: () => withHooks(hooksThatRun) },
  { name: 'hooksFailed', options: { shards: 2 }, hooks: hooksThatFail, activities: () => withHooks(hooksThatFail) },
  { name: 'waiting', options: { shards: 2 }, activities: waiting },
  {
    name: 'failedValidation',
    activities: () =>
      new ScriptedActivities([], {
        validate: () => Promise.resolve({ valid: false, validationErrors: ['backup "nightly" does not exist'] }),
      }),
  },
];

const types = { KEYWORD: 'Keyword', INT: 'Int' } as const;
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const target = new URL(`../test/histories/${version}/`, import.meta.url).pathname;
const directory = await mkdtemp(join(tmpdir(), 'durable-restore-histories-'));
Runtime.install({ logger: new DefaultLogger('ERROR') });
const server = await startTemporalDevServer({
  directory,
  searchAttributes: Object.fromEntries(Object.entries(searchAttributes).map(([name, type]) => [name, types[type]])),
});
const connection = await Connection.connect({ address: server.address });
const nativeConnection = await NativeConnection.connect({ address: server.address });
const client = new Client({ connection });

/** The history in the JSON form of the API, as everybody's tools write and read it. */
async function readHistory(workflowId: string, runId: string): Promise<{ readonly events: readonly unknown[] }> {
  const { temporal } = await ensurePrograms(['temporal']);
  const show = ['workflow', 'show', '--workflow-id', workflowId, '--run-id', runId, '--output', 'json'];
  const { stdout } = await promisify(execFile)(temporal, [...show, '--address', server.address], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as { events: unknown[] };
}

/** Leaves out what tells of the machine: who did it, and where its code lay. */
function withoutMachine(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMachine);
  if (typeof value !== 'object' || value === null) return value;
  const isSticky = 'kind' in value && value.kind === 'TASK_QUEUE_KIND_STICKY';
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    if (key === 'identity') return [key, 'worker'];
    if (key === 'stackTrace') return [key, ''];
    if (key === 'name' && isSticky) return [key, 'sticky'];
    return [key, withoutMachine(inner)];
  });
  return Object.fromEntries(entries);
}

async function record({ name, options, useSearchAttributes = false, hooks, activities }: Recording): Promise<void> {
  const workflowId = `restore/${name}/velero/${name}`;
  const scripted = activities(() => client.workflow.getHandle(workflowId));
  const taskQueue = taskQueueFor(name);
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowBundle: await workflowCode(),
    activities: scripted.implementation,
  });
  const input: RestoreInput = {
    cluster: name,
    restore: { name, namespace: 'velero', uid: `uid-of-${name}`, spec: { backupName: 'nightly' } },
    storageLocation: 'default',
    options: { ...defaultRestoreOptions, ...options },
    useSearchAttributes,
  };
  const started = await client.workflow.start<typeof restore>('restore', { taskQueue, workflowId, args: [input] });
  const ended = (): Promise<unknown> => started.result().catch(() => undefined);
  await worker.runUntil(() => (hooks === undefined ? ended() : hooks.withWorkers(nativeConnection, name, ended)));
  const runs = new Map([
    ...scripted.calls.map(({ runId, workflowId: id }) => [runId, id] as const),
    ...(hooks?.runs ?? []),
  ]);
  for (const [runId, id] of runs) {
    const shard = id === workflowId ? '' : `-${id.slice(workflowId.length + 1).replaceAll('/', '-')}`;
    const history = await readHistory(id, runId);
    await writeFile(join(target, `${name}${shard}.json`), `${JSON.stringify(withoutMachine(history), undefined, 1)}\n`);
    process.stdout.write(`${name}${shard}: ${history.events.length} events\n`);
  }
}

try {
  await mkdir(target, { recursive: true });
  for (const recording of recordings) await record(recording);
} finally {
  await nativeConnection.close();
  await connection.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
