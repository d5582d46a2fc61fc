import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrograms } from './ensure.ts';
import { environmentWithout } from './environment.ts';
import { isExisting } from './existing.ts';
import { withFreePorts } from './freePort.ts';
import { answersOk } from './httpProbe.ts';
import { ServerProcess } from './process.ts';

export interface EtcdOptions {
  /** Gets the data (`etcd/`) and the log (`logs/etcd.log`). Data that is there already is used. */
  readonly directory: string;
  /** Data folder of an etcd that is stopped: copied before the start, when the directory has no data yet. */
  readonly copyFrom?: string | undefined;
  /** Default: free ports. */
  readonly port?: number | undefined;
  readonly peerPort?: number | undefined;
  /** Write through to the disk, so that the data survives a crash of the machine. Default false: much faster. */
  readonly fsync?: boolean | undefined;
  readonly outlivesParent?: boolean | undefined;
  /** Path of the program; default: ensurePrograms. */
  readonly program?: string | undefined;
}

export interface Etcd {
  /** Client URL. */
  readonly url: string;
  readonly port: number;
  readonly peerPort: number;
  /** The data folder; may be copied when etcd is stopped. */
  readonly dataDirectory: string;
  readonly process: ServerProcess;
  stop(): Promise<void>;
}

/** Starts an etcd with one member on 127.0.0.1, without authentication: for throw-away data only. */
export async function startEtcd(options: EtcdOptions): Promise<Etcd> {
  const program = options.program ?? (await ensurePrograms(['etcd'])).etcd;
  const dataDirectory = join(options.directory, 'etcd');
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  if (options.copyFrom !== undefined) await copyData(options.copyFrom, dataDirectory);
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  return withFreePorts([options.port, options.peerPort], async ([port = 0, peerPort = 0]) => {
    const url = `http://127.0.0.1:${port}`;
    const server = await ServerProcess.start({
      name: 'etcd',
      program,
      args: [
        `--data-dir=${dataDirectory}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
        '--log-level=warn',
        // The default of 2 GiB is reached by the restores of a benchmark between two compactions.
        `--quota-backend-bytes=${8 * 1024 ** 3}`,
        ...(options.fsync ? [] : ['--unsafe-no-fsync']),
      ],
      environment: environmentWithout('ETCD_'),
      logFile: join(options.directory, 'logs', 'etcd.log'),
      ready: (signal) => answersOk(`${url}/health`, { signal }),
      outlivesParent: options.outlivesParent ?? false,
    });
    return {
      url,
      port,
      peerPort,
      dataDirectory,
      process: server,
      async stop() {
        await server.stop();
      },
    };
  });
}

async function copyData(from: string, to: string): Promise<void> {
  if (await isExisting(to)) return;
  // Renamed when complete: half a copy would look like data.
  const aside = `${to}.copy`;
  await rm(aside, { recursive: true, force: true });
  await cp(from, aside, { recursive: true });
  await rename(aside, to);
}
