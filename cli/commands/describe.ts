import type { Command } from 'commander';
import { Option } from 'commander';
import { describeRestore, type Paint } from '../../domain/describe/describeRestore.ts';
import { describeRestoreJson } from '../../domain/describe/describeRestoreJson.ts';
import type { RestoreDescription } from '../../domain/describe/restoreDescription.ts';
import { CommandError } from '../commandError.ts';
import { lookUp } from '../lookUp.ts';
import { type LookFlags, type OpenRestores, withRestores } from '../openRestores.ts';
import { addLocalFlags, addTemporalFlags, addVeleroNamespaceFlag } from '../options/commonOptions.ts';
import { addStorageLocationFlags } from '../options/storageLocationOptions.ts';
import { workflowUrl } from '../run/summarize.ts';
import type { Terminal } from '../terminal.ts';

interface DescribeFlags extends LookFlags {
  readonly details: boolean;
  readonly output: 'text' | 'json';
}

const EXAMPLES = `
Examples:
  durable-restore describe nightly-1
  durable-restore describe nightly-1 --details --storage-location location.yaml

Warnings, errors and the list of resources are in the restore's files: they are shown where a location is given by a
flag or by DURABLE_RESTORE_STORAGE_LOCATION. The files are enough after Temporal has forgotten the restore.`;

/** `durable-restore describe`: everything about a restore. */
export function describeCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('describe')
    .summary('show everything about a restore')
    .description('Shows a restore as velero restore describe does.')
    .argument('<names...>', 'restores to describe')
    .option('--details', 'list the restored resources and the hooks as well', false)
    .addOption(new Option('-o, --output <format>', 'format').choices(['text', 'json']).default('text'));
  addVeleroNamespaceFlag(command);
  addTemporalFlags(command);
  addLocalFlags(command);
  addStorageLocationFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (names: string[], flags: DescribeFlags) => {
    if (flags.output === 'json' && names.length > 1) throw new CommandError('Usage', '--output json takes one name');
    await withRestores(flags, terminal, async (open) => {
      const texts: string[] = [];
      for (const name of names) texts.push(render(await collect(open, name, terminal, flags), terminal, flags));
      terminal.out(texts.join('\n\n'));
    });
  });
}

async function collect(
  { restores, files, uiUrl }: OpenRestores,
  name: string,
  terminal: Terminal,
  { details }: DescribeFlags,
): Promise<RestoreDescription> {
  const { restore, status, description } = await lookUp(name, restores, files);
  if (description?.notice !== undefined) terminal.note(`note: ${description.notice}`);
  if (files === undefined && (details || (status.warnings ?? 0) + (status.errors ?? 0) > 0)) {
    terminal.note(
      "note: messages and resources are in the restore's files: --storage-location, --backup-dir or --bucket show them",
    );
  }
  return {
    restore,
    status,
    results: await files?.results(name),
    volumeInfo: await files?.volumeInfo(name),
    details,
    resourceList: details ? await files?.resourceList(name) : undefined,
    itemOperations: details ? await files?.itemOperations(name) : undefined,
    hooks: details ? await files?.hooks(name) : undefined,
    waits: description?.progress?.waits,
    extra: {
      workflowId: description?.workflowId,
      uiUrl:
        uiUrl === undefined || description === undefined
          ? undefined
          : workflowUrl(uiUrl, 'default', description.workflowId, description.runId),
    },
  };
}

function render(description: RestoreDescription, terminal: Terminal, { output }: DescribeFlags): string {
  if (output === 'json') return describeRestoreJson(description);
  return describeRestore(description, terminal.coloured ? paint : undefined);
}

const CODES = { green: 32, red: 31 } as const;
const paint: Paint = (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m`;
