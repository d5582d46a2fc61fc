import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { RestoreOptions } from '../../client/index.ts';
import { parseRestoreManifest, type RestoreManifest } from '../../client/index.ts';
import { FEATURES, type Feature } from '../../domain/actions/features.ts';
import { parseGoDuration } from '../../domain/go/duration.ts';
import { type RestoreFlags, restoreFromFlags } from '../../domain/restore/restoreFromFlags.ts';
import { CommandError } from '../commandError.ts';
import { readInput } from '../readInput.ts';
import { collect, integer } from './values.ts';

/** Flags of `velero restore create` whose value may be left out; see argv.ts. */
export const OPTIONAL_BOOLEANS = [
  '--restore-volumes',
  '--preserve-nodeports',
  '--include-cluster-resources',
  '--write-sparse-files',
  '--allow-partially-failed',
];

/** What the restore flags of a command line say. */
export interface RestoreCommandFlags extends Omit<RestoreFlags, 'name'> {
  readonly file?: string;
  readonly namespace: string;
  readonly shards?: number;
  readonly window?: number;
  readonly itemsPerActivity?: number;
  readonly order?: 'waves' | 'strict';
  readonly resourceTimeout?: string;
  readonly terminatingResourceTimeout?: string;
  readonly restoreResourcePriorities?: string;
  readonly features?: string;
  readonly fsBackupTimeout?: string;
  readonly hookTimeout?: string;
}

/** The features of a restore that is carried out elsewhere; a command with a worker of its own has the worker's flag. */
export function addFeaturesFlag(command: Command): Command {
  return command.option('--features <list>', `Velero's feature flags: ${FEATURES.join(', ')}`, (list) => {
    const unknown = list.split(',').find((name) => !FEATURES.some((feature) => feature === name));
    if (unknown === undefined) return list;
    throw new InvalidArgumentError(`found ${JSON.stringify(unknown)}, expected ${FEATURES.join(' or ')}`);
  });
}

/** Adds Velero's restore flags (spec cli-and-status.md §2) and ours. */
export function addRestoreFlags(command: Command): Command {
  return command
    .optionsGroup('What to restore (as in velero restore create):')
    .option('--from-backup <backup>', 'backup to restore')
    .option('--from-schedule <schedule>', "restore the schedule's newest completed backup")
    .option('-f, --file <file>', 'Velero Restore manifest, YAML or JSON; - for the standard input')
    .addOption(
      new Option('-n, --namespace <namespace>', "Velero's namespace").env('VELERO_NAMESPACE').default('velero'),
    )
    .option('--include-namespaces <names>', 'namespaces to restore, names or globs, separated by commas (default: all)')
    .option('--exclude-namespaces <names>', 'namespaces not to restore')
    .option('--namespace-mappings <src:dst,...>', 'namespaces to restore under another name', collect)
    .option('--include-resources <names>', 'resources to restore, as resource.group (default: all)')
    .option('--exclude-resources <names>', 'resources not to restore')
    .option('--include-cluster-resources [bool]', 'whether to restore cluster-scoped resources')
    .option('-l, --selector <selector>', 'only items with these labels')
    .option('--or-selector <selectors>', 'only items that one of these selects, joined by " or "')
    .option('--existing-resource-policy <policy>', 'what to do with items that exist: none or update')
    .option('--status-include-resources <names>', 'resources whose status is restored as well')
    .option('--status-exclude-resources <names>', 'resources whose status is not restored')
    .option('--restore-volumes [bool]', 'whether to restore volumes from snapshots')
    .option('--preserve-nodeports [bool]', 'whether to keep the node ports of services')
    .option('--resource-modifier-configmap <name>', 'ConfigMap with resource modifiers')
    .option('--item-operation-timeout <duration>', 'how long to wait for operations of plugins, for example 4h')
    .option('--write-sparse-files [bool]', 'whether restored files may be sparse')
    .option('--parallel-files-download <number>', 'files that are restored to a volume at a time')
    .option('--labels <k=v,...>', 'labels of the restore', collect)
    .option('--annotations <k=v,...>', 'annotations of the restore', collect)
    .optionsGroup('How to restore:')
    .option('--resource-timeout <duration>', 'wait for definitions and additional items (default: 10m)')
    .option('--terminating-resource-timeout <duration>', 'wait for what is being deleted (default: 10m)')
    .option('--fs-backup-timeout <duration>', 'wait for each volume that a node agent restores (default: 4h)')
    .option(
      '--hook-timeout <duration>',
      'wait for containers whose hooks have no wait-timeout; 0 without limit (default: 4h)',
    )
    .option('--restore-resource-priorities <list>', "order of resources, in Velero's syntax")
    .addOption(
      new Option('--order <order>', "waves: side by side within Velero's order; strict: one after another").choices([
        'waves',
        'strict',
      ]),
    )
    .option('--items-per-activity <number>', 'items per Temporal activity, 0 for automatic (default: 0)', integer)
    .option('--shards <number>', 'child workflows side by side (default: 8)', integer)
    .option('--window <number>', 'activities in flight per child workflow (default: 16)', integer);
}

/**
 * The Restore that flags or a manifest describe. An argument NAME goes before the name in a manifest.
 * @throws CommandError, RestoreFlagsError, RestoreManifestError
 */
export async function readRestore(
  name: string | undefined,
  flags: RestoreCommandFlags,
  now: Date = new Date(),
): Promise<RestoreManifest> {
  const { file, namespace } = flags;
  if (file === undefined) return restoreFromFlags({ ...flags, name }, namespace, now);
  const beside = SPEC_FLAGS.find((flag) => flags[flag] !== undefined);
  if (beside !== undefined) {
    throw new CommandError('Usage', `--${kebab(beside)} cannot be used with --file: write it into ${file}`);
  }
  const manifest = parseRestoreManifest(await readInput(file));
  return { ...manifest, namespace: manifest.namespace ?? namespace, ...(name === undefined ? {} : { name }) };
}

/** @throws GoDurationError */
export function readRestoreOptions(flags: RestoreCommandFlags): Partial<RestoreOptions> {
  const { shards, window, itemsPerActivity, order, restoreResourcePriorities } = flags;
  const resourceTimeoutMs = milliseconds('resource-timeout', flags.resourceTimeout);
  const fsBackupTimeoutMs = milliseconds('fs-backup-timeout', flags.fsBackupTimeout);
  const terminatingResourceTimeoutMs = milliseconds('terminating-resource-timeout', flags.terminatingResourceTimeout);
  const hookTimeoutMs = flags.hookTimeout === '0' ? 0 : milliseconds('hook-timeout', flags.hookTimeout);
  return {
    ...(shards === undefined ? {} : { shards }),
    ...(window === undefined ? {} : { window }),
    ...(itemsPerActivity === undefined ? {} : { itemsPerActivity }),
    ...(order === undefined ? {} : { order }),
    ...(resourceTimeoutMs === undefined ? {} : { resourceTimeoutMs }),
    ...(fsBackupTimeoutMs === undefined ? {} : { fsBackupTimeoutMs }),
    ...(hookTimeoutMs === undefined ? {} : { hookTimeoutMs }),
    ...(terminatingResourceTimeoutMs === undefined ? {} : { terminatingResourceTimeoutMs }),
    ...(restoreResourcePriorities === undefined ? {} : { resourcePriorities: restoreResourcePriorities }),
    ...(flags.features === undefined ? {} : { features: knownFeatures(flags.features) }),
  };
}

/** Those that matter to a restore; a worker's `--features` may hold others for its plugins. */
function knownFeatures(list: string): Feature[] {
  return FEATURES.filter((feature) => list.split(',').includes(feature));
}

function milliseconds(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const value = parseGoDuration(text);
    if (value > 0) return value;
  } catch {
    // Told below, with the flag.
  }
  throw new CommandError('Usage', `--${flag}: found ${JSON.stringify(text)}, expected a duration such as 10m or 1h30m`);
}

const SPEC_FLAGS = [
  'fromBackup',
  'fromSchedule',
  'includeNamespaces',
  'excludeNamespaces',
  'namespaceMappings',
  'includeResources',
  'excludeResources',
  'includeClusterResources',
  'selector',
  'orSelector',
  'existingResourcePolicy',
  'statusIncludeResources',
  'statusExcludeResources',
  'restoreVolumes',
  'preserveNodeports',
  'resourceModifierConfigmap',
  'itemOperationTimeout',
  'writeSparseFiles',
  'parallelFilesDownload',
  'labels',
  'annotations',
] as const satisfies readonly (keyof RestoreFlags)[];

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
