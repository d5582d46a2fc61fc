import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { hasCode } from './errors.ts';

export interface CommandOptions {
  readonly directory?: string;
  /** The whole environment of the command; default: this process's. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Called for each line the command writes on its error output. */
  readonly onErrorLine?: (line: string) => void;
  /** Killed with SIGKILL after that many milliseconds; default: never. */
  readonly timeoutMs?: number;
}

export interface CommandResult {
  /** Exit code; 127 when the program cannot be run, 128 plus its number when a signal ended it, as in a shell. */
  readonly code: number;
  readonly output: string;
  /** The last lines of the error output. */
  readonly errorTail: readonly string[];
  /** The program itself was not found. */
  readonly notFound: boolean;
}

const tailLines = 20;

/** Runs a program to its end and returns what came of it; never rejects because of the program's own failure. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: options.environment ?? process.env,
      ...(options.directory === undefined ? {} : { cwd: options.directory }),
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const }),
    });
    const output: Buffer[] = [];
    const errorTail: string[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    createInterface({ input: child.stderr }).on('line', (line) => {
      errorTail.push(line);
      if (errorTail.length > tailLines) errorTail.shift();
      options.onErrorLine?.(line);
    });
    const finish = (code: number, notFound: boolean): void => {
      resolve({ code, output: Buffer.concat(output).toString('utf8'), errorTail, notFound });
    };
    child.once('error', (error) => {
      errorTail.push(error.message);
      finish(127, hasCode(error, 'ENOENT'));
    });
    child.once('close', (code, signal) => {
      finish(code ?? 128 + (signal === null ? 0 : constants.signals[signal]), false);
    });
  });
}
