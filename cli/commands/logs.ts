import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Command } from 'commander';
import { CommandError } from '../commandError.ts';
import { lookUp } from '../lookUp.ts';
import { type LookFlags, openFiles, withRestores } from '../openRestores.ts';
import { addLocalFlags, addTemporalFlags, addVeleroNamespaceFlag } from '../options/commonOptions.ts';
import { addStorageLocationFlags } from '../options/storageLocationOptions.ts';
import type { RestoreFiles } from '../restoreFiles.ts';
import type { Terminal } from '../terminal.ts';

const EXAMPLES = `
Examples:
  durable-restore logs nightly-1 --storage-location location.yaml
  durable-restore logs nightly-1 --backup-dir /srv/velero | grep level=error`;

/** `durable-restore logs`: the log of a restore that has ended. */
export function logsCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('logs')
    .summary("print a restore's log")
    .description('Prints the log of a restore that has ended, as velero restore logs does.')
    .argument('<name>', 'restore');
  addVeleroNamespaceFlag(command);
  addStorageLocationFlags(command);
  addTemporalFlags(command);
  addLocalFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (name: string, flags: LookFlags) => {
    const files = await openFiles(flags);
    if (files === undefined) {
      throw new CommandError(
        'Usage',
        "the log is in the restore's files: give --storage-location FILE, --backup-dir DIRECTORY or --bucket BUCKET",
      );
    }
    const log = await files.log(name);
    if (log === undefined) throw await whyNoLog(name, files, flags, terminal);
    await pipeline(Readable.from(log), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      const decoder = new TextDecoder();
      for await (const chunk of chunks) terminal.out(decoder.decode(chunk, { stream: true }));
    });
  });
}

async function whyNoLog(
  name: string,
  files: RestoreFiles,
  flags: LookFlags,
  terminal: Terminal,
): Promise<CommandError> {
  const { status } = await withRestores(flags, terminal, (open) => lookUp(name, open.restores, files));
  const ended = ['Completed', 'PartiallyFailed', 'Failed'].includes(status.phase);
  if (ended)
    return new CommandError('LogMissing', `restore ${name} (${status.phase}) has left no log in ${files.description}`);
  if (status.phase === 'FailedValidation') {
    return new CommandError(
      'LogMissing',
      `restore ${name} failed validation and has no log: durable-restore describe ${name} shows why`,
    );
  }
  return new CommandError(
    'LogNotReady',
    `the log of restore ${name} is not available until it has ended: its phase is ${status.phase}`,
  );
}
