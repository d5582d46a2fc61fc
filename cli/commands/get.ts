import type { Command } from 'commander';
import { restoreTable } from '../../domain/describe/restoreTable.ts';
import { parseLabelSelector } from '../../domain/kubernetes/labelSelectorText.ts';
import { toManifestObject } from '../../domain/restore/restoreManifest.ts';
import { CommandError } from '../commandError.ts';
import { fromDescription, type KnownRestore, lookUp } from '../lookUp.ts';
import { type LookFlags, type OpenRestores, withRestores } from '../openRestores.ts';
import {
  addLocalFlags,
  addOutputFlag,
  addTemporalFlags,
  addVeleroNamespaceFlag,
  type OutputFlags,
} from '../options/commonOptions.ts';
import { addStorageLocationFlags } from '../options/storageLocationOptions.ts';
import { positiveInteger } from '../options/values.ts';
import { printObject } from '../printObject.ts';
import type { Terminal } from '../terminal.ts';

interface GetFlags extends LookFlags, OutputFlags {
  readonly selector?: string;
  readonly labelColumns?: string;
  readonly showLabels: boolean;
  readonly limit: number;
}

const EXAMPLES = `
Examples:
  durable-restore get
  durable-restore get nightly-1 -o yaml
  durable-restore get --local

Names that Temporal has forgotten are found in the restore's files, where a location is given.`;

/** `durable-restore get`: the table of restores. */
export function getCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('get')
    .summary('list restores')
    .description('Lists restores, the newest first.')
    .argument('[names...]', 'restores to show (default: all of the cluster)')
    .option('-l, --selector <selector>', 'only restores with these labels')
    .option('-L, --label-columns <labels>', 'labels that get a column of their own, separated by commas')
    .option('--show-labels', 'show all labels in a last column', false)
    .option('--limit <number>', 'how many to show', positiveInteger, 100);
  addVeleroNamespaceFlag(command);
  addOutputFlag(command, 'the list');
  addTemporalFlags(command);
  addLocalFlags(command);
  addStorageLocationFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (names: string[], flags: GetFlags) => {
    if (names.length > 0 && flags.selector !== undefined) {
      throw new CommandError('Usage', '--selector cannot be used with names');
    }
    const found = await withRestores(flags, terminal, (open) => find(open, names, flags));
    print(terminal, found, flags);
  });
}

async function find(
  { restores, files }: OpenRestores,
  names: readonly string[],
  flags: GetFlags,
): Promise<KnownRestore[]> {
  if (names.length > 0) {
    const found: KnownRestore[] = [];
    for (const name of names) found.push(await lookUp(name, restores, files));
    return found;
  }
  if (restores === undefined) {
    throw new CommandError('Usage', 'without a Temporal server only restores with a given name can be shown');
  }
  const matches = parseLabelSelector(flags.selector ?? '');
  const listed = (await restores.list({ limit: flags.limit })).map(fromDescription);
  return listed.filter(({ restore }) => matches(restore.labels ?? {}));
}

function print(terminal: Terminal, found: readonly KnownRestore[], flags: GetFlags): void {
  if (flags.output === 'table') {
    const labelColumns = flags.labelColumns?.split(',') ?? [];
    if (found.length === 0) terminal.note('no restores found');
    else terminal.out(restoreTable(found, { labelColumns, showLabels: flags.showLabels }));
    return;
  }
  const [only, ...others] = found.map(toObject);
  const list = { apiVersion: 'velero.io/v1', kind: 'RestoreList', items: found.map(toObject) };
  printObject(terminal, flags.output, only !== undefined && others.length === 0 ? only : list);
}

/** As Velero prints the Restore object. */
function toObject({ restore, status, createdAt }: KnownRestore): object {
  const { apiVersion, kind, metadata, spec } = toManifestObject(restore);
  return { apiVersion, kind, metadata: { ...(metadata as object), creationTimestamp: createdAt }, spec, status };
}
