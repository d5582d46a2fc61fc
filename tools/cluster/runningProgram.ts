import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../servers/command.ts';

/** The command line of a process, its words separated by spaces; undefined when there is no such process. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    // Empty also for a process that has ended but was not yet collected by its parent.
    return words === '' ? undefined : words.split('\0').join(' ').trimEnd();
  }
  const { code, output } = await runCommand('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return code === 0 && output.trim() !== '' ? output.trim() : undefined;
}

/**
 * Whether the process with that id is the program we started on that directory: process ids are given out anew, and
 * stopping somebody else's process must not happen.
 */
export async function isThatProgram(pid: number, program: string, directory: string): Promise<boolean> {
  const found = await commandLine(pid);
  return found !== undefined && found.startsWith(`${program} `) && found.includes(directory);
}

/**
 * Stops a process that is that program: SIGTERM, and SIGKILL when it has not ended after `timeoutMs`.
 * @returns false when no such process was running
 */
export async function stopProgram(
  pid: number,
  program: string,
  directory: string,
  timeoutMs = 30_000,
): Promise<boolean> {
  if (!(await isThatProgram(pid, program, directory))) return false;
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + timeoutMs;
  let killed = false;
  while (await isThatProgram(pid, program, directory)) {
    if (!killed && Date.now() > deadline) {
      process.kill(pid, 'SIGKILL');
      killed = true;
    }
    await sleep(100);
  }
  return true;
}
