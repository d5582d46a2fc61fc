/**
 * `npm run bench [-- --items 2000,10000] [--rounds 3] [--workers 1] [--items-per-activity N] [--json FILE]`: restores backups of
 * ConfigMaps of 1.5 KB with one or more worker processes and prints items/s beside the rate that a bare client gets from the same
 * API server in the same run. Machines are noisy: compare ratios, not rates.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import {
  defaultRestoreOptions,
  type RestoreInput,
  type RestoreResult,
  restoreWorkflowId,
  taskQueueFor,
} from '../../domain/contract.ts';
import { startControlPlane } from '../servers/controlPlane.ts';
import { startTemporalDevServer } from '../servers/temporalDevServer.ts';
import { type HistoryFigures, historyFigures } from './historyFigures.ts';
import { BENCH_NAMESPACE, makeBackup } from './makeBackup.ts';
import { type ProcessFigures, processFigures } from './processFigures.ts';
import { rawRate } from './rawRate.ts';
import { startWorkerProcess } from './workerProcess.ts';

interface Row {
  readonly name: string;
  readonly items: number;
  readonly itemsPerSecond: number;
  readonly rawItemsPerSecond: number;
  readonly rawCpuMsPerItem: number;
  readonly ratioToRaw: number;
  readonly phase: string;
  readonly workers: readonly ProcessFigures[];
  /** CPU seconds of the servers during the restore. */
  readonly servers: Readonly<Record<ServerName, number>>;
  readonly history: HistoryFigures;
}

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '2000,10000' },
    rounds: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    'items-per-activity': { type: 'string', default: '0' },
    json: { type: 'string' },
  },
});

type ServerName = 'temporal' | 'apiServer' | 'etcd';

const directory = await mkdtemp(join(tmpdir(), 'durable-restore-bench-'));
const bucket = join(directory, 'bucket');
const [controlPlane, temporal] = await Promise.all([
  startControlPlane({ directory: join(directory, 'cluster'), controllers: 'minimal' }),
  startTemporalDevServer({ directory: join(directory, 'temporal') }),
]);
const connection = await Connection.connect({ address: temporal.address });
const client = new Client({ connection });
const rows: Row[] = [];

function serversCpu(): Record<ServerName, number> {
  return {
    temporal: processFigures(temporal.process.pid).cpuSeconds,
    apiServer: processFigures(controlPlane.apiServer.process.pid).cpuSeconds,
    etcd: processFigures(controlPlane.etcd.process.pid).cpuSeconds,
  };
}

async function measure(items: number, round: number): Promise<Row> {
  const name = `bench-${items}-${round}`;
  const workers = await Promise.all(
    Array.from({ length: Number(values.workers) }, (_, index) =>
      startWorkerProcess({
        directory: join(directory, `worker-${name}-${index}`),
        cluster: name,
        temporalAddress: temporal.address,
        kubeconfig: controlPlane.kubeconfigPath,
        bucket,
      }),
    ),
  );
  const workflowId = restoreWorkflowId(name, 'velero', name);
  const input: RestoreInput = {
    cluster: name,
    restore: {
      name,
      namespace: 'velero',
      uid: randomUUID(),
      spec: { backupName: `items-${items}`, namespaceMapping: { [BENCH_NAMESPACE]: name } },
    },
    storageLocation: 'default',
    options: { ...defaultRestoreOptions, itemsPerActivity: Number(values['items-per-activity']) },
    useSearchAttributes: false,
  };
  const before = serversCpu();
  const started = performance.now();
  const result = (await client.workflow.execute('restore', {
    taskQueue: taskQueueFor(name),
    workflowId,
    workflowTaskTimeout: '5s',
    args: [input],
  })) as RestoreResult;
  const itemsPerSecond = items / ((performance.now() - started) / 1_000);
  const after = serversCpu();
  const history = await historyFigures(client, workflowId);
  const figures = workers.map(({ pid }) => processFigures(pid));
  await Promise.all(workers.map((worker) => worker.stop()));
  const raw = await rawRate(controlPlane.kubeconfigPath, `raw-${name}`, Math.min(items, 3_000));
  return {
    name: `${items} ConfigMaps`,
    items,
    itemsPerSecond,
    rawItemsPerSecond: raw.itemsPerSecond,
    rawCpuMsPerItem: raw.cpuMsPerItem,
    ratioToRaw: itemsPerSecond / raw.itemsPerSecond,
    phase: result.status.phase,
    workers: figures,
    servers: {
      temporal: after.temporal - before.temporal,
      apiServer: after.apiServer - before.apiServer,
      etcd: after.etcd - before.etcd,
    },
    history,
  };
}

try {
  for (const items of values.items.split(',').map(Number)) {
    await makeBackup(bucket, `items-${items}`, items);
    for (let round = 1; round <= Number(values.rounds); round++) {
      const row = await measure(items, round);
      rows.push(row);
      const { history, workers, servers } = row;
      process.stdout.write(
        `${row.name}: ${row.itemsPerSecond.toFixed(0)}/s (bare client ${row.rawItemsPerSecond.toFixed(0)}/s with ${row.rawCpuMsPerItem.toFixed(1)} ms CPU each, ratio ${row.ratioToRaw.toFixed(2)}), ${row.phase}; ` +
          `${history.events} events in ${history.runs} runs, at most ${history.mostEventsInARun} in one, largest payload ${history.largestPayload} bytes; ` +
          `worker ${workers.map((worker) => `${worker.peakMiB} MiB, ${worker.cpuSeconds.toFixed(1)} s CPU`).join(' + ')}; ` +
          `CPU of temporal ${servers.temporal.toFixed(1)} s, API server ${servers.apiServer.toFixed(1)} s, etcd ${servers.etcd.toFixed(1)} s\n`,
      );
    }
  }
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ rows }, null, 2)}\n`);
} finally {
  await connection.close();
  await temporal.stop();
  await controlPlane.stop();
  await rm(directory, { recursive: true, force: true });
}
