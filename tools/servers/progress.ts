/** Writes one line for a person to read. */
export type Log = (line: string) => void;

/** A log on the error output, so that a command's own output stays clean. */
export function logToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** `45 s`, `1 min 20 s`. */
export function spell(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Tells every few seconds how far a long piece of work is, until that has ended.
 * @param describe what is being done and how far it is, asked for anew each time
 */
export async function withProgress<T>(
  log: Log,
  describe: (elapsedMs: number) => string,
  work: () => Promise<T>,
  everyMs = 5_000,
): Promise<T> {
  const startedAt = Date.now();
  const timer = setInterval(() => {
    log(describe(Date.now() - startedAt));
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
