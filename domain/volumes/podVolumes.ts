import { getArray, getIn, getObject, getString, getStringMap, isObject, type JsonObject } from '../json.ts';

/** A volume of a pod whose files a node agent brings back (spec restore-pipeline.md §21). */
export interface PodVolume {
  readonly volume: string;
  readonly snapshotId: string;
  readonly snapshotSize: number | bigint;
  readonly uploaderType: string;
  /** Only of restic repositories, which kopia's do not need. */
  readonly repoIdentifier: string;
}

/** What Velero takes an empty uploader type for. */
const RESTIC = 'restic';
const SNAPSHOT_ANNOTATION = 'snapshot.velero.io/';

/**
 * The volumes of a pod that have a pod volume backup, by volume, in the order of their names. Backups without a snapshot hold nothing; projected
 * and downwardAPI volumes are the API server's. Only where there are none at all, the annotations of very old backups count.
 * @param pod as it is now.
 * @param namespace of the pod in the backup.
 */
export function podVolumesOf(pod: JsonObject, namespace: string, podVolumeBackups: readonly JsonObject[]): PodVolume[] {
  const name = getString(pod, ['metadata', 'name']) ?? '';
  const found = new Map<string, PodVolume>();
  for (const backup of podVolumeBackups) {
    const isOfPod =
      getString(backup, ['spec', 'pod', 'name']) === name &&
      getString(backup, ['spec', 'pod', 'namespace']) === namespace;
    const volume = getString(backup, ['spec', 'volume']) ?? '';
    const snapshotId = getString(backup, ['status', 'snapshotID']) ?? '';
    if (!isOfPod || snapshotId === '' || isFromApiServer(pod, volume)) continue;
    const size = getIn(backup, ['status', 'progress', 'totalBytes']);
    const uploaderType = getString(backup, ['spec', 'uploaderType']) ?? '';
    found.set(volume, {
      volume,
      snapshotId,
      snapshotSize: typeof size === 'number' || typeof size === 'bigint' ? size : 0,
      uploaderType: uploaderType === '' ? RESTIC : uploaderType,
      repoIdentifier: uploaderType === 'kopia' ? '' : (getString(backup, ['spec', 'repoIdentifier']) ?? ''),
    });
  }
  const volumes = found.size > 0 ? [...found.values()] : fromAnnotations(pod);
  return volumes.sort((a, b) => (a.volume < b.volume ? -1 : 1));
}

function fromAnnotations(pod: JsonObject): PodVolume[] {
  return Object.entries(getStringMap(pod, ['metadata', 'annotations']))
    .filter(([key]) => key.startsWith(SNAPSHOT_ANNOTATION))
    .map(([key, snapshotId]) => ({
      volume: key.slice(SNAPSHOT_ANNOTATION.length),
      snapshotId,
      snapshotSize: 0,
      uploaderType: RESTIC,
      repoIdentifier: '',
    }));
}

function isFromApiServer(pod: JsonObject, volume: string): boolean {
  const found = volumeOfPod(pod, volume);
  return getObject(found, ['projected']) !== undefined || getObject(found, ['downwardAPI']) !== undefined;
}

/** The pod's volume of that name. */
export function volumeOfPod(pod: JsonObject, volume: string): JsonObject | undefined {
  return (getArray(pod, ['spec', 'volumes']) ?? []).filter(isObject).find((one) => getString(one, ['name']) === volume);
}
