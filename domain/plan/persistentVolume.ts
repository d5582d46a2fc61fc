import { getString, type JsonObject } from '../json.ts';
import type { VolumeDecision } from './planEntry.ts';

/** What the backup's files say of its volumes (spec backup-format.md §2.2-§2.5). */
export interface BackupVolumes {
  /** `backupMethod` by PV name; empty text where the volume was skipped. */
  readonly methodByVolume: ReadonlyMap<string, string>;
  /** PVs with a native snapshot. */
  readonly nativeSnapshots: ReadonlySet<string>;
  /** `namespace/claim` of every claim with a pod volume backup. */
  readonly podVolumeClaims: ReadonlySet<string>;
  /** Whether any volume of a pod was backed up by a node agent. */
  readonly podVolumes?: boolean;
  /** `namespace/claim` of every claim with a CSI VolumeSnapshot (backups made before Velero 1.17). */
  readonly csiSnapshotClaims: ReadonlySet<string>;
  /** `namespace/claim` of every claim with a DataUpload; only for backups without volume info. */
  readonly dataUploadClaims?: ReadonlySet<string>;
}

export const noBackupVolumes: BackupVolumes = {
  methodByVolume: new Map(),
  nativeSnapshots: new Set(),
  podVolumeClaims: new Set(),
  csiSnapshotClaims: new Set(),
};

function byReclaimPolicy(volume: JsonObject): VolumeDecision {
  return getString(volume, ['spec', 'persistentVolumeReclaimPolicy']) === 'Delete' ? 'provision' : 'restore';
}

/**
 * Decides what becomes of a PersistentVolume (spec restore-pipeline.md §12). Volume info wins; backups without it are judged
 * by their snapshot lists, first match wins. `restorePVs: false` leaves native snapshots unused: the volume is restored as
 * it is.
 */
export function decidePersistentVolume(
  volume: JsonObject,
  volumes: BackupVolumes,
  options: { restorePVs: boolean | undefined },
): VolumeDecision {
  const name = getString(volume, ['metadata', 'name']) ?? '';
  const claim = `${getString(volume, ['spec', 'claimRef', 'namespace']) ?? ''}/${getString(volume, ['spec', 'claimRef', 'name']) ?? ''}`;
  const native: VolumeDecision = options.restorePVs === false ? 'restore' : 'nativeSnapshot';

  const method = volumes.methodByVolume.get(name);
  if (method !== undefined) {
    if (method === 'NativeSnapshot') return volumes.nativeSnapshots.has(name) ? native : 'restore';
    if (method === 'PodVolumeBackup' || method === 'CSISnapshot') return 'provision';
    return byReclaimPolicy(volume);
  }
  if (volumes.nativeSnapshots.has(name)) return native;
  if (volumes.podVolumeClaims.has(claim) || volumes.csiSnapshotClaims.has(claim)) return 'provision';
  if (volumes.dataUploadClaims?.has(claim) === true && claim !== '/') return 'provision';
  return byReclaimPolicy(volume);
}
