import { type Command, InvalidArgumentError, Option } from 'commander';
import { connectTemporal, loadTemporalConfig, taskQueueFor } from '../../client/index.ts';
import type { LogLevel } from '../../worker/index.ts';
import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { loadWorker } from '../loadWorker.ts';
import { addKubernetesFlags, addTemporalFlags, type TemporalFlags, temporalOptions } from '../options/commonOptions.ts';
import { addExtensionFlags, type ExtensionFlags, extensionOptions } from '../options/extensionOptions.ts';
import {
  addStorageLocationFlags,
  readStorageLocations,
  type StorageLocationFlags,
} from '../options/storageLocationOptions.ts';
import { positiveInteger } from '../options/values.ts';
import type { KubernetesFlags } from '../targetCluster.ts';
import type { Terminal } from '../terminal.ts';

interface WorkerFlags extends TemporalFlags, StorageLocationFlags, KubernetesFlags, ExtensionFlags {
  readonly healthAddress?: string;
  readonly versioning?: { readonly deploymentName: string; readonly buildId: string };
  readonly maxConcurrentActivities?: number;
  readonly cacheDir?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
}

const EXAMPLES = `
Examples:
  durable-restore worker --storage-location location.yaml
  durable-restore worker --cluster east --kubeconfig east.yaml --storage-location a.yaml --storage-location b.yaml \\
    --health-address 0.0.0.0:9090

SIGTERM and Ctrl-C let activities in flight end; what is left is done by another worker, or by this one when it is back.`;

/** `durable-restore worker`: carries out the restores of one cluster. */
export function workerCommand(program: Command, terminal: Terminal, end: (exitCode: number) => void): void {
  const command = program
    .command('worker')
    .summary('carry out restores of a cluster')
    .description('Carries out the restores of one target cluster. Any number of workers may serve one cluster.');
  addKubernetesFlags(command);
  addStorageLocationFlags(command);
  addTemporalFlags(command);
  addExtensionFlags(command);
  command
    .optionsGroup('Worker:')
    .option('--health-address <host:port>', 'serve /healthz and /readyz there')
    .option(
      '--versioning <deployment/build>',
      'worker versioning: deployment name and build id, then PINNED',
      versioning,
    )
    .option('--max-concurrent-activities <number>', 'activities at a time (default: 64)', positiveInteger)
    .option('--cache-dir <directory>', 'where unpacked backups are kept (default: the cache directory of the user)')
    .addOption(
      new Option('--log-level <level>', 'how much is logged')
        .choices(['trace', 'debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .addOption(new Option('--log-format <format>', 'format of the log').choices(['json', 'text']).default('json'))
    .addHelpText('after', EXAMPLES)
    .action(async (flags: WorkerFlags) => {
      const storageLocations = await readStorageLocations(flags);
      if (storageLocations.length === 0) {
        throw new CommandError(
          'Usage',
          'a worker needs a storage location: give --storage-location FILE, --backup-dir DIRECTORY or --bucket BUCKET',
        );
      }
      const temporal = loadTemporalConfig(temporalOptions(flags));
      // Says in our words why there is no connection; the worker makes its own.
      await (await connectTemporal(temporal)).connection.close();
      const { startWorker } = await loadWorker();
      const worker = await startWorker({
        temporal,
        cluster: flags.cluster,
        kubeconfig: flags.kubeconfig,
        context: flags.kubecontext,
        storageLocations,
        ...extensionOptions(flags),
        cacheDirectory: flags.cacheDir,
        healthAddress: flags.healthAddress,
        versioning: flags.versioning,
        maxConcurrentActivities: flags.maxConcurrentActivities,
        logLevel: flags.logLevel,
        logFormat: flags.logFormat,
      });
      const stop = onStopSignals(terminal, () => {
        worker.shutdown();
      });
      terminal.out(
        `worker ready: task queue ${taskQueueFor(flags.cluster)} at ${temporal.address}, storage locations ${storageLocations.map(({ name }) => name).join(', ')}\n`,
      );
      try {
        await worker.run();
      } finally {
        stop();
      }
      end(exitCodes.completed);
    });
}

/** The first signal drains the worker, a second one ends it at once. @returns ends the watching */
function onStopSignals(terminal: Terminal, shutdown: () => void): () => void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(exitCodes.error);
    stopping = true;
    terminal.note('stopping: activities in flight end first; again to stop at once');
    shutdown();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}

/** @throws InvalidArgumentError */
function versioning(text: string): { deploymentName: string; buildId: string } {
  const slash = text.indexOf('/');
  const [deploymentName, buildId] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash > 0 && buildId !== '') return { deploymentName, buildId };
  throw new InvalidArgumentError('expected deployment/build');
}
