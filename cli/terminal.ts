import { createLogUpdate } from 'log-update';

/** Where a command writes: results to `out`, everything about them to `note`. */
export interface Terminal {
  /** To the standard output, as it is. */
  out(text: string): void;
  /** A line to the error output. */
  note(line: string): void;
  /** Replaces what was drawn last on the error output; an empty text takes it away. Only where `interactive`. */
  draw(text: string): void;
  /** Whether the error output is a terminal that can be redrawn. */
  readonly interactive: boolean;
  /** Whether the standard output may have colours. */
  readonly coloured: boolean;
  readonly columns: number;
}

/** The terminal of this process. `NO_COLOR` and `TERM=dumb` are honoured. */
export function processTerminal(environment: NodeJS.ProcessEnv = process.env): Terminal {
  const dumb = environment['TERM'] === 'dumb';
  const interactive = process.stderr.isTTY && !dumb;
  const panel = createLogUpdate(process.stderr, { showCursor: true });
  return {
    out: (text) => {
      process.stdout.write(text);
    },
    note: (line) => {
      if (interactive) panel.clear();
      process.stderr.write(`${line}\n`);
    },
    draw: (text) => {
      if (!interactive) return;
      if (text === '') panel.clear();
      else panel(text);
    },
    interactive,
    coloured: process.stdout.isTTY && !dumb && !environment['NO_COLOR'],
    get columns() {
      return process.stderr.columns || 100;
    },
  };
}
