import type { NativeVolumeSnapshot } from '../backup/volumeInfo.ts';
import { QuantityError, quantityValue } from '../go/quantity.ts';
import { getIn, getString, type Json, type JsonObject } from '../json.ts';

/** A claim in the cluster. */
export interface ClaimName {
  readonly namespace: string;
  readonly name: string;
}

/** What a restore did with volumes, as it is found in the cluster and in the work store (spec restore-pipeline.md §24). */
export interface RestoredVolumes {
  /** PodVolumeRestores that have ended, with the claim of their volume, if it has one. */
  readonly podVolumes: readonly { readonly podVolumeRestore: JsonObject; readonly claim: ClaimName | undefined }[];
  /** Volumes that were made from native snapshots, under their name in the cluster. */
  readonly nativeVolumes: readonly { readonly volume: string; readonly snapshot: NativeVolumeSnapshot }[];
  /** Created claims whose source is a VolumeSnapshot. */
  readonly csiClaims: readonly { readonly claim: ClaimName; readonly snapshot: JsonObject }[];
  readonly dataDownloads: readonly JsonObject[];
  /** PersistentVolumes that are bound to claims of the restore, by `namespace/claim`. */
  readonly boundVolumes: ReadonlyMap<string, string>;
}

/** The content of `<restore>-volumeinfo.json.gz` (spec backup-format.md §3.5), with the keys and in the order of Velero (R-443…R-447). */
export function restoreVolumeInfo(found: RestoredVolumes): JsonObject[] {
  const claimOf = new Map([...found.boundVolumes].map(([claim, volume]) => [volume, claim]));
  return [
    // A volume without a claim is not told of, as in Velero.
    ...found.podVolumes.flatMap(({ podVolumeRestore, claim }) => {
      if (claim === undefined) return [];
      return [
        entry('PodVolumeRestore', false, claim, volumeOf(found, claim), { pvrInfo: podVolumeInfo(podVolumeRestore) }),
      ];
    }),
    ...found.nativeVolumes.map(({ volume, snapshot }) => {
      const [namespace = '', name = ''] = claimOf.get(volume)?.split('/') ?? [];
      return entry('NativeSnapshot', false, { namespace, name }, volume, { nativeSnapshotInfo: nativeInfo(snapshot) });
    }),
    ...found.csiClaims.map(({ claim, snapshot }) =>
      entry('CSISnapshot', false, claim, volumeOf(found, claim), { csiSnapshotInfo: csiInfo(snapshot) }),
    ),
    ...found.dataDownloads.map((download) => {
      const text = (field: string): string => getString(download, ['spec', 'targetVolume', field]) ?? '';
      const claim = { namespace: text('namespace'), name: text('pvc') };
      const volume = volumeOf(found, claim) || text('pv');
      return entry('CSISnapshot', true, claim, volume, { snapshotDataMovementInfo: movementInfo(download) });
    }),
  ];
}

function volumeOf({ boundVolumes }: RestoredVolumes, { namespace, name }: ClaimName): string {
  return boundVolumes.get(`${namespace}/${name}`) ?? '';
}

/** Empty names are left out, as Go does. */
function entry(method: string, moved: boolean, claim: ClaimName, volume: string, info: JsonObject): JsonObject {
  return {
    ...(claim.name === '' ? {} : { pvcName: claim.name }),
    ...(claim.namespace === '' ? {} : { pvcNamespace: claim.namespace }),
    ...(volume === '' ? {} : { pvName: volume }),
    restoreMethod: method,
    snapshotDataMoved: moved,
    ...info,
  };
}

function podVolumeInfo(podVolumeRestore: JsonObject): JsonObject {
  const text = (...path: string[]): string => getString(podVolumeRestore, ['spec', ...path]) ?? '';
  const handle = text('snapshotID');
  const size = getIn(podVolumeRestore, ['status', 'progress', 'totalBytes']) ?? 0;
  return {
    ...(handle === '' ? {} : { snapshotHandle: handle }),
    ...(size === 0 ? {} : { size }),
    uploaderType: text('uploaderType'),
    volumeName: text('volume'),
    podName: text('pod', 'name'),
    podNamespace: text('pod', 'namespace'),
    Phase: getString(podVolumeRestore, ['status', 'phase']) ?? '',
  };
}

function nativeInfo({ spec, status }: NativeVolumeSnapshot): JsonObject {
  return {
    snapshotHandle: status?.providerSnapshotID ?? '',
    volumeType: spec.volumeType ?? '',
    volumeAZ: spec.volumeAZ ?? '',
    iops: String(spec.volumeIOPS ?? 0),
    Phase: status?.phase ?? '',
  };
}

function csiInfo(snapshot: JsonObject): JsonObject {
  const annotation = (key: string): string => getString(snapshot, ['metadata', 'annotations', key]) ?? '';
  return {
    snapshotHandle: annotation('velero.io/csi-volumesnapshot-handle'),
    size: sizeOf(getString(snapshot, ['status', 'restoreSize']) ?? '0'),
    driver: annotation('velero.io/csi-driver-name'),
    vscName: getString(snapshot, ['spec', 'source', 'volumeSnapshotContentName']) ?? '',
    ReadyToUse: null,
  };
}

function sizeOf(quantity: string): Json {
  try {
    const size = quantityValue(quantity);
    return Number.isSafeInteger(Number(size)) ? Number(size) : size;
  } catch (error) {
    if (error instanceof QuantityError) return 0;
    throw error;
  }
}

function movementInfo(download: JsonObject): JsonObject {
  const mover = getString(download, ['spec', 'datamover']) ?? '';
  return {
    dataMover: mover === '' ? 'velero' : mover,
    uploaderType: 'kopia',
    snapshotHandle: getString(download, ['spec', 'snapshotID']) ?? '',
    operationID: getString(download, ['metadata', 'labels', 'velero.io/async-operation-id']) ?? '',
    size: 0,
    Phase: '',
  };
}
