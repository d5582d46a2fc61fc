import {
  RestoreCancelled,
  RestoreFailed,
  type RestoreHandle,
  RestoreTerminated,
  RestoreValidationFailed,
} from '../../client/index.ts';
import type { Terminal } from '../terminal.ts';
import { followProgress } from './followProgress.ts';

const ENDS = [RestoreCancelled, RestoreFailed, RestoreTerminated, RestoreValidationFailed];

/**
 * Shows progress until the restore has ended, in whatever phase, or one of `others` resolves.
 * @throws whatever one of `others` rejects with, and RestoreClientErrors that are no end of a restore
 */
export async function waitForEnd(
  handle: RestoreHandle,
  terminal: Terminal,
  others: readonly Promise<'interrupted'>[],
  patienceMs?: number,
): Promise<'ended' | 'interrupted'> {
  const following = new AbortController();
  const shown = followProgress(handle, terminal, following.signal);
  try {
    const ended = untilEnded(handle, following.signal, patienceMs);
    return await Promise.race([ended, ...others]);
  } finally {
    following.abort();
    await shown;
  }
}

async function untilEnded(
  handle: RestoreHandle,
  signal: AbortSignal,
  patienceMs: number | undefined,
): Promise<'ended' | 'interrupted'> {
  try {
    await handle.result({ signal, patienceMs });
    return 'ended';
  } catch (error) {
    if (signal.aborted) return 'interrupted';
    if (ENDS.some((end) => error instanceof end)) return 'ended';
    throw error;
  }
}
