import type { ArchiveCache } from '../adapters/storage/archiveCache.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import type { KubernetesApi } from '../domain/kubernetes/api.ts';

/** Everything the activities touch outside their own process. */
export interface ActivityDependencies {
  readonly kubernetes: KubernetesApi;
  readonly archives: Pick<ArchiveCache, 'open'>;
  /** @throws UnknownStorageLocation where the worker is not configured with that location. */
  openStore(storageLocation: string): Promise<ObjectStore>;
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
