import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errorCode } from '../errorParts.ts';

/** Whether a process of that id runs on this machine, also one of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** The arguments that a process was started with, joined by blanks; undefined where it is gone or may not be looked at. */
export async function commandLine(pid: number): Promise<string | undefined> {
  try {
    const content = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    return content === '' ? undefined : content.replaceAll('\0', ' ').trim();
  } catch {
    return commandLineFromPs(pid);
  }
}

/** Systems without /proc. */
async function commandLineFromPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Ends a process: SIGTERM, and SIGKILL where that does not end it in time. Returns when it has ended. */
export async function stopProcess(pid: number, timeoutMs = 15_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  signal(pid, 'SIGTERM');
  while (isAlive(pid)) {
    if (Date.now() > deadline) signal(pid, 'SIGKILL');
    await sleep(50);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended this very moment.
  }
}
