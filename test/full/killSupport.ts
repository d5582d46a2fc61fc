import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectFolder } from '../../tools/compose/composeFile.ts';

const SOURCES = ['domain', 'adapters', 'activities', 'workflows', 'worker', 'client', 'cli'];

/**
 * A copy of the build with the project's modules beside it: another build at the same time does not pull it away from under running
 * processes. Builds first where the build is missing or older than its sources.
 * @returns path of the command.
 */
export function copyOfBuild(directory: string): string {
  const built = join(projectFolder, 'dist', 'workflow-bundle.js');
  const newest = Math.max(...SOURCES.map((room) => newestChange(join(projectFolder, room))));
  if (!existsSync(built) || statSync(built).mtimeMs < newest) {
    execFileSync('npm', ['run', 'build'], { cwd: projectFolder, stdio: 'inherit' });
  }
  cpSync(join(projectFolder, 'dist'), join(directory, 'dist'), { recursive: true });
  symlinkSync(join(projectFolder, 'node_modules'), join(directory, 'node_modules'));
  return join(directory, 'dist', 'cli', 'main.js');
}

function newestChange(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return Math.max(...files.map((name) => statSync(join(folder, name)).mtimeMs));
}

/** A running `durable-restore` command. */
export class CommandProcess {
  readonly pid: number;
  output = '';
  errors = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;

  constructor(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    this.child = spawn(process.execPath, [command, ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (this.child.pid === undefined) throw new Error(`cannot start ${command}`);
    this.pid = this.child.pid;
    this.exited = once(this.child, 'exit');
    this.child.stdout?.on('data', (data: Buffer) => (this.output += data.toString()));
    this.child.stderr?.on('data', (data: Buffer) => (this.errors += data.toString()));
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits for its end. @returns the exit code, or the signal that ended it. */
  async ended(): Promise<number | string> {
    if (this.isRunning) await this.exited;
    return this.child.exitCode ?? this.child.signalCode ?? 'unknown';
  }

  /** Ends this one process, as a crash would: nothing of it is told. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended();
  }
}

/** Asks every 50 ms until the answer is yes. @throws Error when it took longer than `timeoutMs`, or a process that it needs has ended */
export async function waitUntil(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { needs = [], timeoutMs = 300_000 }: { needs?: readonly CommandProcess[]; timeoutMs?: number } = {},
): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !(await isSo()); await sleep(50)) {
    const ended = needs.find(({ isRunning }) => !isRunning);
    if (ended !== undefined) throw new Error(`waiting for ${what}: a process ended\n${ended.output}${ended.errors}`);
    if (Date.now() > deadline) throw new Error(`waited ${String(timeoutMs / 1_000)} s in vain for ${what}`);
  }
}

export interface Create {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** HTTP status of the answer; undefined where nobody was there any more to get one. */
  readonly code: number | undefined;
}

interface AuditEvent {
  readonly verb: string;
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
}

/** Every request to create a ConfigMap in a namespace, those of the API server's own controllers left out, in order. */
export async function createsIn(auditLog: string, namespace: string): Promise<Create[]> {
  const text = await readFile(auditLog, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.includes('"verb":"create"') && line.endsWith('}'));
  return lines.flatMap((line) => {
    const { objectRef, responseStatus, requestReceivedTimestamp } = JSON.parse(line) as AuditEvent;
    const isOne = objectRef?.resource === 'configmaps' && objectRef.namespace === namespace;
    const { name = '' } = objectRef ?? {};
    if (!isOne || name === 'kube-root-ca.crt') return [];
    return [{ name, at: Date.parse(requestReceivedTimestamp), code: responseStatus?.code }];
  });
}

/** Longest time between two creates, in milliseconds. */
export function longestGap(creates: readonly Create[], from = 0): number {
  const times = creates.map(({ at }) => at).sort((a, b) => a - b);
  let longest = 0;
  for (const [position, at] of times.entries()) {
    const before = times[position - 1];
    if (before !== undefined && at >= from) longest = Math.max(longest, at - before);
  }
  return longest;
}
