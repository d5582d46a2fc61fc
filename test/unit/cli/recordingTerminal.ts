import type { Terminal } from '../../../cli/terminal.ts';

/** A terminal that keeps what is written to it. */
export class RecordingTerminal implements Terminal {
  output = '';
  readonly notes: string[] = [];
  readonly drawn: string[] = [];
  readonly interactive: boolean = false;
  readonly coloured: boolean = false;
  readonly columns = 100;

  out(text: string): void {
    this.output += text;
  }

  note(line: string): void {
    this.notes.push(line);
  }

  draw(text: string): void {
    this.drawn.push(text);
  }
}
