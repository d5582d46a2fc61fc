import type { RestoreRecord } from '../../domain/contract.ts';
import { FIELD_MANAGER } from '../../domain/item/fieldManager.ts';
import { getArray, getString } from '../../domain/json.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import { toLabelValue } from '../../domain/restore/labels.ts';

const AT_WORK: readonly string[] = ['podvolumerestores.velero.io', 'datadownloads.velero.io'];
const ENDED: readonly string[] = ['Completed', 'Failed', 'Canceled'];

/** Asks node agents and data movers to stop what they do for a restore that was cancelled. Best effort: whoever cannot be asked goes on and harms nobody else. */
export async function cancelVolumes(kubernetes: KubernetesApi, { restore }: RestoreRecord): Promise<void> {
  const labelSelector = `velero.io/restore-name=${toLabelValue(restore.name)}`;
  for (const name of AT_WORK) {
    const served = (await kubernetes.discover()).resolve(name);
    if (served === undefined) continue;
    const { group, version, resource } = served;
    const location = { group, version, resource, namespace: restore.namespace };
    const found = await kubernetes.list(location, { labelSelector });
    for (const one of found.ok ? (getArray(found.object, ['items']) ?? []) : []) {
      const object = getString(one, ['metadata', 'name']);
      if (object === undefined || ENDED.includes(getString(one, ['status', 'phase']) ?? '')) continue;
      const patch = { spec: { cancel: true } };
      await kubernetes.patch({ ...location, name: object }, patch, { type: 'merge', fieldManager: FIELD_MANAGER });
    }
  }
}
