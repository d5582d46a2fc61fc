import { describe, expect, it } from '@jest/globals';
import type { ActionCluster } from '../../../../domain/actions/action.ts';
import type { NativeVolumeSnapshot } from '../../../../domain/backup/volumeInfo.ts';
import { ItemError } from '../../../../domain/item/itemError.ts';
import { getIn, getString, type JsonObject, setIn } from '../../../../domain/json.ts';
import { toEntry } from '../../../../domain/plan/arrangePlan.ts';
import {
  type BackupVolumes,
  decidePersistentVolume,
  noBackupVolumes,
} from '../../../../domain/plan/persistentVolume.ts';
import {
  type NativeVolume,
  type NativeVolumeContext,
  type NativeVolumeLedger,
  restoreNativeVolume,
} from '../../../../domain/volumes/nativeVolume.ts';
import { roomForVolume } from '../../../../domain/volumes/safeToRestore.ts';
import type { VolumeSnapshotLocation } from '../../../../domain/volumes/volumeSnapshotter.ts';
import { frozen } from '../support/frozen.ts';
import { claimOf, item, volumeOf } from '../support/items.ts';
import { prepare } from '../support/prepare.ts';

const deleted = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };

/** A cluster by `resource [namespace/]name`. */
function clusterOf(objects: Readonly<Record<string, JsonObject>>): ActionCluster {
  return {
    get: (resource, namespace, name) =>
      Promise.resolve(objects[`${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`]),
    list: () => Promise.resolve([]),
  };
}

const volume = (): JsonObject => volumeOf('pv-1', 'Delete', 'ns-1/data');
const namespace = (content: JsonObject = {}): JsonObject => item('v1', 'Namespace', 'ns-1', content);

describe('roomForVolume', () => {
  it.each<[string, Record<string, JsonObject>, string]>([
    ['R-077 no such volume', {}, 'free'],
    ['R-078 a volume without a claim', { 'persistentvolumes pv-1': volumeOf('pv-1', 'Delete') }, 'taken'],
    [
      'R-078 a released volume',
      { 'persistentvolumes pv-1': { ...volume(), status: { phase: 'Released' } } },
      'leaving',
    ],
    ['a volume being deleted', { 'persistentvolumes pv-1': { ...volume(), ...deleted } }, 'leaving'],
    [
      'R-079 claim and namespace are alive',
      {
        'persistentvolumes pv-1': volume(),
        'persistentvolumeclaims ns-1/data': claimOf('ns-1/data', 'pv-1'),
        'namespaces ns-1': namespace(),
      },
      'taken',
    ],
    [
      'R-080 the claim is being deleted',
      {
        'persistentvolumes pv-1': volume(),
        'persistentvolumeclaims ns-1/data': { ...claimOf('ns-1/data', 'pv-1'), ...deleted },
        'namespaces ns-1': namespace(),
      },
      'leaving',
    ],
    [
      'R-081 the namespace is terminating',
      {
        'persistentvolumes pv-1': volume(),
        'persistentvolumeclaims ns-1/data': claimOf('ns-1/data', 'pv-1'),
        'namespaces ns-1': namespace({ status: { phase: 'Terminating' } }),
      },
      'leaving',
    ],
    [
      'R-082 the namespace is being deleted',
      {
        'persistentvolumes pv-1': volume(),
        'persistentvolumeclaims ns-1/data': claimOf('ns-1/data', 'pv-1'),
        'namespaces ns-1': namespace(deleted),
      },
      'leaving',
    ],
    ['R-083 the claim is gone', { 'persistentvolumes pv-1': volume(), 'namespaces ns-1': namespace() }, 'leaving'],
    [
      'R-084 the namespace is gone',
      { 'persistentvolumes pv-1': volume(), 'persistentvolumeclaims ns-1/data': claimOf('ns-1/data', 'pv-1') },
      'leaving',
    ],
  ])('%s', async (_, objects, room) => {
    expect(await roomForVolume(clusterOf(objects), 'pv-1')).toMatchObject({ room });
  });
});

/** The ledger of one restore, in memory. */
class MemoryLedger implements NativeVolumeLedger {
  readonly made = new Map<string, NativeVolume>();
  readonly begun = new Set<string>();

  find(name: string): Promise<NativeVolume | undefined> {
    return Promise.resolve(this.made.get(name));
  }

  begin(name: string): Promise<boolean> {
    const isFirst = !this.begun.has(name);
    this.begun.add(name);
    return Promise.resolve(isFirst);
  }

  record(name: string, made: NativeVolume): Promise<void> {
    this.made.set(name, made);
    return Promise.resolve();
  }
}

const snapshot: NativeVolumeSnapshot = {
  spec: {
    backupName: 'b',
    backupUID: 'u',
    location: 'loc-1',
    persistentVolumeName: 'pv-1',
    providerVolumeID: 'vol-old',
    volumeType: 'type-1',
    volumeAZ: 'az-1',
    volumeIOPS: 1,
  },
  status: { providerSnapshotID: 'snap-1', phase: 'Completed' },
};
const location = item('velero.io/v1', 'VolumeSnapshotLocation', 'velero/loc-1', {
  spec: { provider: 'example.com/disks', config: { region: 'r' }, credential: { name: 'secret', key: 'cloud' } },
});

interface World {
  readonly ledger: MemoryLedger;
  /** What the provider was asked. */
  readonly asked: unknown[];
  readonly opened: VolumeSnapshotLocation[];
  readonly context: NativeVolumeContext;
}

function world(
  options: {
    objects?: Record<string, JsonObject>;
    mapping?: Record<string, string>;
    rename?: string;
    fails?: boolean;
    snapshots?: NativeVolumeSnapshot[];
  } = {},
): World {
  const { objects = {}, mapping = {}, rename, fails = false, snapshots = [snapshot] } = options;
  const ledger = new MemoryLedger();
  const asked: unknown[] = [];
  const opened: VolumeSnapshotLocation[] = [];
  const context: NativeVolumeContext = {
    restore: { name: 'r', namespace: 'velero', uid: 'restore-uid', spec: { namespaceMapping: mapping } },
    backup: {
      name: 'b',
      namespace: 'velero',
      labels: {},
      storageLocation: 'default',
      snapshotMoveData: false,
      csiSnapshotTimeout: undefined,
      formatVersion: '1.1.0',
      phase: 'Completed',
      startTimestamp: undefined,
    },
    cluster: clusterOf({ 'volumesnapshotlocations.velero.io velero/loc-1': location, ...objects }),
    snapshots: new Map(snapshots.map((one) => [one.spec.persistentVolumeName ?? '', one])),
    ledger,
    snapshotters: {
      open: (where) => {
        opened.push(where);
        return Promise.resolve({
          createVolumeFromSnapshot: (...parameters) => {
            asked.push(parameters);
            return fails ? Promise.reject(new Error('no quota')) : Promise.resolve('vol-new');
          },
          setVolumeId: (persistentVolume, volumeId) => {
            const withId = setIn(persistentVolume, ['spec', 'disk', 'id'], volumeId);
            return Promise.resolve(rename === undefined ? withId : setIn(withId, ['metadata', 'name'], rename));
          },
        });
      },
    },
    mustWait: (message) => new Error(`must wait: ${message}`),
  };
  return { ledger, asked, opened, context };
}

const alive = {
  'persistentvolumes pv-1': volume(),
  'persistentvolumeclaims ns-1/data': claimOf('ns-1/data', 'pv-1'),
  'namespaces ns-1': namespace(),
};

describe('restoreNativeVolume', () => {
  const restore = (context: NativeVolumeContext, policy: 'Delete' | 'Retain' = 'Delete'): Promise<JsonObject> =>
    restoreNativeVolume(frozen(volumeOf('pv-1', policy, 'ns-1/data')), context);

  it.each(['Delete', 'Retain'] as const)('R-087, R-088, R-281 %s: a volume is made and its id set', async (policy) => {
    const { context, asked, opened, ledger } = world();

    const restored = await restore(context, policy);

    expect(asked).toEqual([['snap-1', 'type-1', 'az-1', 1]]);
    expect(opened[0]).toEqual({
      namespace: 'velero',
      name: 'loc-1',
      provider: 'example.com/disks',
      config: { region: 'r' },
      credential: { name: 'secret', key: 'cloud' },
    });
    expect(getIn(restored, ['spec'])).toEqual({
      persistentVolumeReclaimPolicy: policy,
      claimRef: { namespace: 'ns-1', name: 'data' },
      disk: { id: 'vol-new' },
    });
    expect(getIn(restored, ['metadata'])).toEqual({
      name: 'pv-1',
      annotations: { 'pv.kubernetes.io/provisioned-by': 'csi.example.com' },
    });
    expect(ledger.made.get('pv-1')).toEqual({ volumeId: 'vol-new', newName: undefined });
  });

  it.each(['Delete', 'Retain'] as const)(
    'R-089, R-090, R-096 %s: the cluster keeps its volume, the snapshot is not used',
    async (policy) => {
      const { context, asked } = world({ objects: alive });

      expect(await restore(context, policy)).toEqual(volumeOf('pv-1', policy, 'ns-1/data'));
      expect(asked).toEqual([]);
    },
  );

  it('R-091 a name that is taken, with a mapped claim: another name, the same at every attempt', async () => {
    const first = await restore(world({ objects: alive, mapping: { 'ns-1': 'mapped' } }).context);
    const second = await restore(world({ objects: alive, mapping: { 'ns-1': 'mapped' } }).context);

    expect(getString(first, ['metadata', 'name'])).toMatch(/^velero-clone-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(second).toEqual(first);
    expect(getIn(first, ['metadata', 'annotations', 'velero.io/original-pv-name'])).toBe('pv-1');
    expect(getIn(first, ['spec', 'claimRef'])).toEqual({ namespace: 'mapped', name: 'data' });
  });

  it('R-092 a free name stays under mapping', async () => {
    const restored = await restore(world({ mapping: { 'ns-1': 'mapped' } }).context);

    expect(getString(restored, ['metadata', 'name'])).toBe('pv-1');
    expect(getIn(restored, ['spec', 'claimRef', 'namespace'])).toBe('mapped');
    expect(getIn(restored, ['metadata', 'annotations', 'velero.io/original-pv-name'])).toBeUndefined();
  });

  it.each([
    ['R-095 where the name is free', {}],
    ['R-097 where it is taken', alive],
  ])('%s the snapshotter may choose the name', async (_, objects) => {
    const { context, ledger } = world({ objects, mapping: { 'ns-1': 'mapped' }, rename: 'chosen' });

    const restored = await restore(context);

    expect(getString(restored, ['metadata', 'name'])).toBe('chosen');
    expect(getIn(restored, ['metadata', 'annotations', 'velero.io/original-pv-name'])).toBe('pv-1');
    expect(ledger.made.get('pv-1')?.newName).toBe('chosen');
  });

  it('R-080, R-083 waits for a volume that is going away', async () => {
    const { context, asked } = world({ objects: { 'persistentvolumes pv-1': volume() } });

    await expect(restore(context)).rejects.toThrow(
      "must wait: waiting for a volume's name: PersistentVolume pv-1 is claimed by ns-1/data, which is gone or being deleted",
    );
    expect(asked).toEqual([]);
  });

  it('asks the provider once: a second attempt takes what the first one made', async () => {
    const { context, asked } = world({ objects: alive, mapping: { 'ns-1': 'mapped' } });

    expect(await restore(context)).toEqual(await restore(context));
    expect(asked).toHaveLength(1);
  });

  it('is an error where an earlier attempt got no answer, and the provider is not asked again', async () => {
    const { context, asked, ledger } = world();
    ledger.begun.add('pv-1');

    await expect(restore(context)).rejects.toThrow('make a volume from snapshot snap-1 and got no answer');
    expect(asked).toEqual([]);
  });

  it.each([
    ['the provider refuses', { fails: true }, 'error executing PVAction for persistentvolumes/pv-1: no quota'],
    ['the backup has no snapshot of it', { snapshots: [] }, 'the backup has no snapshot of the volume'],
    [
      'the location is not there',
      { snapshots: [{ ...snapshot, spec: { ...snapshot.spec, location: 'other' } }] },
      'volumesnapshotlocations.velero.io "other" not found in namespace velero',
    ],
  ])('is an error of the item where %s', async (_, options, message) => {
    await expect(restore(world(options).context)).rejects.toThrow(message);
  });

  it('R-275 a volume without a name is an error', async () => {
    await expect(restoreNativeVolume({ kind: 'PersistentVolume' }, world().context)).rejects.toThrow(ItemError);
  });
});

describe('which volumes are made from native snapshots', () => {
  const native: BackupVolumes = { ...noBackupVolumes, nativeSnapshots: new Set(['pv-1']) };

  it.each<[string, BackupVolumes, boolean | undefined, string]>([
    ['R-276, R-278 restorePVs false although a snapshot exists', native, false, 'restore'],
    ['R-277, R-279 no snapshots in the backup', noBackupVolumes, true, 'restore'],
    [
      'R-280 snapshots of other volumes only',
      { ...noBackupVolumes, nativeSnapshots: new Set(['pv-2']) },
      true,
      'restore',
    ],
    ['R-281 a snapshot', native, undefined, 'nativeSnapshot'],
  ])('%s', (_, volumes, restorePVs, decision) => {
    expect(decidePersistentVolume(volumeOf('pv-1', 'Retain', 'ns-1/data'), volumes, { restorePVs })).toBe(decision);
  });
});

describe('claims of volumes that are made from native snapshots', () => {
  it.each([
    ['R-091, R-095 follow the new name', 'renamed', 'renamed'],
    ['R-092 keep the name that stays', undefined, 'pv-1'],
  ])('%s', async (_, newName, expected) => {
    const nativeVolumes = {
      restore: (one: JsonObject) => Promise.resolve(one),
      newNameOf: () => Promise.resolve(newName),
    };

    const prepared = await prepare(claimOf('ns-1/data', 'pv-1'), { planned: { nativeVolume: true }, nativeVolumes });

    expect('object' in prepared && getString(prepared.object, ['spec', 'volumeName'])).toBe(expected);
  });

  it.each<[string, 'nativeSnapshot' | 'restore' | 'provision', object]>([
    ['are known in the plan', 'nativeSnapshot', { nativeVolume: true }],
    ['of others are not', 'restore', {}],
    ['that are provisioned anew lose the name', 'provision', { dropVolumeName: true }],
  ])('%s', (_, volume, expected) => {
    const draft = {
      groupResource: 'persistentvolumeclaims',
      namespace: 'ns-1',
      name: 'data',
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      claimedVolume: 'pv-1',
    };

    const { nativeVolume, dropVolumeName } = toEntry({}, draft, new Map([['pv-1', volume]]));
    expect({ nativeVolume, dropVolumeName }).toEqual({
      nativeVolume: undefined,
      dropVolumeName: undefined,
      ...expected,
    });
  });
});
