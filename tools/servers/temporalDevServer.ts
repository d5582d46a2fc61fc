import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { searchAttributes } from '../../domain/contract.ts';
import { ensurePrograms } from './ensure.ts';
import { environmentWithout } from './environment.ts';
import { withFreePorts } from './freePort.ts';
import { answersOk } from './httpProbe.ts';
import { ServerProcess } from './process.ts';

const ATTRIBUTE_TYPES = { KEYWORD: 'Keyword', INT: 'Int' } as const satisfies Record<string, SearchAttributeType>;

/** Types of search attributes, as the `temporal` command names them. */
type SearchAttributeType = 'Bool' | 'Datetime' | 'Double' | 'Int' | 'Keyword' | 'KeywordList' | 'Text';

/** Those of restores, for {@link TemporalDevServerOptions.searchAttributes}. */
export const restoreSearchAttributes = Object.fromEntries(
  Object.entries(searchAttributes).map(([name, type]) => [name, ATTRIBUTE_TYPES[type]]),
);

export interface TemporalDevServerOptions {
  /** Gets `logs/temporal.log`. */
  readonly directory: string;
  /** File of the database (SQLite, WAL), to survive a restart; default: in memory. */
  readonly databaseFile?: string | undefined;
  /** Serve the web UI. Default false. */
  readonly ui?: boolean | undefined;
  /** Namespace to create; default `default`. */
  readonly namespace?: string | undefined;
  readonly searchAttributes?: Readonly<Record<string, SearchAttributeType>> | undefined;
  /** Further dynamic configuration, key to JSON value. */
  readonly dynamicConfig?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Default: free ports. */
  readonly port?: number | undefined;
  readonly uiPort?: number | undefined;
  readonly extraFlags?: readonly string[] | undefined;
  readonly outlivesParent?: boolean | undefined;
  /** Path of the program; default: ensurePrograms. */
  readonly program?: string | undefined;
}

export interface TemporalDevServer {
  /** `127.0.0.1:<port>`, for gRPC. */
  readonly address: string;
  readonly namespace: string;
  readonly port: number;
  readonly uiUrl: string | undefined;
  readonly process: ServerProcess;
  stop(): Promise<void>;
}

/** Limits of a server meant for one developer; tests and benchmarks ask for more. */
const raisedLimits: Readonly<Record<string, number>> = {
  'matching.rps': 20_000,
  'frontend.rps': 20_000,
  'frontend.namespaceRPS': 20_000,
  'history.rps': 20_000,
};

/** Starts a Temporal development server on 127.0.0.1 and waits until its namespace can be used. */
export async function startTemporalDevServer(options: TemporalDevServerOptions): Promise<TemporalDevServer> {
  const program = options.program ?? (await ensurePrograms(['temporal'])).temporal;
  const namespace = options.namespace ?? 'default';
  const ui = options.ui ?? options.uiPort !== undefined;
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const fixed = [options.port, undefined, undefined, options.uiPort];
  return withFreePorts(fixed, async ([port = 0, httpPort = 0, metricsPort = 0, uiPort = 0]) => {
    const server = await ServerProcess.start({
      name: 'temporal',
      program,
      args: [
        'server',
        'start-dev',
        '--ip=127.0.0.1',
        `--port=${port}`,
        `--http-port=${httpPort}`,
        `--metrics-port=${metricsPort}`,
        `--namespace=${namespace}`,
        '--log-level=warn',
        ...(ui ? ['--ui-ip=127.0.0.1', `--ui-port=${uiPort}`] : ['--headless']),
        ...databaseFlags(options.databaseFile),
        ...settings('--search-attribute', options.searchAttributes ?? {}),
        ...settings('--dynamic-config-value', { ...raisedLimits, ...jsonValues(options.dynamicConfig ?? {}) }),
        ...(options.extraFlags ?? []),
      ],
      environment: environmentWithout('TEMPORAL_'),
      logFile: join(options.directory, 'logs', 'temporal.log'),
      async ready(signal) {
        const usable = await answersOk(`http://127.0.0.1:${httpPort}/api/v1/namespaces/${namespace}`, { signal });
        return usable && (!ui || (await answersOk(`http://127.0.0.1:${uiPort}/`, { signal })));
      },
      outlivesParent: options.outlivesParent ?? false,
    });
    return {
      address: `127.0.0.1:${port}`,
      namespace,
      port,
      uiUrl: ui ? `http://127.0.0.1:${uiPort}` : undefined,
      process: server,
      async stop() {
        await server.stop();
      },
    };
  });
}

function databaseFlags(file: string | undefined): string[] {
  if (file === undefined) return [];
  return [`--db-filename=${file}`, '--sqlite-pragma=journal_mode=WAL', '--sqlite-pragma=synchronous=NORMAL'];
}

function jsonValues(values: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));
}

function settings(flag: string, values: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(values).map(([key, value]) => `${flag}=${key}=${value}`);
}
