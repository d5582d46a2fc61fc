/**
 * `npm run bench [-- --items 2000,10000] [--rounds 3] [--workers 1] [--items-per-activity N] [--json FILE]`: restores backups of
 * ConfigMaps of 1.5 KB with one or more worker processes and prints items/s beside the rate that a bare client gets from the same
 * API server in the same run. Machines are noisy: compare ratios, not rates.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { readStorageLocation } from '../../domain/backup/storageLocation.ts';
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
import { rawRate } from './rawRate.ts';

interface WorkerFigures {
  readonly peakMiB: number;
  readonly cpuSeconds: number;
}

interface Row {
  readonly name: string;
  readonly items: number;
  readonly itemsPerSecond: number;
  readonly rawItemsPerSecond: number;
  readonly ratioToRaw: number;
  readonly phase: string;
  readonly workers: readonly WorkerFigures[];
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

async function startWorkerProcess(config: object): Promise<ChildProcess> {
  const entry = fileURLToPath(new URL('workerProcess.ts', import.meta.url));
  const child = fork(entry, [JSON.stringify(config)], {
    execArgv: ['--import', 'tsx', ...(process.env['BENCH_NODE_ARGS']?.split(' ') ?? [])],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => {
      resolve();
    });
    child.once('exit', (code) => {
      reject(new Error(`worker ended with ${String(code)} before it was ready`));
    });
  });
  child.removeAllListeners('exit');
  return child;
}

async function stopWorkerProcess(child: ChildProcess): Promise<WorkerFigures> {
  const figures = new Promise<WorkerFigures>((resolve) => {
    child.once('message', (message) => {
      resolve(message as WorkerFigures);
    });
  });
  child.kill('SIGTERM');
  return figures;
}

const directory = await mkdtemp(join(tmpdir(), 'durable-restore-bench-'));
const bucket = join(directory, 'bucket');
const [controlPlane, temporal] = await Promise.all([
  startControlPlane({ directory: join(directory, 'cluster'), controllers: 'minimal' }),
  startTemporalDevServer({ directory: join(directory, 'temporal') }),
]);
const connection = await Connection.connect({ address: temporal.address });
const client = new Client({ connection });
const rows: Row[] = [];

async function measure(items: number, round: number): Promise<Row> {
  const name = `bench-${items}-${round}`;
  const storage = readStorageLocation({ provider: 'directory', objectStorage: { bucket } }, 'benchmark');
  const config = {
    temporal: { address: temporal.address, namespace: temporal.namespace },
    cluster: name,
    kubeconfig: controlPlane.kubeconfigPath,
    storageLocations: [storage],
    cacheDirectory: join(directory, `cache-${name}`),
    logLevel: 'warn',
  };
  const workers = await Promise.all(Array.from({ length: Number(values.workers) }, () => startWorkerProcess(config)));
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
  const started = performance.now();
  const result = (await client.workflow.execute('restore', {
    taskQueue: taskQueueFor(name),
    workflowId,
    workflowTaskTimeout: '5s',
    args: [input],
  })) as RestoreResult;
  const itemsPerSecond = items / ((performance.now() - started) / 1_000);
  const history = await historyFigures(client, workflowId);
  const figures = await Promise.all(workers.map(stopWorkerProcess));
  const raw = await rawRate(controlPlane.kubeconfigPath, `raw-${name}`, Math.min(items, 3_000));
  return {
    name: `${items} ConfigMaps`,
    items,
    itemsPerSecond,
    rawItemsPerSecond: raw,
    ratioToRaw: itemsPerSecond / raw,
    phase: result.status.phase,
    workers: figures,
    history,
  };
}

try {
  for (const items of values.items.split(',').map(Number)) {
    await makeBackup(bucket, `items-${items}`, items);
    for (let round = 1; round <= Number(values.rounds); round++) {
      const row = await measure(items, round);
      rows.push(row);
      const { history, workers } = row;
      process.stdout.write(
        `${row.name}: ${row.itemsPerSecond.toFixed(0)}/s (bare client ${row.rawItemsPerSecond.toFixed(0)}/s, ratio ${row.ratioToRaw.toFixed(2)}), ${row.phase}; ` +
          `${history.events} events in ${history.runs} runs, at most ${history.mostEventsInARun} in one, largest payload ${history.largestPayload} bytes; ` +
          `worker ${workers.map((worker) => `${worker.peakMiB} MiB, ${worker.cpuSeconds.toFixed(1)} s CPU`).join(' + ')}\n`,
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
