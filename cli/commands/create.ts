import type { Command } from 'commander';
import {
  loadTemporalConfig,
  type RestoreClient,
  type RestoreHandle,
  type RestoreManifest,
} from '../../client/index.ts';
import { restoreTable } from '../../domain/describe/restoreTable.ts';
import type { Restore } from '../../domain/restore/restore.ts';
import { toManifestObject } from '../../domain/restore/restoreManifest.ts';
import { connectRestores } from '../connectRestores.ts';
import { EXIT_CODES_HELP, exitCodeOf } from '../exitCodes.ts';
import {
  addShowOnlyFlag,
  addTemporalFlags,
  type OutputFormat,
  type TemporalFlags,
  temporalOptions,
} from '../options/commonOptions.ts';
import {
  addFeaturesFlag,
  addRestoreFlags,
  type RestoreCommandFlags,
  readRestore,
  readRestoreOptions,
} from '../options/restoreOptions.ts';
import {
  addStorageLocationFlags,
  readStorageLocation,
  type StorageLocationFlags,
} from '../options/storageLocationOptions.ts';
import { printObject } from '../printObject.ts';
import { RestoreFiles } from '../restoreFiles.ts';
import { checkCanStart, findRestore } from '../run/existingRestore.ts';
import { summarize } from '../run/summarize.ts';
import { waitForEnd } from '../run/waitForEnd.ts';
import { renderSummary, troubleOf } from '../summary.ts';
import type { Terminal } from '../terminal.ts';

interface CreateFlags extends RestoreCommandFlags, StorageLocationFlags, TemporalFlags {
  readonly wait: boolean;
  readonly output?: OutputFormat;
}

const EXAMPLES = `
Examples:
  # Start a restore; workers of the cluster carry it out
  durable-restore create shop-copy --from-backup nightly --namespace-mappings shop:shop-copy

  # Start it, follow it, and exit by its phase
  durable-restore create -f restore.yaml --wait

  # Only show the Restore that the flags make
  durable-restore create --from-backup nightly -o yaml

Workers know storage locations by name: --storage-location-name, the name in a location file, or "default".
With a location given here, the backup is looked for before the restore is started.

${EXIT_CODES_HELP}`;

/** `durable-restore create`: starts a restore on a Temporal server. */
export function createCommand(program: Command, terminal: Terminal, end: (exitCode: number) => void): void {
  const command = program
    .command('create')
    .summary('start a restore that workers carry out')
    .description('Starts a restore on a Temporal server; workers of the target cluster carry it out.')
    .argument('[name]', 'name of the restore (default: <backup>-<time>)');
  addFeaturesFlag(addRestoreFlags(command));
  addStorageLocationFlags(command);
  addTemporalFlags(command);
  command.optionsGroup('Starting:').option('-w, --wait', 'follow the restore to its end', false);
  addShowOnlyFlag(command);
  command.addHelpText('after', EXAMPLES).action(async (name: string | undefined, flags: CreateFlags) => {
    const restore = await readRestore(name, flags);
    if (flags.output !== undefined) {
      if (flags.output === 'table') terminal.out(restoreTable([{ restore: asNew(restore), status: { phase: 'New' } }]));
      else printObject(terminal, flags.output, toManifestObject(restore));
      return;
    }
    const options = readRestoreOptions(flags);
    const location = await readStorageLocation(flags);
    const files = location === undefined ? undefined : await RestoreFiles.open(location);
    const restores = await connectRestores(flags, restore.namespace ?? flags.namespace);
    try {
      const known = await findRestore(restores, restore.name, restore.namespace);
      if (known === undefined && files !== undefined) await checkCanStart(restore, files);
      const handle = await restores.start(restore, {
        storageLocation: location?.name ?? flags.storageLocationName,
        options,
        onNotice: (text) => {
          terminal.note(`note: ${text}`);
        },
      });
      tell(terminal, handle, restores, flags);
      if (flags.wait) end(await wait(terminal, handle, files));
    } finally {
      await restores.close();
    }
  });
}

function asNew(restore: RestoreManifest): Restore {
  return { ...restore, namespace: restore.namespace ?? '', uid: restore.uid ?? '' };
}

function tell(
  terminal: Terminal,
  { name, attached }: RestoreHandle,
  { cluster }: RestoreClient,
  flags: CreateFlags,
): void {
  const { address } = loadTemporalConfig(temporalOptions(flags));
  if (attached) terminal.out(`Restore "${name}" is already running.\n`);
  else terminal.out(`Restore request "${name}" submitted successfully to ${address}, cluster ${cluster}.\n`);
  if (flags.wait) return;
  terminal.out(`Run \`durable-restore describe ${name}\` or \`durable-restore logs ${name}\` for more details.\n`);
}

async function wait(terminal: Terminal, handle: RestoreHandle, files: RestoreFiles | undefined): Promise<number> {
  await waitForEnd(handle, terminal, []);
  const summary = await summarize(await handle.describe(), files, {
    hint:
      files === undefined
        ? "  (messages are in the restore's files: --storage-location, --backup-dir or --bucket show them)"
        : undefined,
  });
  terminal.out(renderSummary(summary));
  const trouble = troubleOf(summary);
  if (trouble !== undefined) terminal.note(`error: ${trouble}`);
  return exitCodeOf(summary.status.phase, summary.cancelled);
}
