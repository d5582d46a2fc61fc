import { type Command, Option } from 'commander';
import type { LogLevel } from '../../worker/index.ts';
import { EXIT_CODES_HELP } from '../exitCodes.ts';
import { addKubernetesFlags, addOutputFlag, type OutputFlags } from '../options/commonOptions.ts';
import { addExtensionFlags, type ExtensionFlags, extensionOptions } from '../options/extensionOptions.ts';
import {
  addRestoreFlags,
  type RestoreCommandFlags,
  readRestore,
  readRestoreOptions,
} from '../options/restoreOptions.ts';
import {
  addStorageLocationFlags,
  requireStorageLocation,
  type StorageLocationFlags,
} from '../options/storageLocationOptions.ts';
import { positiveInteger } from '../options/values.ts';
import { printObject } from '../printObject.ts';
import { runRestore } from '../run/runRestore.ts';
import { renderSummary, summaryObject } from '../summary.ts';
import type { KubernetesFlags } from '../targetCluster.ts';
import type { Terminal } from '../terminal.ts';

interface RunFlags extends RestoreCommandFlags, StorageLocationFlags, KubernetesFlags, OutputFlags, ExtensionFlags {
  readonly dataDir?: string;
  readonly cacheDir?: string;
  readonly keepServer: boolean;
  readonly sameCluster: boolean;
  readonly maxConcurrentActivities?: number;
  readonly logLevel: LogLevel;
}

const EXAMPLES = `
Examples:
  # Restore a backup from a directory into the cluster of the current kubeconfig
  durable-restore run --from-backup nightly --backup-dir /srv/velero

  # From a bucket, into another namespace
  durable-restore run shop-copy --from-backup nightly --bucket velero --config region=eu-west-1 \\
    --include-namespaces shop --namespace-mappings shop:shop-copy

  # A Velero Restore manifest
  durable-restore run -f restore.yaml --storage-location location.yaml

Interrupted or killed, the same command goes on with the same restore. Ctrl-C pauses it, Ctrl-C twice within 3 s
cancels it.

${EXIT_CODES_HELP}`;

/** `durable-restore run`: everything that a restore needs, in one process and one Temporal development server. */
export function runCommand(program: Command, terminal: Terminal, end: (exitCode: number) => void): void {
  const command = program
    .command('run')
    .summary('restore a backup, with a Temporal server and a worker of its own')
    .description(
      'Restores a backup with a Temporal development server and a worker of its own, shows how it goes, and prints what came out.',
    )
    .argument('[name]', 'name of the restore (default: <backup>-<time>)');
  addRestoreFlags(command);
  addStorageLocationFlags(command);
  addKubernetesFlags(command);
  addExtensionFlags(command);
  command
    .optionsGroup('Running:')
    .option('--data-dir <directory>', 'where the Temporal database is kept (default: the state directory of the user)')
    .option('--cache-dir <directory>', 'where unpacked backups are kept (default: the cache directory of the user)')
    .option('--keep-server', 'leave the Temporal server and its UI running at the end', false)
    .option('--same-cluster', "go on although the API server's address has changed", false)
    .option('--max-concurrent-activities <number>', 'activities at a time (default: 64)', positiveInteger)
    .addOption(
      new Option('--log-level <level>', "the worker's log on the error output")
        .choices(['debug', 'info', 'warn', 'error'])
        .default('error'),
    );
  addOutputFlag(command, 'the summary');
  command.addHelpText('after', EXAMPLES).action(async (name: string | undefined, flags: RunFlags) => {
    const request = {
      restore: await readRestore(name, flags),
      unnamed: name === undefined && flags.file === undefined,
      options: readRestoreOptions(flags),
      location: await requireStorageLocation(flags),
      kubernetes: { kubeconfig: flags.kubeconfig, kubecontext: flags.kubecontext },
      dataDirectory: flags.dataDir,
      keepServer: flags.keepServer,
      sameCluster: flags.sameCluster,
      worker: {
        ...extensionOptions(flags),
        cacheDirectory: flags.cacheDir,
        maxConcurrentActivities: flags.maxConcurrentActivities,
        logLevel: flags.logLevel,
        logFormat: 'text' as const,
      },
    };
    const { exitCode, summary } = await runRestore(request, terminal);
    if (summary !== undefined) {
      if (flags.output === 'table') terminal.out(renderSummary(summary));
      else printObject(terminal, flags.output, summaryObject(summary));
    }
    end(exitCode);
  });
}
