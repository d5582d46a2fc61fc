import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Kills what it was told of as soon as its input ends, which the system sees to however this process dies (a signal,
 * kill -9, a crash): an exit handler alone would not run then. `set --` keeps the list in the shell's own arguments.
 */
const script = `
while read -r word pid; do
  case "$word" in
    add) set -- "$@" "$pid" ;;
    remove)
      kept=
      for one in "$@"; do [ "$one" = "$pid" ] || kept="$kept $one"; done
      set -- $kept ;;
  esac
done
[ $# -eq 0 ] || kill -9 "$@" 2>/dev/null
`;

const children = new Set<number>();
let shell: ChildProcess | undefined;
let exitHandlerInstalled = false;

/** From now on the child dies at the latest when this process does. */
export function bindToThisProcess(pid: number): void {
  if (!exitHandlerInstalled) {
    exitHandlerInstalled = true;
    process.on('exit', killChildren);
  }
  shell ??= startShell();
  children.add(pid);
  tell(`add ${pid}`);
}

/** To be called when the child has ended: its process id may soon belong to another program. */
export function unbind(pid: number): void {
  if (!children.delete(pid)) return;
  tell(`remove ${pid}`);
  if (children.size > 0) return;
  shell?.stdin?.end();
  shell = undefined;
}

function startShell(): ChildProcess {
  // A session of its own, so that Ctrl-C in a terminal ends this process but not the one that cleans up after it.
  const started = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  started.on('error', () => {
    // No shell: the exit handler still does its part.
    shell = undefined;
  });
  started.stdin.on('error', () => {
    shell = undefined;
  });
  started.unref();
  if (started.stdin instanceof Socket) started.stdin.unref();
  return started;
}

function tell(line: string): void {
  shell?.stdin?.write(`${line}\n`);
}

function killChildren(): void {
  for (const pid of children) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended by itself this very moment.
    }
  }
}
