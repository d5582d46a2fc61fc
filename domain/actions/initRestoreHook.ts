import { addInitContainers } from '../hooks/initContainers.ts';
import { readSpecHooks } from '../hooks/specHooks.ts';
import { getStringMap } from '../json.ts';
import { mapNamespace } from '../plan/mapNamespace.ts';
import { type RestoreItemAction, updated } from './action.ts';
import { readString } from './itemFields.ts';

/**
 * Gives a pod the init containers of the restore's hooks (spec item-actions.md §5.9, hooks.md §6). Selectors see the target namespace.
 * Kubernetes itself mounts the service account's token into them, as into every container.
 */
export const initRestoreHookAction: RestoreItemAction = {
  name: 'velero.io/init-restore-hook',
  appliesTo: { includedResources: ['pods'] },
  execute({ item, restore }) {
    const namespace = mapNamespace(restore.spec, readString(item, ['metadata', 'namespace'])) ?? '';
    const labels = getStringMap(item, ['metadata', 'labels']);
    const annotations = getStringMap(item, ['metadata', 'annotations']);
    const resourceHooks = readSpecHooks(restore.spec.hooks);
    return updated(
      addInitContainers(item, { annotations, target: { namespace, labels }, resourceHooks, restoreUid: restore.uid }),
    );
  },
};
