import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { freePort, withFreePorts } from '../../../tools/servers/freePort.ts';
import { answersOk } from '../../../tools/servers/httpProbe.ts';
import { isAlive } from '../../../tools/servers/lock.ts';
import { ServerProcess, type ServerProcessOptions, ServerStartFailed } from '../../../tools/servers/process.ts';
import { temporaryFolder } from '../../unit/tools/temporaryFolder.ts';

/** A small server; its arguments are its port and what it is like. */
const smallServer = `
const [port, what] = process.argv.slice(1);
console.log('starting');
if (what === 'fails') {
  console.error('the reason why it fails');
  process.exit(3);
}
if (what === 'stubborn') process.on('SIGTERM', () => console.log('no'));
const answer = what === 'unready' ? 503 : 200;
require('node:http').createServer((_, response) => response.writeHead(answer).end(what)).listen(Number(port), '127.0.0.1');
`;

/** Starts a server that only sleeps, prints that server's process id, and goes on; its arguments: directory, how. */
const parentOfServer = `
import { join } from 'node:path';
import { ServerProcess } from '${join(import.meta.dirname, '../../../tools/servers/process.ts')}';
const [directory, how] = process.argv.slice(1);
const server = await ServerProcess.start({
  name: 'sleeper',
  program: process.execPath,
  args: ['-e', 'setInterval(() => {}, 1000)'],
  logFile: join(directory, 'sleeper.log'),
  ready: () => Promise.resolve(true),
  outlivesParent: how === 'detached',
});
console.log(server.pid);
if (how === 'throws') throw new Error('an error that nobody catches');
if (how === 'stays') setInterval(() => undefined, 1000);
`;

async function options(what: string, port?: number): Promise<ServerProcessOptions & { url: string }> {
  const used = port ?? (await freePort());
  const url = `http://127.0.0.1:${used}/`;
  return {
    url,
    name: 'small server',
    program: process.execPath,
    args: ['-e', smallServer, String(used), what],
    logFile: join(await temporaryFolder(), 'logs', 'small.log'),
    ready: (signal) => answersOk(url, { signal }),
  };
}

async function failureOf(start: Promise<unknown>): Promise<ServerStartFailed> {
  const error: unknown = await start.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServerStartFailed)) throw new Error(`not the failure of a start: ${String(error)}`);
  return error;
}

describe('ServerProcess', () => {
  it('is ready when the probe says so, and gone when stopped', async () => {
    const wanted = await options('ordinary');
    const server = await ServerProcess.start(wanted);
    expect(await answersOk(wanted.url)).toBe(true);
    expect(server.running).toBe(true);
    expect(await server.logTail()).toEqual(['starting']);
    expect(((await stat(wanted.logFile)).mode & 0o777).toString(8)).toBe('600');
    expect(await server.stop()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(server.running).toBe(false);
    expect(isAlive(server.pid)).toBe(false);
    expect(await server.stop()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await server.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('shows the end of the log of a server that ends before it is ready', async () => {
    const wanted = await options('fails');
    const error = await failureOf(ServerProcess.start(wanted));
    expect(error.type).toBe('ServerStartFailed');
    expect(error.message).toContain('small server ended (exit code 3) before it was ready');
    expect(error.message).toContain(wanted.logFile);
    expect(error.message).toContain('the reason why it fails');
    expect(error.portTaken).toBe(false);
  });

  it('stops a server that does not get ready in time', async () => {
    const wanted = await options('unready');
    const error = await failureOf(ServerProcess.start({ ...wanted, readyTimeoutMs: 1_000 }));
    expect(error.message).toContain('small server was not ready after 1 s');
    expect(error.message).toContain('starting');
    await expect(answersOk(wanted.url)).rejects.toThrow('ECONNREFUSED');
  });

  it('kills a server that does not stop on SIGTERM', async () => {
    const server = await ServerProcess.start({ ...(await options('stubborn')), stopTimeoutMs: 200 });
    expect(await server.stop()).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await server.logTail()).toEqual(['starting', 'no']);
  });

  it('sends other signals by process id', async () => {
    const server = await ServerProcess.start(await options('ordinary'));
    server.kill('SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    server.kill('SIGKILL');
  });

  it('names the program that is not there', async () => {
    const wanted = await options('ordinary');
    const error = await failureOf(ServerProcess.start({ ...wanted, program: '/nowhere/program' }));
    expect(error.message).toBe('small server could not be started: spawn /nowhere/program ENOENT');
  });

  it('shows of a log that is appended to only what this process wrote', async () => {
    const wanted = await options('ordinary');
    await failureOf(ServerProcess.start({ ...wanted, args: [...wanted.args.slice(0, -1), 'fails'] }));
    const server = await ServerProcess.start(wanted);
    expect(await server.logTail()).toEqual(['starting']);
    await server.stop();
  });
});

describe('withFreePorts', () => {
  it('takes other ports when one is taken in between', async () => {
    const first = await options('ordinary');
    const taker = await ServerProcess.start(first);
    const taken = Number(new URL(first.url).port);
    const tried: number[] = [];
    const server = await withFreePorts([undefined], async ([port = 0]) => {
      tried.push(port);
      const wanted = await options('ordinary', tried.length === 1 ? taken : port);
      // The server that holds the port would answer the probe: ours must be seen to have died.
      return ServerProcess.start({ ...wanted, ready: () => Promise.resolve(false), readyTimeoutMs: 2_000 }).catch(
        async (error: unknown) => {
          if (tried.length === 1) throw error;
          return ServerProcess.start(wanted);
        },
      );
    });
    expect(new Set(tried).size).toBe(2);
    await server.stop();
    await taker.stop();
  });

  it('does not try again on a port that was asked for', async () => {
    const first = await options('ordinary');
    const taker = await ServerProcess.start(first);
    const taken = Number(new URL(first.url).port);
    let attempts = 0;
    const start = withFreePorts([taken], async ([port]) => {
      attempts++;
      const wanted = await options('ordinary', port);
      return ServerProcess.start({ ...wanted, ready: () => Promise.resolve(false) });
    });
    const error = await failureOf(start);
    expect(error.portTaken).toBe(true);
    expect(attempts).toBe(1);
    await taker.stop();
  });

  it('gives no port twice', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).toBe(50);
  });
});

describe('a server and the process that started it', () => {
  async function startParent(how: string): Promise<{ parent: ChildProcess; server: number }> {
    const args = ['--import', 'tsx', '--input-type=module', '-e', parentOfServer, await temporaryFolder(), how];
    const parent = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] },
    });
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    return { parent, server: Number(line) };
  }

  async function isGone(pid: number): Promise<boolean> {
    for (let attempt = 0; attempt < 200 && isAlive(pid); attempt++) await sleep(25);
    return !isAlive(pid);
  }

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'end together on %s',
    async (signal) => {
      const { parent, server } = await startParent('stays');
      expect(isAlive(server)).toBe(true);
      const ended = once(parent, 'exit');
      parent.kill(signal);
      await ended;
      expect(await isGone(server)).toBe(true);
    },
    30_000,
  );

  it.each(['ends', 'throws'])(
    'end together when the parent %s',
    async (how) => {
      const { parent, server } = await startParent(how);
      if (parent.exitCode === null) await once(parent, 'exit');
      expect(await isGone(server)).toBe(true);
    },
    30_000,
  );

  it('part when that is wanted', async () => {
    const { parent, server } = await startParent('detached');
    if (parent.exitCode === null) await once(parent, 'exit');
    await sleep(300);
    expect(isAlive(server)).toBe(true);
    process.kill(server, 'SIGKILL');
    expect(await isGone(server)).toBe(true);
  }, 30_000);
});
