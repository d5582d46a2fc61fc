import type { RestorePhase } from '../domain/restore/restore.ts';

/** How every command tells a script what came out; documented in `--help` and docs/cli.md. */
export const exitCodes = {
  /** The restore completed, or the command did what it was asked. */
  completed: 0,
  /** A wrong flag, something that cannot be reached, any other error. */
  error: 1,
  partiallyFailed: 2,
  /** Failed or FailedValidation. */
  failed: 3,
  cancelled: 4,
  /** `run` was interrupted; the same command goes on. */
  paused: 5,
  /** A restore of that name has already ended: it was reported, not run again. */
  nameTaken: 6,
} as const;

/** The exit code that the end of a restore gives. A phase that is no end is an error of ours. */
export function exitCodeOf(phase: RestorePhase, cancelled: boolean): number {
  if (cancelled) return exitCodes.cancelled;
  switch (phase) {
    case 'Completed':
      return exitCodes.completed;
    case 'PartiallyFailed':
      return exitCodes.partiallyFailed;
    case 'Failed':
    case 'FailedValidation':
      return exitCodes.failed;
    default:
      return exitCodes.error;
  }
}

/** For `--help`. */
export const EXIT_CODES_HELP = `Exit codes:
  0  Completed, or the command did what it was asked
  1  a wrong flag, something that cannot be reached, any other error
  2  PartiallyFailed: some items were not restored
  3  Failed or FailedValidation
  4  cancelled
  5  paused: the same command goes on
  6  a restore of that name has already ended: reported, not run again`;
