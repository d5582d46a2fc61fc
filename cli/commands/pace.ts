import type { Command } from 'commander';
import type { Pace, RestoreClient } from '../../client/index.ts';
import { CommandError } from '../commandError.ts';
import { connectToLook } from '../connectRestores.ts';
import {
  addLocalFlags,
  addTemporalFlags,
  addVeleroNamespaceFlag,
  type LocalFlags,
  type TemporalFlags,
} from '../options/commonOptions.ts';
import { integer } from '../options/values.ts';
import type { Terminal } from '../terminal.ts';

interface PaceFlags extends TemporalFlags, LocalFlags {
  readonly namespace: string;
  readonly maxInFlight?: number;
}

const PAUSE_HELP = `
Example:
  durable-restore pause nightly-1

No further item is started; those in flight end. Hooks and waits that have begun go on. "durable-restore resume" goes on.`;

const RESUME_HELP = `
Example:
  durable-restore resume nightly-1`;

const SET_HELP = `
Examples:
  durable-restore set nightly-1 --max-in-flight 16   spare the API server
  durable-restore set nightly-1 --max-in-flight 0    back to the restore's own options`;

/** `durable-restore pause`, `resume` and `set`: how fast a running restore goes. */
export function paceCommands(program: Command, terminal: Terminal): void {
  const change = async (
    flags: PaceFlags,
    name: string,
    update: (restores: RestoreClient) => Promise<Pace>,
  ): Promise<void> => {
    const { restores } = await connectToLook(flags, flags.namespace);
    try {
      terminal.out(`${describePace(name, await update(restores))}\n`);
    } finally {
      await restores.close();
    }
  };

  paceCommand(program, 'pause', 'start no further item of a restore', PAUSE_HELP).action(
    (name: string, flags: PaceFlags) => change(flags, name, (restores) => restores.pause(name)),
  );
  paceCommand(program, 'resume', 'go on with a paused restore', RESUME_HELP).action((name: string, flags: PaceFlags) =>
    change(flags, name, (restores) => restores.resume(name)),
  );
  paceCommand(program, 'set', 'change settings of a running restore', SET_HELP)
    .option(
      '--max-in-flight <number>',
      "activities in flight over the whole restore, 0 for the restore's own options",
      integer,
    )
    .action((name: string, flags: PaceFlags) => {
      const { maxInFlight } = flags;
      if (maxInFlight === undefined) throw new CommandError('NothingToSet', 'nothing to set: give --max-in-flight');
      return change(flags, name, (restores) => restores.setMaxInFlight(name, maxInFlight));
    });
}

function paceCommand(program: Command, name: string, summary: string, help: string): Command {
  const command = program
    .command(name)
    .summary(summary)
    .description(`${summary[0]?.toUpperCase() ?? ''}${summary.slice(1)}.`)
    .argument('<name>', 'restore');
  addVeleroNamespaceFlag(command);
  addTemporalFlags(command);
  addLocalFlags(command);
  return command.addHelpText('after', help);
}

function describePace(name: string, { paused, maxInFlight }: Pace): string {
  const limit = maxInFlight === 0 ? 'as its options say' : `at most ${maxInFlight} activities in flight`;
  return paused ? `Restore "${name}" is paused.` : `Restore "${name}" goes on, ${limit}.`;
}
