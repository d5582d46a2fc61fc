import { dirname, join } from 'node:path';
import { type CommandResult, runCommand } from '../servers/command.ts';
import { freePort, withFreePorts } from '../servers/freePort.ts';
import { answersOk } from '../servers/httpProbe.ts';
import { ServerProcess } from '../servers/process.ts';
import type { ComposeFile } from './composeFile.schema.ts';
import { projectFolder, readComposeFile, serviceNamed } from './composeFile.ts';
import { type Postgres, startPostgres } from './postgres.ts';

export interface ProductionServerOptions {
  /** Gets the database and the logs. */
  readonly directory: string;
  /** Paths of the programs, as ensurePrograms returns them. */
  readonly programs: Readonly<Record<'temporal-server' | 'temporal-sql-tool' | 'temporal', string>>;
  /** What the `.env` file of docker compose would hold; POSTGRES_PASSWORD is required. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Variables of the server that give a port, in the order in which free ones are handed out. */
const portVariables = [
  'FRONTEND_GRPC_PORT',
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
] as const;

type Environment = Record<string, string>;

/**
 * The services of docker-compose.yml as plain processes on 127.0.0.1: PostgreSQL, the Temporal server and its two
 * set-up jobs. Environments, commands, scripts and health checks are those of the file; only host names, addresses,
 * ports and paths differ. The steps are separate methods so that each can be repeated.
 */
export class ProductionServer {
  readonly postgres: Postgres;
  readonly #options: ProductionServerOptions;
  readonly #databasePort: number;
  #file: ComposeFile;
  #server: ServerProcess | undefined;
  #ports: Environment = {};

  private constructor(options: ProductionServerOptions, file: ComposeFile, postgres: Postgres, databasePort: number) {
    this.#options = options;
    this.#file = file;
    this.postgres = postgres;
    this.#databasePort = databasePort;
  }

  /**
   * Starts the database alone.
   * @throws ServerMissing when PostgreSQL is not installed
   */
  static async start(options: ProductionServerOptions): Promise<ProductionServer> {
    const file = await readComposeFile(options.variables);
    const service = serviceNamed(file, 'postgresql');
    const port = await freePort();
    const postgres = await startPostgres({
      directory: join(options.directory, 'postgresql'),
      port,
      user: service.environment['POSTGRES_USER'] ?? '',
      password: service.environment['POSTGRES_PASSWORD'] ?? '',
      initdbOptions: (service.environment['POSTGRES_INITDB_ARGS'] ?? '').split(' '),
      serverOptions: (service.command ?? []).slice(1),
    });
    return new ProductionServer(options, file, postgres, port);
  }

  /** Runs the job temporal-schema, with further variables where a test wants others than the file's. */
  async setUpSchema(overrides: Environment = {}): Promise<CommandResult> {
    const database = { SQL_HOST: '127.0.0.1', SQL_PORT: `${this.#databasePort}` };
    return this.#runJob('temporal-schema', { ...database, ...overrides });
  }

  /** Starts the service temporal and waits until its health check succeeds; on the same ports when it ran before. */
  async startServer(): Promise<void> {
    const fixed = portVariables.map((name) =>
      this.#ports[name] === undefined ? undefined : Number(this.#ports[name]),
    );
    this.#server = await withFreePorts(fixed, async (ports) => {
      this.#ports = Object.fromEntries(portVariables.map((name, index) => [name, `${ports[index] ?? 0}`]));
      return ServerProcess.start({
        name: 'temporal-server',
        program: this.#options.programs['temporal-server'],
        args: ['start'],
        environment: this.#serverEnvironment(),
        logFile: join(this.#options.directory, 'logs', 'temporal-server.log'),
        ready: (signal) => answersOk(this.#healthUrl(), { signal }),
        stopTimeoutMs: 60_000,
      });
    });
  }

  /** Runs the job temporal-namespace, with further variables where a test wants others than the file's. */
  async setUpNamespace(overrides: Environment = {}): Promise<CommandResult> {
    return this.#runJob('temporal-namespace', { TEMPORAL_ADDRESS: this.address, ...overrides });
  }

  /** Runs the temporal command against the server, in the namespace of the file. */
  async temporal(...args: string[]): Promise<CommandResult> {
    return runCommand(this.#options.programs.temporal, args, {
      environment: { ...this.#path(), TEMPORAL_ADDRESS: this.address, TEMPORAL_NAMESPACE: this.namespace },
      timeoutMs: 60_000,
    });
  }

  /** The one value that a statement on Temporal's main database gives. */
  async query(statement: string): Promise<string> {
    const result = await this.postgres.run('psql', [
      '--dbname=temporal',
      '--tuples-only',
      '--no-align',
      '-c',
      statement,
    ]);
    if (result.code !== 0) throw new Error(`psql: ${result.errorTail.join('\n')}`);
    return result.output.trim();
  }

  /** Changes what the `.env` file would hold; counts from the next start of a service on. */
  async useVariables(variables: Readonly<Record<string, string>>): Promise<void> {
    this.#file = await readComposeFile({ ...this.#options.variables, ...variables });
  }

  /** `127.0.0.1:<port>` of the frontend, for gRPC. */
  get address(): string {
    return `127.0.0.1:${this.#ports['FRONTEND_GRPC_PORT'] ?? ''}`;
  }

  get namespace(): string {
    return serviceNamed(this.#file, 'temporal-namespace').environment['TEMPORAL_NAMESPACE'] ?? '';
  }

  /** The running Temporal server. */
  get server(): ServerProcess {
    if (this.#server === undefined) throw new Error('the Temporal server has not been started');
    return this.#server;
  }

  /** Stops the Temporal server, then the database. */
  async stop(): Promise<void> {
    await this.#server?.stop();
    await this.postgres.process.stop();
  }

  #serverEnvironment(): Environment {
    return {
      ...this.#path(),
      ...serviceNamed(this.#file, 'temporal').environment,
      POSTGRES_SEEDS: '127.0.0.1',
      DB_PORT: `${this.#databasePort}`,
      BIND_ON_IP: '127.0.0.1',
      DYNAMIC_CONFIG_FILE_PATH: join(projectFolder, 'deploy', 'compose', 'dynamic-config', 'dynamic-config.yaml'),
      ...this.#ports,
    };
  }

  #healthUrl(): string {
    const url = new URL(serviceNamed(this.#file, 'temporal').healthcheck?.test.at(-1) ?? '');
    url.port = this.#ports['FRONTEND_HTTP_PORT'] ?? '';
    return url.href;
  }

  /** The script that the compose file mounts, in the shell that it names. */
  async #runJob(name: string, overrides: Environment): Promise<CommandResult> {
    const service = serviceNamed(this.#file, name);
    const [shell = '', script] = service.entrypoint ?? [];
    const mount = service.volumes.find((volume) => volume.target === script);
    if (mount === undefined)
      throw new Error(`services.${name}.volumes: nothing is mounted at ${script ?? 'its script'}`);
    return runCommand(shell, [join(projectFolder, mount.source)], {
      environment: { ...this.#path(), ...service.environment, ...overrides },
      timeoutMs: 300_000,
    });
  }

  /** As in the image, the tools are found by their names. */
  #path(): Environment {
    const folders = Object.values(this.#options.programs).map((program) => dirname(program));
    return { PATH: [...folders, process.env['PATH'] ?? ''].join(':') };
  }
}
