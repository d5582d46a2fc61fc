import { readFileSync } from 'node:fs';

/** Clock ticks per second of `/proc/<pid>/stat` on every Linux that runs Node. */
const TICKS_PER_SECOND = 100;

export interface ProcessFigures {
  /** User and system time so far. */
  readonly cpuSeconds: number;
  /** Most memory resident at a time. */
  readonly peakMiB: number;
}

/** What the kernel says of a running process. Linux only. */
export function processFigures(pid: number): ProcessFigures {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in brackets, may hold anything; the fields behind it do not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks = 0, systemTicks = 0] = fields.slice(11, 13).map(Number);
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return {
    cpuSeconds: (userTicks + systemTicks) / TICKS_PER_SECOND,
    peakMiB: Math.round(Number(peak?.[1] ?? 0) / 1024),
  };
}
