import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { parseHandshake, pluginEnvironment } from './handshake.ts';
import { PluginError } from './pluginError.ts';
import { isPanic, LineSplitter, LogLimiter, type PluginLogger, parseLogLine } from './pluginLog.ts';
import { methodOf } from './protocol.ts';

/** A program with its arguments, e.g. `velero run-plugins`. */
export interface PluginCommand {
  readonly path: string;
  readonly args?: readonly string[];
}

export interface PluginProcessOptions {
  readonly command: PluginCommand;
  /** Those of Velero's server, which plugins read (spec plugin-protocol.md §1). */
  readonly serverArgs: readonly string[];
  /** Beside the worker's own environment. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Private: plugins make their sockets there. */
  readonly socketDirectory: string;
  readonly log: PluginLogger;
  /** Default one minute, as go-plugin's. */
  readonly startTimeoutMs?: number | undefined;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 2_000;
const SHUTDOWN_TIMEOUT_MS = 1_000;

/** Linux: the plugin is killed with the thread that started it, so that a worker that is killed leaves none behind. */
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => process.platform === 'linux' && existsSync(path));

/** One running plugin program (spec plugin-protocol.md §1–§4, §9). */
export class PluginProcess {
  readonly client: Client;
  /** Resolves with why it ended: an exit code or a signal. */
  readonly exited: Promise<string>;
  private ended: string | undefined;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, client: Client, exited: Promise<string>) {
    this.child = child;
    this.client = client;
    this.exited = exited;
    void exited.then((how) => {
      this.ended = how;
      client.close();
    });
  }

  /**
   * Starts the program and connects to it.
   * @throws PluginError `PluginStart` with the file's name; nothing is left running then.
   */
  static async start(options: PluginProcessOptions): Promise<PluginProcess> {
    const name = basename(options.command.path);
    const child = spawnPlugin(options);
    const exited = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => {
        resolve(signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`);
      });
    });
    const killAtExit = (): void => {
      child.kill('SIGKILL');
    };
    process.once('exit', killAtExit);
    void exited.then(() => process.off('exit', killAtExit));
    drainLog(child, options.log);
    try {
      const line = await firstLine(child, exited, name, options.startTimeoutMs ?? START_TIMEOUT_MS);
      const client = new Client(parseHandshake(line, name), credentials.createInsecure(), {
        'grpc.max_receive_message_length': -1,
        'grpc.max_send_message_length': -1,
        'grpc.enable_http_proxy': 0,
      });
      drainStdio(client);
      return new PluginProcess(child, client, exited);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Why it is not running any more; undefined while it is. */
  get end(): string | undefined {
    return this.ended;
  }

  /** Asks it to end, waits up to 2 s, then kills it. Safe to repeat. */
  async stop(): Promise<void> {
    if (this.ended !== undefined) return;
    const { path, requestSerialize, responseDeserialize } = methodOf('plugin.GRPCController', 'Shutdown');
    await new Promise<void>((resolve) => {
      const deadline = Date.now() + SHUTDOWN_TIMEOUT_MS;
      // The answer is normally lost, because the plugin ends at once.
      this.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, { deadline }, () => {
        resolve();
      });
    });
    this.client.close();
    const killer = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(killer);
  }
}

function spawnPlugin({ command, serverArgs, environment, socketDirectory }: PluginProcessOptions): ChildProcess {
  const args = [...(command.args ?? []), ...serverArgs];
  const [file, all] =
    SETPRIV === undefined ? [command.path, args] : [SETPRIV, ['--pdeathsig', 'KILL', '--', command.path, ...args]];
  return spawn(file, all, {
    env: pluginEnvironment({ ...process.env, ...environment }, socketDirectory),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A session of its own: Ctrl-C at the terminal is the worker's to handle.
    detached: true,
  });
}

/** Lines behind the first are of no use, but must be read. */
function firstLine(child: ChildProcess, exited: Promise<string>, name: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => {
      reject(new PluginError('PluginStart', `plugin ${name}: ${what}`));
    };
    const timer = setTimeout(() => {
      fail(`timeout while waiting for plugin to start: no handshake within ${timeoutMs / 1_000} s`);
    }, timeoutMs);
    const lines = new LineSplitter(resolve);
    child.stdout?.on('data', (chunk: Buffer) => {
      lines.add(chunk);
    });
    // What it printed without a line end before it ended still tells what it is.
    child.stdout?.once('end', () => {
      lines.end();
    });
    child.once('error', (error) => {
      fail(error.message);
    });
    void exited.then((how) => {
      clearTimeout(timer);
      setImmediate(fail, `plugin exited before we could connect (${how})`);
    });
    child.stdout?.once('data', () => {
      clearTimeout(timer);
    });
  });
}

function drainLog(child: ChildProcess, log: PluginLogger): void {
  const limiter = new LogLimiter(log);
  let panicking = false;
  const lines = new LineSplitter((line) => {
    limiter.add(parseLogLine(line, panicking));
    panicking ||= isPanic(line);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    lines.add(chunk);
  });
  child.stderr?.once('end', () => {
    lines.end();
    limiter.tellDropped();
  });
}

/** A plugin that prints to its standard output blocks once nobody reads it any more. */
function drainStdio(client: Client): void {
  const { path, requestSerialize, responseDeserialize } = methodOf('plugin.GRPCStdio', 'StreamStdio');
  const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {});
  stream.on('error', () => undefined);
  stream.resume();
}
