import type { RestoreRecord } from '../../domain/contract.ts';
import { FIELD_MANAGER } from '../../domain/item/fieldManager.ts';
import { getString } from '../../domain/json.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import { itemsOf } from '../../domain/kubernetes/itemsOf.ts';
import { restoreNameSelector } from '../../domain/restore/labels.ts';
import { hasEnded } from '../../domain/volumes/podVolumeState.ts';
import { locateServed } from '../locateServed.ts';

const AT_WORK: readonly string[] = ['podvolumerestores.velero.io', 'datadownloads.velero.io'];

/** Asks node agents and data movers to stop what they do for a restore that was cancelled. Best effort: whoever cannot be asked goes on and harms nobody else. */
export async function cancelVolumes(kubernetes: KubernetesApi, { restore }: RestoreRecord): Promise<void> {
  const labelSelector = restoreNameSelector(restore.name);
  for (const name of AT_WORK) {
    const location = await locateServed(kubernetes, name, restore.namespace);
    if (location === undefined) continue;
    const found = await kubernetes.list(location, { labelSelector });
    for (const one of found.ok ? itemsOf(found.object) : []) {
      const object = getString(one, ['metadata', 'name']);
      if (object === undefined || hasEnded(one)) continue;
      const patch = { spec: { cancel: true } };
      await kubernetes.patch({ ...location, name: object }, patch, { type: 'merge', fieldManager: FIELD_MANAGER });
    }
  }
}
