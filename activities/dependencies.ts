import type { ArchiveCache } from '../adapters/storage/archiveCache.ts';
import type { RestoreItemAction } from '../domain/actions/action.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import type { KubernetesApi } from '../domain/kubernetes/api.ts';
import type { VolumeSnapshotters } from '../domain/volumes/volumeSnapshotter.ts';

/** Everything the activities touch outside their own process. */
export interface ActivityDependencies {
  readonly kubernetes: KubernetesApi;
  readonly archives: Pick<ArchiveCache, 'open'>;
  /** @throws UnknownStorageLocation where the worker is not configured with that location. */
  openStore(storageLocation: string): Promise<ObjectStore>;
  /**
   * Actions beyond the built-in ones, in the order in which they run behind them. Left out: none.
   * @throws where a plugin cannot be started or asked: the restore cannot begin (spec plugin-protocol.md §11.2).
   */
  actions?(): Promise<readonly RestoreItemAction[]>;
  /** Plugins that make volumes from native snapshots. Left out: such a volume is an error of its item. */
  readonly volumeSnapshotters?: VolumeSnapshotters | undefined;
}

export class UnknownStorageLocation extends Error {
  readonly type = 'UnknownStorageLocation';
  constructor(name: string, known: readonly string[]) {
    super(
      `backup storage location ${JSON.stringify(name)} is not configured at this worker, which knows: ${known.join(', ') || 'none'}`,
    );
    this.name = 'UnknownStorageLocation';
  }
}
