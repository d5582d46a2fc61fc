import { setTimeout as sleep } from 'node:timers/promises';
import {
  RestoreClientError,
  type RestoreHandle,
  RestoreNotFound,
  type RestoreProgressReport,
} from '../../client/index.ts';
import type { Terminal } from '../terminal.ts';
import { progressLine, progressPanel, progressView } from './progressText.ts';
import { RateMeter } from './rateMeter.ts';

const PANEL_INTERVAL_MS = 500;
const LINE_INTERVAL_MS = 5_000;
/** A worker that is just starting is no news. */
const SILENCE_MS = 15_000;

/**
 * Shows how far a restore has come until `signal` fires: a panel that is redrawn, or a line every five seconds where the error
 * output is no terminal. Never throws: what cannot be asked now is asked again.
 */
export async function followProgress(handle: RestoreHandle, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const meter = new RateMeter();
  const interval = terminal.interactive ? PANEL_INTERVAL_MS : LINE_INTERVAL_MS;
  let answeredAt = Date.now();
  let last = '';
  const stopped = (): boolean => signal.aborted;
  while (!stopped()) {
    const asked = await ask(handle);
    if (stopped()) break;
    if (typeof asked === 'object') {
      answeredAt = Date.now();
      meter.add(answeredAt, asked.itemsDone);
      const view = progressView(handle.name, asked, meter);
      if (terminal.interactive) terminal.draw(progressPanel(view, terminal.columns));
      else last = noteOnce(terminal, progressLine(view), last);
    } else if (Date.now() - answeredAt > SILENCE_MS) {
      if (terminal.interactive) terminal.draw(`${handle.name}: ${asked}`);
      else last = noteOnce(terminal, `${handle.name}: ${asked}`, last);
    }
    await sleep(interval, undefined, { signal }).catch(() => undefined);
  }
  terminal.draw('');
}

async function ask(handle: RestoreHandle): Promise<RestoreProgressReport | string> {
  try {
    return await handle.progress();
  } catch (error) {
    if (error instanceof RestoreNotFound) return 'ended';
    if (error instanceof RestoreClientError) return error.message;
    throw error;
  }
}

/** A line that says what the one before it said is no news. */
function noteOnce(terminal: Terminal, line: string, last: string): string {
  if (line !== last) terminal.note(line);
  return line;
}
