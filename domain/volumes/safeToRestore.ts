import type { ActionCluster } from '../actions/action.ts';
import { getObject, getString, type JsonObject } from '../json.ts';

/**
 * Whether the cluster has room for a PersistentVolume of a name:
 * - `free`: there is none;
 * - `taken`: there is one that stays; it is left alone;
 * - `leaving`: there is one that will go, or whose claim will: to be asked again.
 */
export type VolumeRoom =
  | { readonly room: 'free' }
  | { readonly room: 'taken' }
  | { readonly room: 'leaving'; readonly because: string };

/** Looks at the cluster's PersistentVolume of that name, its claim and the claim's namespace (spec restore-pipeline.md §12, R-077…R-084). */
export async function roomForVolume(cluster: ActionCluster, name: string): Promise<VolumeRoom> {
  const volume = await cluster.get('persistentvolumes', undefined, name);
  if (volume === undefined) return { room: 'free' };
  if (getString(volume, ['status', 'phase']) === 'Released' || isBeingDeleted(volume)) {
    return leaving(`PersistentVolume ${name} is released or being deleted`);
  }
  const claimRef = getObject(volume, ['spec', 'claimRef']);
  if (claimRef === undefined) return { room: 'taken' };

  const namespace = getString(claimRef, ['namespace']) ?? '';
  const claimName = getString(claimRef, ['name']) ?? '';
  const claim = await cluster.get('persistentvolumeclaims', namespace, claimName);
  if (claim === undefined || isBeingDeleted(claim)) {
    return leaving(`PersistentVolume ${name} is claimed by ${namespace}/${claimName}, which is gone or being deleted`);
  }
  const live = await cluster.get('namespaces', undefined, namespace);
  if (live === undefined || isBeingDeleted(live) || getString(live, ['status', 'phase']) === 'Terminating') {
    return leaving(`PersistentVolume ${name} is claimed in namespace ${namespace}, which is gone or being deleted`);
  }
  return { room: 'taken' };
}

function leaving(because: string): VolumeRoom {
  return { room: 'leaving', because };
}

function isBeingDeleted(object: JsonObject): boolean {
  return getString(object, ['metadata', 'deletionTimestamp']) !== undefined;
}
