import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../servers/freePort.ts';
import { answersOk } from '../servers/httpProbe.ts';
import { ServerProcess } from '../servers/process.ts';

/** What people run is measured: the build, with its prebuilt workflow bundle. */
const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface WorkerProcessOptions {
  /** Gets cache and log. */
  readonly directory: string;
  readonly cluster: string;
  readonly temporalAddress: string;
  readonly kubeconfig: string;
  readonly bucket: string;
}

/** Starts `durable-restore worker` and waits until it is ready. @throws ServerStartFailed */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<ServerProcess> {
  const { directory, cluster, temporalAddress, kubeconfig, bucket } = options;
  const healthAddress = `127.0.0.1:${await freePort()}`;
  const nodeArgs = process.env['BENCH_NODE_ARGS']?.split(' ') ?? [];
  return ServerProcess.start({
    name: 'durable-restore worker',
    program: process.execPath,
    args: [
      ...[...nodeArgs, command, 'worker', '--log-level', 'warn', '--health-address', healthAddress],
      ...['--cluster', cluster, '--temporal-address', temporalAddress, '--kubeconfig', kubeconfig],
      ...['--backup-dir', bucket, '--cache-dir', join(directory, 'cache')],
    ],
    logFile: join(directory, 'worker.log'),
    ready: (signal) => answersOk(`http://${healthAddress}/readyz`, { signal }),
  });
}
