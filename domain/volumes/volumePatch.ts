import type { BackupVolumeInfo } from '../backup/volumeInfo.ts';
import { getObject, getString, getStringMap, type JsonObject } from '../json.ts';

/** A claim of the backup whose volume was made anew and has to get policy and labels of the old one (spec restore-pipeline.md §27). */
export interface VolumeToPatch {
  /** In the cluster. */
  readonly namespace: string;
  readonly claim: string;
  readonly reclaimPolicy: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What the cluster has of it. */
export interface LiveVolume {
  readonly claim: JsonObject | undefined;
  /** Of the claim. */
  readonly storageClass: JsonObject | undefined;
  readonly volume: JsonObject | undefined;
  /** That brings the claim its data, where a data mover does. */
  readonly dataDownload?: JsonObject | undefined;
}

export type VolumePatchStep =
  | { readonly step: 'wait'; readonly awaited: string }
  /** Nothing to do, now or later. */
  | { readonly step: 'done' }
  | { readonly step: 'patch'; readonly volume: string; readonly patch: JsonObject }
  | { readonly step: 'error'; readonly text: string };

/**
 * Volumes of the backup that are provisioned anew, and whose claim this restore has created.
 * @param created whether the restore created the claim, by original namespace and name.
 * @param target the namespace that a claim was restored into.
 */
export function volumesToPatch(
  infos: readonly BackupVolumeInfo[],
  created: (namespace: string, claim: string) => boolean,
  target: (namespace: string) => string,
): VolumeToPatch[] {
  return infos.flatMap(({ backupMethod, pvcNamespace = '', pvcName = '', pvInfo }) => {
    const isProvisioned = backupMethod === 'PodVolumeBackup' || backupMethod === 'CSISnapshot';
    if (!isProvisioned || pvInfo === undefined || !created(pvcNamespace, pvcName)) return [];
    const { reclaimPolicy = '', labels = {} } = pvInfo;
    return [{ namespace: target(pvcNamespace), claim: pvcName, reclaimPolicy, labels }];
  });
}

/** What is to be done about one of them (R-329, R-330, R-332…R-334). Velero sets labels to exactly those of the backup. */
export function volumePatchStep(
  wanted: VolumeToPatch,
  { claim, storageClass, volume, dataDownload }: LiveVolume,
): VolumePatchStep {
  const moving = dataDownload !== undefined && getString(dataDownload, ['status', 'phase']) !== 'Completed';
  // The operation has ended badly, and that is told by itself.
  if (moving) return { step: 'done' };
  const id = `${wanted.namespace}/${wanted.claim}`;
  if (claim === undefined) return { step: 'wait', awaited: `claim ${id}` };
  const phase = getString(claim, ['status', 'phase']);
  const binding = getString(storageClass, ['volumeBindingMode']);
  if (phase === 'Pending' && binding === 'WaitForFirstConsumer') return { step: 'done' };
  const name = getString(claim, ['spec', 'volumeName']) ?? '';
  if (phase !== 'Bound' || name === '') return { step: 'wait', awaited: `claim ${id} to be bound` };
  const claimRef = getObject(volume, ['spec', 'claimRef']);
  if (volume === undefined || claimRef === undefined || getString(volume, ['status', 'phase']) !== 'Bound') {
    return { step: 'wait', awaited: `volume ${name} of claim ${id} to be bound` };
  }
  if (getString(claimRef, ['name']) !== wanted.claim || getString(claimRef, ['namespace']) !== wanted.namespace) {
    const found = `${getString(claimRef, ['namespace']) ?? ''}/${getString(claimRef, ['name']) ?? ''}`;
    return { step: 'error', text: `PV ${name} is bound to PVC ${found}, expected ${id}` };
  }
  return patchOf(wanted, name, volume);
}

/** The DataDownload of a claim among those of the restore, if any (R-341…R-343). */
export function dataDownloadOf(
  { namespace, claim }: Pick<VolumeToPatch, 'namespace' | 'claim'>,
  downloads: readonly JsonObject[],
): JsonObject | undefined {
  return downloads.find((download) => {
    const target = getObject(download, ['spec', 'targetVolume']);
    return getString(target, ['pvc']) === claim && getString(target, ['namespace']) === namespace;
  });
}

function patchOf(wanted: VolumeToPatch, name: string, volume: JsonObject): VolumePatchStep {
  const live = getStringMap(volume, ['metadata', 'labels']);
  const keeps = Object.entries(wanted.labels).every(([key, value]) => Object.hasOwn(live, key) && live[key] === value);
  if (keeps && getString(volume, ['spec', 'persistentVolumeReclaimPolicy']) === wanted.reclaimPolicy)
    return { step: 'done' };
  const removed = Object.keys(live).filter((key) => !Object.hasOwn(wanted.labels, key));
  const labels = { ...wanted.labels, ...Object.fromEntries(removed.map((key) => [key, null])) };
  const patch = { metadata: { labels }, spec: { persistentVolumeReclaimPolicy: wanted.reclaimPolicy } };
  return { step: 'patch', volume: name, patch };
}
