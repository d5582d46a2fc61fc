import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrograms } from './ensure.ts';
import { environmentWithout } from './environment.ts';
import { withFreePorts } from './freePort.ts';
import { answersOk } from './httpProbe.ts';
import { ServerProcess } from './process.ts';

export interface S3ServerOptions {
  /** The folder that is served: each folder in it is a bucket. */
  readonly directory: string;
  /** Gets `s3.log`; default: `<directory>.logs`, next to the served folder. */
  readonly logDirectory?: string | undefined;
  /** Default: a free port. */
  readonly port?: number | undefined;
  readonly extraFlags?: readonly string[] | undefined;
  readonly outlivesParent?: boolean | undefined;
  /** Path of the program; default: ensurePrograms. */
  readonly program?: string | undefined;
}

export interface S3Server {
  /** To be used with path style addresses (`<url>/<bucket>/<key>`) and any credentials. */
  readonly url: string;
  readonly port: number;
  readonly process: ServerProcess;
  stop(): Promise<void>;
}

/** Serves a folder over the S3 protocol on 127.0.0.1, without authentication. */
export async function startS3Server(options: S3ServerOptions): Promise<S3Server> {
  const program = options.program ?? (await ensurePrograms(['rclone'])).rclone;
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  return withFreePorts([options.port], async ([port = 0]) => {
    const url = `http://127.0.0.1:${port}`;
    const server = await ServerProcess.start({
      name: 'rclone serve s3',
      program,
      // No --auth-key: with it every request of Velero's own S3 client is answered 403.
      args: [
        'serve',
        's3',
        // A configuration file of the user's has no say here.
        '--config=',
        `--addr=127.0.0.1:${port}`,
        // Files that a test puts into the folder are seen at once.
        // With 0 rclone forgets its directories in a loop and puts take seconds.
        '--dir-cache-time=10ms',
        ...(options.extraFlags ?? []),
        options.directory,
      ],
      environment: environmentWithout('RCLONE_'),
      logFile: join(options.logDirectory ?? `${options.directory}.logs`, 's3.log'),
      ready: (signal) => answersOk(`${url}/`, { signal }),
      outlivesParent: options.outlivesParent ?? false,
    });
    return {
      url,
      port,
      process: server,
      async stop() {
        await server.stop();
      },
    };
  });
}
