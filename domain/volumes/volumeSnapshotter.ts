import type { JsonObject } from '../json.ts';

/** Where native snapshots are kept: a VolumeSnapshotLocation of Velero's namespace (spec restore-pipeline.md §12). */
export interface VolumeSnapshotLocation {
  readonly name: string;
  /** Velero's namespace, where the Secret is. */
  readonly namespace: string;
  /** Registered name of the VolumeSnapshotter, e.g. `velero.io/aws`. */
  readonly provider: string;
  readonly config: Readonly<Record<string, string>>;
  /** Secret of Velero's namespace that holds the provider's credentials, and the key in it. */
  readonly credential: { readonly name: string; readonly key: string } | undefined;
}

/**
 * Velero's VolumeSnapshotter as far as a restore needs it (spec plugin-protocol.md §6.6), already initialised for its location. Every method throws where the
 * provider refuses; its message becomes that of the volume's error.
 */
export interface VolumeSnapshotter {
  /**
   * Makes a volume. Never called twice for one PersistentVolume of a restore: it cannot be repeated.
   * @param iops undefined where the snapshot has none.
   * @returns the provider's id of the volume.
   */
  createVolumeFromSnapshot(
    snapshotId: string,
    volumeType: string,
    volumeAz: string,
    iops: number | bigint | undefined,
  ): Promise<string>;
  /** The PersistentVolume with another volume's id in it; the provider may give it another name too. */
  setVolumeId(persistentVolume: JsonObject, volumeId: string): Promise<JsonObject>;
}

/** Gives the VolumeSnapshotters of a worker. */
export interface VolumeSnapshotters {
  /** @throws where the worker has no such plugin, or where it cannot be initialised. */
  open(location: VolumeSnapshotLocation): Promise<VolumeSnapshotter>;
}
