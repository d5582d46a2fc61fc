import { stringify } from 'yaml';
import type { OutputFormat } from './options/commonOptions.ts';
import type { Terminal } from './terminal.ts';

/** Prints a value for programs; keys without a value are left out. */
export function printObject(terminal: Terminal, format: Exclude<OutputFormat, 'table'>, value: object): void {
  const json = JSON.stringify(value, undefined, 2);
  terminal.out(format === 'json' ? `${json}\n` : stringify(JSON.parse(json)));
}
