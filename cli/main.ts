#!/usr/bin/env node
import { CommanderError } from 'commander';
import { withExplicitBooleans } from './argv.ts';
import { exitCodes } from './exitCodes.ts';
import { OPTIONAL_BOOLEANS } from './options/restoreOptions.ts';
import { createProgram } from './program.ts';
import { reportError } from './reportError.ts';
import { processTerminal } from './terminal.ts';

async function main(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  let exitCode: number = exitCodes.completed;
  const program = createProgram(terminal, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(withExplicitBooleans(argv, OPTIONAL_BOOLEANS), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has said what is wrong, or has shown what was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.completed : exitCodes.error;
    return reportError(error, terminal, argv.includes('--verbose'));
  }
}

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.completed);
});
const exitCode = await main(process.argv.slice(2));
// At once: connections that were given up may hold the process for seconds. What was written goes out first.
process.stdout.write('', () => {
  process.exit(exitCode);
});
