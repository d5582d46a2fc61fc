import { isNativeError } from 'node:util/types';
import { RestoreNameTaken, RestoreValidationFailed } from '../client/index.ts';
import { printable } from '../domain/describe/printable.ts';
import { CommandError } from './commandError.ts';
import { errorMessage } from './errorParts.ts';
import { exitCodes } from './exitCodes.ts';
import type { Terminal } from './terminal.ts';

/** Says on one line what went wrong; with `verbose` also what led to it. @returns the exit code */
export function reportError(error: unknown, terminal: Terminal, verbose: boolean): number {
  terminal.note(`error: ${printable(errorMessage(error))}`);
  if (verbose) {
    for (const line of detailsOf(error)) terminal.note(`  ${line}`);
  } else if (isUnexpected(error)) {
    terminal.note('  (--verbose shows more)');
  }
  return exitCodeOfError(error);
}

function exitCodeOfError(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof RestoreNameTaken) return exitCodes.nameTaken;
  if (error instanceof RestoreValidationFailed) return exitCodes.failed;
  return exitCodes.error;
}

/** Errors of ours have a type and say everything in their message. */
function isUnexpected(error: unknown): boolean {
  return !(isNativeError(error) && 'type' in error);
}

function detailsOf(error: unknown): string[] {
  const lines: string[] = [];
  for (let at = error, depth = 0; isNativeError(at) && depth < 8; at = at.cause, depth++) {
    lines.push(...(at.stack ?? at.message).split('\n'));
  }
  return lines;
}
