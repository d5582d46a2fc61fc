import type { ActionCluster } from '../actions/action.ts';
import type { Backup } from '../backup/backup.ts';
import type { NativeVolumeSnapshot } from '../backup/volumeInfo.ts';
import { ItemError } from '../item/itemError.ts';
import { mapClaimNamespace, resetVolumeBinding } from '../item/volumeBinding.ts';
import { getObject, getString, getStringMap, type JsonObject, setIn } from '../json.ts';
import { messageOf } from '../messageOf.ts';
import type { Restore } from '../restore/restore.ts';
import { deterministicUuid } from './deterministicName.ts';
import { roomForVolume } from './safeToRestore.ts';
import type { VolumeSnapshotLocation, VolumeSnapshotters } from './volumeSnapshotter.ts';

const ORIGINAL_NAME = 'velero.io/original-pv-name';

/** What became of a volume that is made from a native snapshot; kept, because it cannot be made twice. */
export interface NativeVolume {
  /** Provider's id; undefined where the volume was left alone, for the cluster has it. */
  readonly volumeId: string | undefined;
  /** Name of the PersistentVolume where it is not that of the backup; claims have to follow. */
  readonly newName: string | undefined;
}

/** Remembers the volumes of a restore, across attempts and workers. */
export interface NativeVolumeLedger {
  find(volume: string): Promise<NativeVolume | undefined>;
  /** Says, before the snapshotter is asked, that it will be; false where an earlier attempt has said so. */
  begin(volume: string): Promise<boolean>;
  record(volume: string, made: NativeVolume): Promise<void>;
}

/** Volumes from native snapshots, as the item pipeline asks for them. */
export interface NativeVolumes {
  /** The PersistentVolume as it goes on; see {@link restoreNativeVolume}. */
  restore(volume: JsonObject): Promise<JsonObject>;
  /** The name under which a volume was restored, where it is not its own. */
  newNameOf(volume: string): Promise<string | undefined>;
}

export interface NativeVolumeContext {
  readonly restore: Restore;
  readonly backup: Backup;
  readonly cluster: ActionCluster;
  /** Of the backup, by the name of the PersistentVolume; the first one counts. */
  readonly snapshots: ReadonlyMap<string, NativeVolumeSnapshot>;
  readonly snapshotters: VolumeSnapshotters;
  readonly ledger: NativeVolumeLedger;
  /** The error that makes the item be tried again until what it waits for is gone or its time is over. */
  mustWait(message: string): Error;
}

/**
 * Makes a volume from its native snapshot (spec restore-pipeline.md §12 "Native procedure", R-087… ). A volume whose claim moves to another namespace
 * and whose name the cluster has gets a name that is the same at every attempt; Velero's is random. Where the cluster has the volume and keeps it, the item goes
 * on as it is and meets the existing one.
 * @returns the PersistentVolume as it goes on through the item pipeline.
 * @throws ItemError for what the snapshotter refuses, and where an earlier attempt got no answer from it; {@link NativeVolumeContext.mustWait}.
 */
export async function restoreNativeVolume(volume: JsonObject, context: NativeVolumeContext): Promise<JsonObject> {
  const { restore, cluster, ledger } = context;
  const name = getString(volume, ['metadata', 'name']) ?? '';
  const mapping = restore.spec.namespaceMapping ?? {};
  const mapped = mapClaimNamespace(volume, mapping);

  const known = await ledger.find(name);
  if (known !== undefined) return finished(mapped, name, known, context);

  const room = await roomForVolume(cluster, name);
  const renames = room.room !== 'free' && claimIsMapped(volume, mapping);
  if (!renames && room.room === 'leaving') throw context.mustWait(`waiting for a volume's name: ${room.because}`);
  if (!renames && room.room === 'taken') {
    await ledger.record(name, { volumeId: undefined, newName: undefined });
    return mapped;
  }
  const made = {
    volumeId: await makeVolume(name, context),
    newName: renames ? cloneName(restore.uid, name) : undefined,
  };
  // At once: what fails from here on may be tried again.
  await ledger.record(name, made);
  return finished(mapped, name, made, context);
}

function claimIsMapped(volume: JsonObject, mapping: Readonly<Record<string, string>>): boolean {
  const namespace = getString(volume, ['spec', 'claimRef', 'namespace']);
  return namespace !== undefined && Object.hasOwn(mapping, namespace);
}

async function makeVolume(name: string, context: NativeVolumeContext): Promise<string> {
  const snapshot = snapshotOf(name, context);
  const location = await locationOf(snapshot.spec.location ?? '', context);
  const snapshotter = await context.snapshotters.open(location).catch(refused(name));
  const snapshotId = snapshot.status?.providerSnapshotID ?? '';
  if (!(await context.ledger.begin(name))) {
    throw new ItemError(
      `an earlier attempt asked ${location.provider} to make a volume from snapshot ${snapshotId} and got no answer: a volume may have been made that nothing refers to; it is not asked again`,
    );
  }
  const { volumeType = '', volumeAZ = '', volumeIOPS } = snapshot.spec;
  return snapshotter.createVolumeFromSnapshot(snapshotId, volumeType, volumeAZ, volumeIOPS).catch(refused(name));
}

/** The PersistentVolume that goes with what was made. */
async function finished(
  mapped: JsonObject,
  name: string,
  made: NativeVolume,
  context: NativeVolumeContext,
): Promise<JsonObject> {
  const { volumeId } = made;
  if (volumeId === undefined) return mapped;
  const location = await locationOf(snapshotOf(name, context).spec.location ?? '', context);
  const snapshotter = await context.snapshotters.open(location).catch(refused(name));
  const withId = await snapshotter.setVolumeId(resetVolumeBinding(mapped), volumeId).catch(refused(name));
  const givenName = getString(withId, ['metadata', 'name']) ?? name;
  const newName = givenName === name ? made.newName : givenName;
  if (newName !== made.newName) await context.ledger.record(name, { volumeId, newName });
  if (newName === undefined) return withId;
  const annotations = { ...getObject(withId, ['metadata', 'annotations']), [ORIGINAL_NAME]: name };
  return setIn(setIn(withId, ['metadata', 'name'], newName), ['metadata', 'annotations'], annotations);
}

function cloneName(restoreUid: string, name: string): string {
  return `velero-clone-${deterministicUuid(restoreUid, 'PersistentVolume', name)}`;
}

function snapshotOf(name: string, { snapshots }: NativeVolumeContext): NativeVolumeSnapshot {
  const snapshot = snapshots.get(name);
  if (snapshot === undefined) throw new ItemError('the backup has no snapshot of the volume');
  return snapshot;
}

/** The location by which the snapshot was taken, in the namespace of the backup. */
async function locationOf(name: string, { backup, cluster }: NativeVolumeContext): Promise<VolumeSnapshotLocation> {
  const location = await cluster.get('volumesnapshotlocations.velero.io', backup.namespace, name);
  if (location === undefined) {
    throw new ItemError(
      `volumesnapshotlocations.velero.io ${JSON.stringify(name)} not found in namespace ${backup.namespace}`,
    );
  }
  const credential = getObject(location, ['spec', 'credential']);
  return {
    name,
    namespace: backup.namespace,
    provider: getString(location, ['spec', 'provider']) ?? '',
    config: getStringMap(location, ['spec', 'config']),
    credential:
      credential === undefined
        ? undefined
        : { name: getString(credential, ['name']) ?? '', key: getString(credential, ['key']) ?? '' },
  };
}

function refused(name: string): (error: unknown) => never {
  return (error) => {
    const reason = messageOf(error);
    throw new ItemError(`error executing PVAction for persistentvolumes/${name}: ${reason}`);
  };
}
