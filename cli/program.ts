import { Command } from 'commander';
import { cancelCommand } from './commands/cancel.ts';
import { createCommand } from './commands/create.ts';
import { deleteCommand } from './commands/delete.ts';
import { describeCommand } from './commands/describe.ts';
import { getCommand } from './commands/get.ts';
import { logsCommand } from './commands/logs.ts';
import { paceCommands } from './commands/pace.ts';
import { runCommand } from './commands/run.ts';
import { workerCommand } from './commands/worker.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** The command line; `end` gets the exit code of the command that ran. */
export function createProgram(terminal: Terminal, end: (exitCode: number) => void): Command {
  const program = new Command('durable-restore')
    .description('Restores Velero backups as Temporal workflows: parallel, resumable, cancellable, visible.')
    .version(version())
    .option('--verbose', 'show what led to an error', false)
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)')
    .configureOutput({
      writeOut: (text) => {
        terminal.out(text);
      },
      writeErr: (text) => {
        terminal.note(text.trimEnd());
      },
    });
  runCommand(program, terminal, end);
  workerCommand(program, terminal, end);
  createCommand(program, terminal, end);
  getCommand(program, terminal);
  describeCommand(program, terminal);
  logsCommand(program, terminal);
  cancelCommand(program, terminal);
  deleteCommand(program, terminal);
  paceCommands(program, terminal);
  return program;
}
