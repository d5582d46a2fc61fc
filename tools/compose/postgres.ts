import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { isExecutable } from '../servers/cache.ts';
import { type CommandResult, runCommand } from '../servers/command.ts';
import { isExisting } from '../servers/existing.ts';
import { ServerProcess } from '../servers/process.ts';
import { ServerMissing } from '../servers/serverMissing.ts';

export interface PostgresOptions {
  /** Gets `data/`, the password file and `logs/postgres.log`; made when missing. */
  readonly directory: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Options of initdb, as in POSTGRES_INITDB_ARGS of the image. */
  readonly initdbOptions: readonly string[];
  /** Options of the server, as in the `command` of the compose file after the program's name. */
  readonly serverOptions: readonly string[];
}

export interface Postgres {
  readonly process: ServerProcess;
  /** Runs one of PostgreSQL's client programs against this server, with its password. */
  run(program: 'psql' | 'pg_isready', args: readonly string[]): Promise<CommandResult>;
}

/**
 * Starts PostgreSQL on 127.0.0.1; the first time in a directory it makes a new database cluster there.
 * As root it runs as the system user `postgres`, because PostgreSQL refuses to be root.
 * @throws ServerMissing when PostgreSQL is not installed
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const programs = await programFolder();
  const data = join(options.directory, 'data');
  const clientEnvironment = { PATH: process.env['PATH'], PGPASSWORD: options.password };
  const run: Postgres['run'] = (program, args) =>
    runCommand(
      join(programs, program),
      ['--host=127.0.0.1', `--port=${options.port}`, `--username=${options.user}`, ...args],
      { environment: clientEnvironment, timeoutMs: 30_000 },
    );
  if (!(await isExisting(join(data, 'PG_VERSION')))) await initialise(programs, data, options);
  const command = await asServerUser([
    join(programs, 'postgres'),
    '-D',
    data,
    ...['-c', 'listen_addresses=127.0.0.1', '-c', `port=${options.port}`, '-c', 'unix_socket_directories='],
    ...options.serverOptions,
  ]);
  const server = await ServerProcess.start({
    name: 'postgres',
    program: command.program,
    args: command.args,
    logFile: join(options.directory, 'logs', 'postgres.log'),
    environment: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    ready: async () => (await run('pg_isready', ['--dbname=postgres'])).code === 0,
  });
  return { process: server, run };
}

async function initialise(programs: string, data: string, options: PostgresOptions): Promise<void> {
  const passwordFile = join(options.directory, 'password');
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, options.password, { mode: 0o600 });
  const owner = await serverUser();
  if (owner !== undefined) {
    for (const path of [options.directory, data, passwordFile]) await chown(path, owner.uid, owner.gid);
  }
  const command = await asServerUser([
    join(programs, 'initdb'),
    `--pgdata=${data}`,
    `--username=${options.user}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    ...options.initdbOptions,
  ]);
  const { code, errorTail } = await runCommand(command.program, command.args, { directory: data });
  if (code !== 0) throw new Error(`initdb failed:\n  ${errorTail.join('\n  ')}`);
}

/** A folder counts only with all of them: a machine may have links to some of the programs elsewhere. */
const neededPrograms = ['initdb', 'postgres', 'pg_isready', 'psql'];

/** Debian keeps the programs of each major version in a folder of its own, off PATH; the newest is taken. */
async function programFolder(): Promise<string> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, 'bin'));
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), ...newestFirst]) {
    const found = await Promise.all(neededPrograms.map((name) => isExecutable(join(folder, name))));
    if (!found.includes(false)) return folder;
  }
  throw new ServerMissing('PostgreSQL is not installed; on Debian: apt-get install postgresql');
}

interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The user to run PostgreSQL as; undefined for this process's own. */
async function serverUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { code, output } = await runCommand('getent', ['passwd', 'postgres']);
  const [, , uid, gid] = output.split(':');
  if (code !== 0 || uid === undefined || gid === undefined) {
    throw new ServerMissing('the system user postgres is missing, and PostgreSQL does not run as root');
  }
  return { uid: Number(uid), gid: Number(gid) };
}

/** setpriv becomes the program it starts, so that the process id stays that of the server. */
async function asServerUser(command: readonly [string, ...string[]]): Promise<{ program: string; args: string[] }> {
  const [program, ...args] = command;
  const user = await serverUser();
  if (user === undefined) return { program, args };
  return {
    program: 'setpriv',
    args: [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups', program, ...args],
  };
}
