import { readVolumeSnapshots } from '../adapters/storage/backupFiles.ts';
import type { ActionCluster } from '../domain/actions/action.ts';
import { nativeVolumeBeginKey, nativeVolumeKey } from '../domain/backup/layout.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import type { NativeVolumeSnapshot } from '../domain/backup/volumeInfo.ts';
import { errorTypes, type RestoreRecord } from '../domain/contract.ts';
import { remember } from '../domain/remember.ts';
import {
  type NativeVolume,
  type NativeVolumeLedger,
  type NativeVolumes,
  restoreNativeVolume,
} from '../domain/volumes/nativeVolume.ts';
import type { VolumeSnapshotters } from '../domain/volumes/volumeSnapshotter.ts';
import { InfrastructureFault } from './infrastructureFault.ts';
import { readStoredJson, toStoredJson } from './storedJson.ts';

/** What was made is kept in the restore's work store. */
export function nativeVolumes(
  store: ObjectStore,
  record: RestoreRecord,
  cluster: ActionCluster,
  snapshotters: VolumeSnapshotters,
): NativeVolumes {
  const ledger = new StoreLedger(store, record.restore);
  const snapshots = remember(() => snapshotsByVolume(store, record.backup.name));
  return {
    async restore(volume) {
      const context = { restore: record.restore, backup: record.backup, cluster, snapshotters, ledger };
      return restoreNativeVolume(volume, { ...context, snapshots: await snapshots(), mustWait });
    },
    async newNameOf(volume) {
      return (await ledger.find(volume))?.newName;
    },
  };
}

function mustWait(message: string): Error {
  return new InfrastructureFault(errorTypes.KubernetesNotReady, message, { terminating: true });
}

/** The first snapshot of a volume counts (spec backup-format.md §2.2). */
async function snapshotsByVolume(store: ObjectStore, backup: string): Promise<Map<string, NativeVolumeSnapshot>> {
  const snapshots = await readVolumeSnapshots(store, backup);
  return new Map(snapshots.toReversed().map((snapshot) => [snapshot.spec.persistentVolumeName ?? '', snapshot]));
}

class StoreLedger implements NativeVolumeLedger {
  private readonly store: ObjectStore;
  private readonly restore: { readonly name: string; readonly uid: string };

  constructor(store: ObjectStore, restore: { readonly name: string; readonly uid: string }) {
    this.store = store;
    this.restore = restore;
  }

  async find(volume: string): Promise<NativeVolume | undefined> {
    const made = await readStoredJson<Partial<NativeVolume>>(this.store, nativeVolumeKey(this.restore, volume));
    return made === undefined ? undefined : { volumeId: made.volumeId, newName: made.newName };
  }

  begin(volume: string): Promise<boolean> {
    return this.store.create(nativeVolumeBeginKey(this.restore, volume), new TextEncoder().encode('{}\n'));
  }

  async record(volume: string, made: NativeVolume): Promise<void> {
    await this.store.put(nativeVolumeKey(this.restore, volume), toStoredJson(made));
  }
}
