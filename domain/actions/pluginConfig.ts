import { getString, getStringMap } from '../json.ts';
import type { RestoreItemActionInput } from './action.ts';
import { ActionError } from './actionError.ts';

/**
 * The data of an action's plugin ConfigMap in Velero's namespace, found by its labels, never by its name; empty where there is none
 * (spec item-actions.md §3). Read anew for every item, so that a mapping changed during a restore counts at once.
 *
 * @param actionName registered name of the action, which is also the label key.
 * @throws ActionError `PluginConfigAmbiguous` with Velero's text where several ConfigMaps carry the labels; what the
 * cluster throws passes through, for it may be the API server's fault.
 */
export async function readPluginConfig(
  input: RestoreItemActionInput,
  actionName: string,
): Promise<Record<string, string>> {
  const selector = `velero.io/plugin-config,${actionName}=RestoreItemAction`;
  const configMaps = await input.cluster.list('configmaps', input.restore.namespace, selector);
  if (configMaps.length > 1) {
    const names = configMaps.map((configMap) => getString(configMap, ['metadata', 'name']) ?? '');
    throw new ActionError(
      'PluginConfigAmbiguous',
      `found more than one ConfigMap matching label selector "${selector}": [${names.join(' ')}]`,
    );
  }
  return getStringMap(configMaps[0], ['data']);
}
