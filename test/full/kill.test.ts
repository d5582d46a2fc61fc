import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { createKubernetesApi } from '../../adapters/kubernetes/client.ts';
import { findLocalServer } from '../../cli/devServer/localServer.ts';
import { restoreWorkflowId } from '../../domain/contract.ts';
import { getString, type JsonObject } from '../../domain/json.ts';
import { BENCH_NAMESPACE, makeBackup } from '../../tools/bench/makeBackup.ts';
import { type ControlPlane, startControlPlane } from '../../tools/servers/controlPlane.ts';
import { ensurePrograms } from '../../tools/servers/ensure.ts';
import { startTemporalDevServer } from '../../tools/servers/temporalDevServer.ts';
import { CommandProcess, type Create, copyOfBuild, createsIn, longestGap, waitUntil } from './killSupport.ts';

/** Items of the backup beside their namespace. */
const ITEMS = 2_000;
const BACKUP = 'items';
/** Requests that a worker has under way at most. */
const CONNECTIONS = 64;
/** Work has to go on within 15 s of a worker's death; machines that are busy with other things are given this. */
const LONGEST_GAP_MS = 60_000;

jest.setTimeout(900_000);

let directory: string;
let bucket: string;
let command: string;
let temporalProgram: string;
let controlPlane: ControlPlane;
const processes: CommandProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kill-'));
  bucket = join(directory, 'bucket');
  command = copyOfBuild(directory);
  temporalProgram = (await ensurePrograms(['temporal'])).temporal;
  controlPlane = await startControlPlane({
    directory: join(directory, 'cluster'),
    controllers: 'minimal',
    audit: true,
    // One file: the oldest lines are asked for at the end.
    apiServerFlags: ['--audit-log-maxsize=1000'],
  });
  await makeBackup(bucket, BACKUP, ITEMS);
}, 1_200_000);

afterEach(async () => {
  for (const one of processes.splice(0)) if (one.isRunning) await one.kill();
});

afterAll(async () => {
  // A run that was killed and did not come back has left its Temporal server.
  for (const name of await readdir(join(directory, 'data')).catch(() => [])) {
    const left = await findLocalServer(join(directory, 'data', name));
    if (left !== undefined) process.kill(left.pid, 'SIGKILL');
  }
  await (controlPlane as ControlPlane | undefined)?.stop();
  await rm(directory, { recursive: true, force: true });
});

function start(...args: string[]): CommandProcess {
  const started = new CommandProcess(command, args, { TEMPORAL_CLI_PATH: temporalProgram });
  processes.push(started);
  return started;
}

/** `durable-restore run`, always with the same arguments for a name; every restore goes into a namespace of its own. */
function run(name: string, ...flags: string[]): CommandProcess {
  return start(
    ...['run', name, '--from-backup', BACKUP, '--backup-dir', bucket, '--output', 'json'],
    ...['--namespace-mappings', `${BENCH_NAMESPACE}:${name}`],
    ...flags,
    ...['--kubeconfig', controlPlane.kubeconfigPath],
    ...['--data-dir', join(directory, 'data', name), '--cache-dir', join(directory, 'cache', name)],
  );
}

/** The successful ones. */
async function creates(namespace: string): Promise<Create[]> {
  const all = await createsIn(controlPlane.apiServer.auditLogPath ?? '', namespace);
  return all.filter(({ code }) => code === 201);
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

const counters = { created: ITEMS + 1, updated: 0, skipped: 0, failed: 0, warnings: 0, errors: 0 };

/**
 * Every object is there and was created once. The server may not get to say that a create succeeded when its client is killed in the
 * middle of the request: such an object has no successful create on record, but one that was cut off.
 */
async function expectEachOnce(namespace: string): Promise<void> {
  expect(await namesIn(namespace)).toEqual(Array.from({ length: ITEMS }, (_, index) => nameOf(index)));
  const succeeded = new Set<string>();
  for (const { name } of await creates(namespace)) {
    expect(succeeded).not.toContain(name);
    succeeded.add(name);
  }
  const missing = Array.from({ length: ITEMS }, (_, index) => nameOf(index)).filter((name) => !succeeded.has(name));
  expect(missing.length).toBeLessThanOrEqual(CONNECTIONS);
  const all = await createsIn(controlPlane.apiServer.auditLogPath ?? '', namespace);
  for (const missed of missing) {
    const codes = all.filter(({ name }) => name === missed).map(({ code }) => code);
    tell(`${namespace}: the create of ${missed} was cut off by the kill; its answers on record: ${codes.join(', ')}`);
    // What followed found the object and took it for ours.
    expect(codes).not.toEqual([]);
  }
}

function nameOf(index: number): string {
  return `item-${String(index).padStart(6, '0')}`;
}

async function namesIn(namespace: string): Promise<string[]> {
  const kubernetes = await createKubernetesApi({ kubeconfig: controlPlane.kubeconfigPath });
  try {
    const location = { group: '', version: 'v1', resource: 'configmaps', namespace };
    const answer = await kubernetes.list(location);
    if (!answer.ok) throw new Error(answer.message);
    const items = (answer.object['items'] ?? []) as JsonObject[];
    const names = items.map((item) => getString(item, ['metadata', 'name']) ?? '');
    return names.filter((name) => name !== 'kube-root-ca.crt').sort();
  } finally {
    await kubernetes.close();
  }
}

async function expectFiles(name: string): Promise<void> {
  const results = await readFile(join(bucket, 'restores', name, `restore-${name}-results.gz`));
  expect(JSON.parse(gunzipSync(results).toString())).toEqual({ errors: {}, warnings: {} });
}

async function expectCompleted(name: string, second: CommandProcess): Promise<void> {
  const code = await second.ended();
  expect({ code, errors: code === 0 ? '' : second.errors }).toEqual({ code: 0, errors: '' });
  expect(JSON.parse(second.output)).toMatchObject({ name, phase: 'Completed', counters });
  await expectEachOnce(name);
  await expectFiles(name);
}

// With its namespace the backup has 2,001 items: groups of two, where nothing else is asked for.
describe('kill -9 of the run process', () => {
  it.each([
    { when: 'while the restore is planned', name: 'killed-planning', from: 0, to: 0, flags: [] },
    {
      when: 'after a third of the items',
      name: 'killed-third',
      from: ITEMS / 3,
      to: ITEMS / 2,
      flags: ['--items-per-activity', '1'],
    },
    {
      when: 'after two thirds of the items',
      name: 'killed-two-thirds',
      from: (ITEMS * 2) / 3,
      to: ITEMS - 1,
      flags: [],
    },
  ])(
    'R-448 $when: the same command goes on, and every object is created once',
    async ({ when, name, from, to, flags }) => {
      const first = run(name, ...flags);
      const isReached = async (): Promise<boolean> =>
        first.errors.includes('starting restore') && (from === 0 || (await creates(name)).length >= from);
      await waitUntil(`the moment to kill ${name}`, isReached, { needs: [first] });
      await first.kill();
      const killedAt = Date.now();
      const before = (await creates(name)).length;
      expect(before).toBeGreaterThanOrEqual(from);
      expect(before).toBeLessThanOrEqual(to);

      const second = run(name, ...flags);
      await waitUntil('work to go on', async () => (await creates(name)).length > before, { needs: [second] });
      const resumedAfter = Date.now() - killedAt;
      await expectCompleted(name, second);
      expect(second.errors).toContain('resuming restore');
      const seconds = (Date.now() - killedAt) / 1_000;
      tell(
        `${when}: killed after ${before} of ${ITEMS} items; started again at once, next create ${(resumedAfter / 1_000).toFixed(1)} s after the kill, ended ${seconds.toFixed(1)} s after it`,
      );
    },
  );
});

describe('kill -9 of the Temporal server that run started', () => {
  it('in the middle: the same command goes on with a new server on the same database', async () => {
    const name = 'killed-server';
    const first = run(name);
    await waitUntil('half of the items', async () => (await creates(name)).length >= ITEMS / 2, { needs: [first] });
    const lock = await readFile(join(directory, 'data', name, 'server.lock'), 'utf8');
    process.kill((JSON.parse(lock) as { pid: number }).pid, 'SIGKILL');
    const killedAt = Date.now();
    const before = (await creates(name)).length;
    // What it does without its server is not promised: it may end with an error, or wait for the server to come back.
    await waitUntil('its end', () => !first.isRunning || Date.now() - killedAt > 20_000);
    const end = first.isRunning ? 'it waited, and was killed after 20 s' : `it ended with ${await first.ended()}`;
    await first.kill();

    const startedAt = Date.now();
    const second = run(name);
    await expectCompleted(name, second);
    expect(second.errors).toContain('resuming restore');
    const seconds = (Date.now() - startedAt) / 1_000;
    tell(
      `Temporal server killed after ${before} of ${ITEMS} items; ${end}; called again it was done in ${seconds.toFixed(1)} s`,
    );
    tell(`its last words: ${first.errors.trim().split('\n').at(-1) ?? ''}`);
  });
});

describe('workers', () => {
  it('go on when one of them is killed, and one that joins with a cold cache does its share', async () => {
    const name = 'workers';
    const server = await startTemporalDevServer({ directory: join(directory, 'temporal') });
    const connection = await Connection.connect({ address: server.address });
    const temporal = ['--temporal-address', server.address, '--temporal-namespace', server.namespace];
    const startWorker = (cache: string): CommandProcess =>
      start(
        ...['worker', ...temporal, '--kubeconfig', controlPlane.kubeconfigPath, '--backup-dir', bucket],
        ...['--cache-dir', join(directory, 'cache', cache), '--log-level', 'warn', '--max-concurrent-activities', '16'],
      );
    const isReady = (worker: CommandProcess) => (): boolean => worker.output.includes('worker ready');
    try {
      const doomed = startWorker('worker-1');
      const second = startWorker('worker-2');
      await waitUntil('two workers', () => isReady(doomed)() && isReady(second)(), { needs: [doomed, second] });
      const create = start(
        ...['create', name, '--from-backup', BACKUP, '--backup-dir', bucket, ...temporal],
        ...['--namespace-mappings', `${BENCH_NAMESPACE}:${name}`, '--wait'],
      );
      const has = (items: number) => async (): Promise<boolean> => (await creates(name)).length >= items;
      await waitUntil('a third of the items', has(ITEMS / 3), { needs: [create, doomed, second] });
      await doomed.kill();
      const killedAt = Date.now();
      const before = (await creates(name)).length;
      expect(before).toBeLessThan(ITEMS);
      const third = startWorker('worker-3');
      await waitUntil('the third worker', isReady(third), { needs: [third] });
      const joined = (await creates(name)).length;

      expect({ code: await create.ended(), errors: create.errors }).toMatchObject({ code: 0 });
      await expectEachOnce(name);
      await expectFiles(name);
      const gap = longestGap(await creates(name), killedAt);
      expect(gap).toBeLessThan(LONGEST_GAP_MS);

      const shares = await activitiesByWorker(new Client({ connection }), restoreWorkflowId('default', 'velero', name));
      const shareOf = ({ pid }: CommandProcess): number => shares.get(String(pid)) ?? 0;
      expect(shareOf(doomed)).toBeGreaterThan(0);
      expect(shareOf(second)).toBeGreaterThan(0);
      expect(shareOf(third)).toBeGreaterThan(0);
      tell(
        `one of two workers killed after ${before} of ${ITEMS} items: longest gap between two creates after that ${(gap / 1_000).toFixed(1)} s; ` +
          `the third was ready at ${joined} items; activities: killed ${shareOf(doomed)}, second ${shareOf(second)}, third ${shareOf(third)}`,
      );
    } finally {
      for (const one of processes) if (one.isRunning) await one.kill();
      await connection.close();
      await server.stop();
    }
  });
});

/** Completed activities of a restore and its shards, by the process id in the identity of the worker that did them. */
async function activitiesByWorker(client: Client, workflowId: string): Promise<Map<string, number>> {
  const shares = new Map<string, number>();
  const query = `WorkflowId = "${workflowId}" OR WorkflowId STARTS_WITH "${workflowId}/"`;
  for await (const run of client.workflow.list({ query })) {
    const { events } = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
    for (const { activityTaskCompletedEventAttributes: completed } of events ?? []) {
      const pid = completed?.identity?.split('@')[0];
      if (pid !== undefined) shares.set(pid, (shares.get(pid) ?? 0) + 1);
    }
  }
  return shares;
}
