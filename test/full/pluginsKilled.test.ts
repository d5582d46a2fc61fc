import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { RestoreClient } from '../../client/index.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type ControlPlane, startControlPlane } from '../../tools/servers/controlPlane.ts';
import { ensurePrograms } from '../../tools/servers/ensure.ts';
import { startTemporalDevServer, type TemporalDevServer } from '../../tools/servers/temporalDevServer.ts';
import { makeBackup } from '../integration/support/backupBucket.ts';
import { configMap, secret } from '../integration/support/objects.ts';
import { CommandProcess, copyOfBuild, createsIn, waitUntil } from './killSupport.ts';
import { isAlive, processesOf } from './support/processes.ts';

jest.setTimeout(300_000);

let directory: string;
let bucket: string;
let command: string;
let plugin: string;
let controlPlane: ControlPlane;
let temporal: TemporalDevServer;
const stops: (() => Promise<unknown>)[] = [];
const processes: CommandProcess[] = [];

function startTemporal(port?: number): Promise<TemporalDevServer> {
  return startTemporalDevServer({
    directory: join(directory, 'temporal'),
    databaseFile: join(directory, 'temporal.db'),
    port,
  });
}

beforeAll(async () => {
  const programs = await ensurePrograms(['test-plugin']);
  directory = await mkdtemp(join(tmpdir(), 'plugins-killed-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  bucket = join(directory, 'bucket');
  plugin = join(directory, 'plugins', 'test-plugin');
  await mkdir(join(directory, 'plugins'));
  await copyFile(programs['test-plugin'], plugin);
  command = copyOfBuild(directory);
  controlPlane = await startControlPlane({
    directory: join(directory, 'cluster'),
    controllers: 'minimal',
    audit: true,
  });
  stops.push(() => controlPlane.stop());
  temporal = await startTemporal();
  stops.push(() => temporal.stop());
}, 1_800_000);

afterEach(async () => {
  for (const one of processes.splice(0)) if (one.isRunning) await one.kill();
});

afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function startWorker(): Promise<CommandProcess> {
  const flags = [
    '--backup-dir',
    bucket,
    '--cache-dir',
    join(directory, 'cache'),
    '--plugin-dir',
    join(directory, 'plugins'),
  ];
  const worker = new CommandProcess(
    command,
    ['worker', '--temporal-address', temporal.address, '--kubeconfig', controlPlane.kubeconfigPath, ...flags],
    { TEST_PLUGIN_DIRECTORY: directory },
  );
  processes.push(worker);
  await waitUntil('the worker', () => worker.output.includes('worker ready'), { needs: [worker] });
  return worker;
}

async function withClient<T>(use: (client: Client, restores: RestoreClient) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const client = new Client({ connection });
    return await use(client, new RestoreClient({ client, address: temporal.address, timeoutMs: 60_000 }));
  } finally {
    await connection.close();
  }
}

async function checks(name: string): Promise<number> {
  return Number(await readFile(join(directory, `asked-${name}`), 'utf8').catch(() => '0'));
}

describe('a readiness wait goes on, with its first deadline, and the item is created once', () => {
  it('where the worker is killed with -9, and the Temporal server too; no plugin is left behind', async () => {
    const needed = 'ready-after-14-key';
    const parent: JsonObject = configMap('waits', 'parent', {
      metadata: {
        name: 'parent',
        namespace: 'waits',
        labels: { 'test-plugin': 'v2' },
        annotations: { 'test.example.com/additional': `|secrets|waits|${needed}`, 'test.example.com/wait': '4m' },
      },
    });
    await makeBackup(bucket, 'waits', [parent, secret('waits', needed)]);

    const first = await startWorker();
    const started = await withClient((_client, restores) =>
      restores.start({ name: 'waits', spec: { backupName: 'waits' } }),
    );
    const { workflowId } = started;
    await waitUntil('checks', async () => (await checks(needed)) >= 3, { needs: [first] });
    const deadline = await withClient(
      async (_client, restores) => (await restores.progress('waits')).waits?.[0]?.deadline,
    );
    const [pluginOfFirst] = await processesOf(plugin);
    await first.kill();
    await waitUntil('the end of its plugin', () => pluginOfFirst !== undefined && !isAlive(pluginOfFirst), {
      timeoutMs: 10_000,
    });

    const second = await startWorker();
    const before = await checks(needed);
    await waitUntil('more checks', async () => (await checks(needed)) >= before + 2, { needs: [second] });
    const { port } = temporal;
    temporal.process.kill('SIGKILL');
    await waitUntil('the end of the Temporal server', () => !temporal.process.running, { timeoutMs: 10_000 });
    temporal = await startTemporal(port);

    await withClient(async (client, restores) => {
      const handle = client.workflow.getHandle(workflowId);
      await handle.result();
      const { status } = await restores.get('waits');
      expect(status.phase).toBe('Completed');
      const ids: string[] = [];
      for await (const one of client.workflow.list()) {
        if (one.workflowId.startsWith(workflowId) && one.workflowId.includes('/wait-'))
          ids.push(`${one.workflowId} ${one.runId}`);
      }
      expect(ids).toHaveLength(1);
      const [id = '', runId] = (ids[0] ?? '').split(' ');
      const { events } = await client.workflow.getHandle(id, runId).fetchHistory();
      const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
      expect(JSON.parse(Buffer.from(input ?? []).toString('utf8'))).toMatchObject({ deadline });
    });
    expect(await checks(needed)).toBeGreaterThanOrEqual(15);
    const creates = await createsIn(controlPlane.apiServer.auditLogPath ?? '', 'waits');
    expect(creates.filter(({ code }) => code === 201).map(({ name }) => name)).toEqual(['parent']);
  });
});
