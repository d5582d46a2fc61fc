import { type Command, Option } from 'commander';

export type OutputFormat = 'table' | 'json' | 'yaml';

export interface OutputFlags {
  readonly output: OutputFormat;
}

const FORMATS = ['table', 'json', 'yaml'];

export function addOutputFlag(command: Command, what: string): Command {
  return command.addOption(new Option('-o, --output <format>', `format of ${what}`).choices(FORMATS).default('table'));
}

/** As Velero's `create` has it: with the flag the object is shown, and nothing is created. */
export function addShowOnlyFlag(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'only show the Restore, in this format').choices(FORMATS),
  );
}

/** Velero's names. */
export function addKubernetesFlags(command: Command): Command {
  return command
    .optionsGroup('Cluster to restore into:')
    .option('--kubeconfig <file>', 'kubeconfig (default: KUBECONFIG, ~/.kube/config, or in-cluster)')
    .option('--kubecontext <context>', 'context in it (default: the current one)');
}

/** The connection to the Temporal server; Velero's `-n/--namespace` is another namespace, so these names say whose it is. */
export interface TemporalFlags {
  readonly temporalAddress?: string;
  readonly temporalNamespace?: string;
  readonly temporalProfile?: string;
  readonly cluster: string;
}

export function addTemporalFlags(command: Command): Command {
  return command
    .optionsGroup('Temporal server (also by TEMPORAL_* variables and profiles):')
    .option('--temporal-address <host:port>', 'address (default: TEMPORAL_ADDRESS, the profile, localhost:7233)')
    .option(
      '--temporal-namespace <namespace>',
      'Temporal namespace (default: TEMPORAL_NAMESPACE, the profile, default)',
    )
    .option('--temporal-profile <profile>', 'profile of the Temporal configuration file (default: TEMPORAL_PROFILE)')
    .option('--cluster <name>', 'name of the target cluster; chooses the task queue', 'default');
}

export function temporalOptions(flags: TemporalFlags): {
  address: string | undefined;
  namespace: string | undefined;
  profile: string | undefined;
} {
  return { address: flags.temporalAddress, namespace: flags.temporalNamespace, profile: flags.temporalProfile };
}

export interface LocalFlags {
  readonly local: boolean;
  readonly dataDir?: string;
}

/** For commands that look at restores, or cancel them. */
export function addLocalFlags(command: Command): Command {
  return command
    .option('--local', 'the Temporal server of `durable-restore run`, while it runs', false)
    .option('--data-dir <directory>', 'data directory of that run');
}

/** Velero's namespace: a part of a restore's identity. */
export function addVeleroNamespaceFlag(command: Command): Command {
  return command.addOption(
    new Option('-n, --namespace <namespace>', "Velero's namespace").env('VELERO_NAMESPACE').default('velero'),
  );
}
