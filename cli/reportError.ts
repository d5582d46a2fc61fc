import { RestoreNameTaken, RestoreValidationFailed } from '../client/index.ts';
import { printable } from '../domain/describe/printable.ts';
import { CommandError } from './commandError.ts';
import { exitCodes } from './exitCodes.ts';
import type { Terminal } from './terminal.ts';

/** Says on one line what went wrong; with `verbose` also what led to it. @returns the exit code */
export function reportError(error: unknown, terminal: Terminal, verbose: boolean): number {
  terminal.note(`error: ${printable(messageOf(error))}`);
  if (verbose) {
    for (const line of detailsOf(error)) terminal.note(`  ${line}`);
  } else if (isUnexpected(error)) {
    terminal.note('  (--verbose shows more)');
  }
  return exitCodeOfError(error);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? error.name : error.message;
}

function exitCodeOfError(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof RestoreNameTaken) return exitCodes.nameTaken;
  if (error instanceof RestoreValidationFailed) return exitCodes.failed;
  return exitCodes.error;
}

/** Errors of ours have a type and say everything in their message. */
function isUnexpected(error: unknown): boolean {
  return !(error instanceof Error && 'type' in error);
}

function detailsOf(error: unknown): string[] {
  const lines: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    lines.push(...(at.stack ?? at.message).split('\n'));
  }
  return lines;
}
