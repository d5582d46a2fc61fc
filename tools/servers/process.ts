import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../domain/messageOf.ts';
import { bindToThisProcess, unbind } from './watchdog.ts';

export interface ServerProcessOptions {
  /** Name for messages. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Gets the output of the server, readable for its owner only. Appended to, so that it survives a restart. */
  readonly logFile: string;
  /** Whole environment of the server; default: this process's. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Asked until it says yes; a rejection counts as no. Gets a signal that fires after two seconds. */
  readonly ready: (signal: AbortSignal) => Promise<boolean>;
  /** How long the server may take to get ready. Milliseconds, default 60 s. */
  readonly readyTimeoutMs?: number;
  /** How long the server may take to stop before it is killed. Milliseconds, default 15 s. */
  readonly stopTimeoutMs?: number;
  /** The server goes on when this process ends. Default false: it is killed then, however this process ends. */
  readonly outlivesParent?: boolean;
}

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server that could not be started, or did not get ready in time; the message carries the end of its log. */
export class ServerStartFailed extends Error {
  readonly type = 'ServerStartFailed';
  /** It failed because another process listens on its port. */
  readonly portTaken: boolean;

  constructor(message: string, portTaken: boolean) {
    super(message);
    this.name = 'ServerStartFailed';
    this.portTaken = portTaken;
  }
}

/** A server running as a child process. */
export class ServerProcess {
  readonly name: string;
  readonly program: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the process has ended. Waiting for it alone does not keep this process running. */
  readonly exited: Promise<ServerExit>;
  readonly #child: ChildProcess;
  readonly #stopTimeoutMs: number;
  readonly #logStart: number;
  #exit: ServerExit | undefined;

  private constructor(options: ServerProcessOptions, child: ChildProcess, pid: number, logStart: number) {
    this.name = options.name;
    this.program = options.program;
    this.logFile = options.logFile;
    this.pid = pid;
    this.#child = child;
    this.#stopTimeoutMs = options.stopTimeoutMs ?? 15_000;
    this.#logStart = logStart;
    if (!options.outlivesParent) bindToThisProcess(pid);
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exit = { code, signal };
        unbind(pid);
        resolve(this.#exit);
      });
    });
  }

  /**
   * Starts the server and waits until it is ready. A server that does not get ready is stopped again.
   * @throws ServerStartFailed with the end of the server's log
   */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const server = await ServerProcess.#launch(options);
    try {
      await server.#untilReady(options);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  static async #launch(options: ServerProcessOptions): Promise<ServerProcess> {
    await mkdir(dirname(options.logFile), { recursive: true, mode: 0o700 });
    const log = await open(options.logFile, 'a', 0o600);
    try {
      const logStart = (await log.stat()).size;
      const child = spawn(options.program, options.args, {
        // A group of its own: Ctrl-C in a terminal is for this process, which then stops its servers in order.
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        env: options.environment ?? process.env,
      });
      // A forgotten server must not keep this process from ending.
      child.unref();
      await once(child, 'spawn');
      return new ServerProcess(options, child, child.pid ?? 0, logStart);
    } catch (error) {
      throw new ServerStartFailed(`${options.name} could not be started: ${messageOf(error)}`, false);
    } finally {
      await log.close();
    }
  }

  /** Whether the process has not ended yet. */
  get running(): boolean {
    return this.#exit === undefined;
  }

  /** Sends a signal to the process; does nothing when it has ended. */
  kill(signal: NodeJS.Signals): void {
    if (this.running) this.#child.kill(signal);
  }

  /** Ends the process: SIGTERM, and SIGKILL when that does not end it in time. Returns when it has ended. */
  async stop(): Promise<ServerExit> {
    // Else this process could end of itself while it waits, with nothing but an unreferenced child left.
    if (this.running) this.#child.ref();
    this.kill('SIGTERM');
    const deadline = new AbortController();
    const late = sleep(this.#stopTimeoutMs, undefined, { signal: deadline.signal }).then(
      () => {
        this.kill('SIGKILL');
      },
      () => undefined,
    );
    try {
      return await this.exited;
    } finally {
      deadline.abort();
      await late;
    }
  }

  /** The last lines that this process wrote to its log. */
  async logTail(lines = 15): Promise<string[]> {
    const size = (await stat(this.logFile)).size;
    const from = Math.max(this.#logStart, size - 64 * 1024);
    const file = await open(this.logFile, 'r');
    try {
      const buffer = Buffer.alloc(Math.max(size - from, 0));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
      return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-lines);
    } finally {
      await file.close();
    }
  }

  async #untilReady(options: ServerProcessOptions): Promise<void> {
    const timeoutMs = options.readyTimeoutMs ?? 60_000;
    const deadline = Date.now() + timeoutMs;
    let pauseMs = 20;
    while (this.running && Date.now() < deadline) {
      const answered = await options.ready(AbortSignal.timeout(2_000)).catch(() => false);
      // What the probe of a dead server found out is worth nothing: somebody else listens on that port.
      if (answered && this.#exit === undefined) return;
      await Promise.race([sleep(pauseMs), this.exited]);
      pauseMs = Math.min(pauseMs * 1.5, 250);
    }
    throw await this.#startFailure(`was not ready after ${Math.round(timeoutMs / 1000)} s`);
  }

  async #startFailure(otherwise: string): Promise<ServerStartFailed> {
    const what =
      this.#exit === undefined
        ? otherwise
        : `ended (${this.#exit.signal ?? `exit code ${this.#exit.code ?? 'unknown'}`}) before it was ready`;
    const tail = (await this.logTail()).join('\n  ');
    const message = `${this.name} ${what}; the end of ${this.logFile}:\n  ${tail}`;
    // Looked for further up: what a server says of its port may be followed by a long trace.
    const portTaken = (await this.logTail(500)).some((line) => /address already in use/i.test(line));
    return new ServerStartFailed(message, portTaken);
  }
}
