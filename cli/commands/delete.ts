import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { RestoreClient } from '../../client/index.ts';
import { CommandError } from '../commandError.ts';
import { errorMessage } from '../errorParts.ts';
import { fromDescription, type KnownRestore, lookUp } from '../lookUp.ts';
import { type LookFlags, type OpenRestores, withRestores } from '../openRestores.ts';
import { addLocalFlags, addTemporalFlags, addVeleroNamespaceFlag } from '../options/commonOptions.ts';
import { addStorageLocationFlags } from '../options/storageLocationOptions.ts';
import type { RestoreFiles } from '../restoreFiles.ts';
import type { Terminal } from '../terminal.ts';

interface DeleteFlags extends LookFlags {
  readonly confirm: boolean;
  readonly all: boolean;
}

const EXAMPLES = `
Examples:
  durable-restore delete nightly-1 --storage-location location.yaml
  durable-restore delete nightly-1 nightly-2 --confirm --backup-dir /srv/velero
  durable-restore delete --all --confirm --storage-location location.yaml

Deletes what a restore that has ended has left in the object store, and its history in Temporal; its name is free again. What was
restored stays in the cluster. A restore that runs has to be cancelled first. Where one of several cannot be found, none is deleted.`;

/** Restores that one `--all` takes. */
const ALL = 1_000;

/** `durable-restore delete`: forgets restores that have ended (spec restore-pipeline.md §28, cli-and-status.md §5). */
export function deleteCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('delete')
    .summary('delete restores that have ended')
    .description("Deletes restores' files and history; what was restored stays in the cluster.")
    .argument('[names...]', 'restores')
    .option('--all', 'every restore of the cluster that has ended', false)
    .option('--confirm', 'do not ask', false);
  addVeleroNamespaceFlag(command);
  addTemporalFlags(command);
  addLocalFlags(command);
  addStorageLocationFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (names: string[], flags: DeleteFlags) => {
    if (names.length > 0 === flags.all) {
      throw new CommandError('Usage', 'exactly one of names and --all has to be given');
    }
    await withRestores(flags, terminal, async (open) => {
      const found = flags.all ? await allEnded(open) : await findEach(open, names);
      if (found.length === 0) {
        terminal.out('No restores found\n');
        return;
      }
      const running = found.find((one) => mayRun(one, open));
      if (running !== undefined) {
        throw new CommandError(
          'StillRunning',
          `restore ${running.restore.name} ${open.restores === undefined ? 'may be' : 'is'} running (${running.status.phase}): cancel it first, nothing is deleted`,
        );
      }
      if (!flags.confirm && !(await isSure(terminal, found))) return;
      for (const { restore } of found) await deleteOne(terminal, open, restore.name);
    });
  });
}

/** Without Temporal only a final status says that a restore has ended. */
function mayRun({ description, status }: KnownRestore, { restores }: OpenRestores): boolean {
  if (description !== undefined) return !description.ended;
  return restores === undefined && status.phase === 'InProgress';
}

/** @throws CommandError with one line for each that cannot be found */
async function findEach({ restores, files }: OpenRestores, names: readonly string[]): Promise<KnownRestore[]> {
  const found: KnownRestore[] = [];
  const problems: string[] = [];
  for (const name of new Set(names)) {
    try {
      found.push(await lookUp(name, restores, files));
    } catch (error) {
      if (!(error instanceof CommandError) || error.type !== 'RestoreNotFound') throw error;
      if (files !== undefined && (await files.hasFiles(name))) found.push(leftover(name));
      else problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new CommandError('RestoreNotFound', `${problems.join('; ')}; nothing is deleted`);
  return found;
}

/** Files without a record: of Velero, or of a deletion that did not end. */
function leftover(name: string): KnownRestore {
  return {
    restore: { name, namespace: '', uid: '', spec: {} },
    status: { phase: 'Failed' },
    createdAt: undefined,
    description: undefined,
  };
}

async function allEnded({ restores }: OpenRestores): Promise<KnownRestore[]> {
  if (restores === undefined)
    throw new CommandError('Usage', '--all needs a Temporal server, which knows the restores');
  return (await restores.list({ limit: ALL })).filter(({ ended }) => ended).map(fromDescription);
}

async function isSure(terminal: Terminal, found: readonly KnownRestore[]): Promise<boolean> {
  const names = found.map(({ restore }) => restore.name).join(', ');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    terminal.note(`To be deleted: ${names}. What they restored stays in the cluster.`);
    const answer = (await prompt.question('Are you sure you want to continue (Y/N)? ')).trim().toLowerCase();
    return answer === 'y' || answer === 'yes';
  } finally {
    prompt.close();
  }
}

/** Files first: where that is interrupted, the same command finds the restore again. */
async function deleteOne(terminal: Terminal, { restores, files }: OpenRestores, name: string): Promise<void> {
  const removed = files === undefined ? undefined : await files.delete(name);
  const forgotten = await forget(terminal, restores, name);
  if (removed === undefined && !forgotten) return;
  terminal.out(`Restore "${name}" deleted: ${describeRemoved(removed, files)}.\n`);
}

async function forget(terminal: Terminal, restores: RestoreClient | undefined, name: string): Promise<boolean> {
  try {
    return (await restores?.delete(name)) ?? false;
  } catch (error) {
    terminal.note(`restore ${name}: ${errorMessage(error)}`);
    throw error;
  }
}

function describeRemoved(removed: number | undefined, files: RestoreFiles | undefined): string {
  if (removed === undefined) return 'its history; its files stay, --storage-location deletes them too';
  return `${removed} objects in ${files?.description ?? ''}`;
}
