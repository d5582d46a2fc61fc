import type { Command } from 'commander';
import type { WorkerConfig } from '../../worker/index.ts';
import { collect } from './values.ts';

export interface ExtensionFlags {
  readonly pluginDir?: string;
  readonly actionModule?: readonly string[];
  readonly features?: string;
}

/** What a worker can do beyond what is built in (docs/plugins.md). */
export function addExtensionFlags(command: Command): Command {
  return command
    .optionsGroup('Plugins:')
    .option('--plugin-dir <directory>', "Velero plugin programs, as Velero's --plugin-dir")
    .option(
      '--action-module <module>',
      'module that exports restore item actions of your own; may be given several times',
      collect,
    )
    .option('--features <list>', "Velero's feature flags, separated by commas; told to plugins");
}

export function extensionOptions({
  pluginDir,
  actionModule,
  features,
}: ExtensionFlags): Pick<WorkerConfig, 'pluginDirectory' | 'actionModules' | 'features'> {
  return {
    pluginDirectory: pluginDir,
    actionModules: actionModule,
    features: features?.split(',').filter((feature) => feature !== ''),
  };
}
