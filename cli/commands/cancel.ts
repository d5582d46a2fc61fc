import type { Command } from 'commander';
import { connectToLook } from '../connectRestores.ts';
import {
  addLocalFlags,
  addTemporalFlags,
  addVeleroNamespaceFlag,
  type LocalFlags,
  type TemporalFlags,
} from '../options/commonOptions.ts';
import type { Terminal } from '../terminal.ts';

interface CancelFlags extends TemporalFlags, LocalFlags {
  readonly namespace: string;
}

const EXAMPLES = `
Examples:
  durable-restore cancel nightly-1

Items that are being restored are ended, no new one is started, and the result files are written. What was restored stays.
Needs a worker of the cluster, as the restore itself does.`;

/** `durable-restore cancel`: asks a running restore to end. */
export function cancelCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('cancel')
    .summary('cancel a running restore')
    .description('Cancels a running restore.')
    .argument('<name>', 'restore');
  addVeleroNamespaceFlag(command);
  addTemporalFlags(command);
  addLocalFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (name: string, flags: CancelFlags) => {
    const { restores } = await connectToLook(flags, flags.namespace);
    try {
      await restores.cancel(name);
      terminal.out(`Cancellation of restore "${name}" requested.\n`);
    } finally {
      await restores.close();
    }
  });
}
