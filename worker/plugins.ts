import type { Logger } from 'pino';
import { PluginRegistry } from '../adapters/plugins/pluginRegistry.ts';
import type { RestoreItemAction } from '../domain/actions/action.ts';
import { FEATURES } from '../domain/actions/features.ts';
import { builtInActions } from '../domain/actions/registry.ts';
import { loadActionModules } from './actionModules.ts';
import type { LogLevel, WorkerConfig } from './config.ts';

/** What extends a worker: users' own actions and the programs of its plugin directory. */
export interface Extensions {
  readonly plugins: PluginRegistry;
  /** Actions beyond the built-in ones, in the order in which they run (spec plugin-protocol.md §11). */
  readonly actions: () => Promise<readonly RestoreItemAction[]>;
}

/** Two actions of one name; the first to come keeps it in Velero too, whose start-up fails all the same. */
export class DuplicateAction extends Error {
  readonly type = 'DuplicateAction';
}

type PluginLogLevel = 'trace' | 'debug' | 'info' | 'warning' | 'error';

/** Velero's word for it. */
function pluginLogLevel(level: LogLevel = 'info'): PluginLogLevel {
  return level === 'warn' ? 'warning' : level;
}

/**
 * Loads action modules and starts the programs of the plugin directory.
 * @throws ActionModuleError, PluginError, DuplicateAction: a worker with half of its actions would restore half of what is asked.
 */
export async function openExtensions(config: WorkerConfig, log: Logger): Promise<Extensions> {
  const own = [...(config.actions ?? []), ...(await loadActionModules(config.actionModules ?? []))];
  const plugins = await PluginRegistry.open({
    directory: config.pluginDirectory,
    features: config.features,
    logLevel: pluginLogLevel(config.logLevel),
    environment: config.kubeconfig === undefined ? undefined : { KUBECONFIG: config.kubeconfig },
    log: (level, message, fields) => {
      log[level](fields, message);
    },
  });
  const actions = async (): Promise<readonly RestoreItemAction[]> => [...own, ...(await plugins.restoreItemActions())];
  try {
    checkNames([...builtInActions(FEATURES), ...(await actions())]);
  } catch (error) {
    await plugins.close();
    throw error;
  }
  return { plugins, actions };
}

function checkNames(actions: readonly RestoreItemAction[]): void {
  const names = new Set<string>();
  for (const { name } of actions) {
    if (names.has(name)) {
      const isBuiltIn = builtInActions(FEATURES).some((action) => action.name === name);
      const twin = isBuiltIn ? 'it is built in, and no plugin can take its place' : 'by two modules or plugins';
      throw new DuplicateAction(`restore item action ${name} is registered twice at this worker: ${twin}`);
    }
    names.add(name);
  }
}
