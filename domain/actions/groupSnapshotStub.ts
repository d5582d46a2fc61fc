import { getArray, getObject, getString, type Json, type JsonObject } from '../json.ts';
import { RESTORE_NAME_LABEL } from '../restore/labels.ts';
import type { RestoreItemActionInput } from './action.ts';
import type { ActionObjects } from './actionObjects.ts';
import { csiName } from './csiNames.ts';

export const GROUP_SNAPSHOT_CONTENTS = 'volumegroupsnapshotcontents.groupsnapshot.storage.k8s.io';
const GROUP_SNAPSHOT_CLASSES = 'volumegroupsnapshotclasses.groupsnapshot.storage.k8s.io';
const HANDLES = ['spec', 'source', 'groupSnapshotHandles', 'volumeSnapshotHandles'];
const SECRET_ANNOTATIONS: readonly [parameter: string, annotation: string][] = [
  ['csi.storage.k8s.io/group-snapshotter-secret-name', 'groupsnapshot.storage.kubernetes.io/deletion-secret-name'],
  [
    'csi.storage.k8s.io/group-snapshotter-secret-namespace',
    'groupsnapshot.storage.kubernetes.io/deletion-secret-namespace',
  ],
];

/**
 * Some drivers take a member of a group snapshot only where the group's content is in the cluster: makes a stub of it, shared by all members (spec
 * item-actions.md §6.2). The finalizer removes it. Trouble with the stub never keeps a snapshot from being restored: the cluster may not know group snapshots.
 */
export async function ensureGroupSnapshotStub(input: RestoreItemActionInput): Promise<void> {
  const { itemFromBackup, objects, restore } = input;
  const annotation = (key: string): string => getString(itemFromBackup, ['metadata', 'annotations', key]) ?? '';
  const group = annotation('velero.io/csi-volumegroupsnapshot-handle');
  const handle = annotation('velero.io/csi-volumesnapshot-handle');
  const driver = annotation('velero.io/csi-driver-name');
  if (objects === undefined || group === '' || handle === '' || driver === '') return;
  try {
    const name = csiName(restore.uid, group);
    const stub = await stubOf(input, objects, { name, group, handle, driver });
    await addHandle(objects, stub, handle);
    if (getString(stub, ['status', 'volumeGroupSnapshotHandle']) === group) return;
    const status = { volumeGroupSnapshotHandle: group };
    await objects.patch(GROUP_SNAPSHOT_CONTENTS, undefined, name, { status }, 'status');
  } catch (error) {
    if (isInfrastructureFault(error)) throw error;
  }
}

function isInfrastructureFault(error: unknown): boolean {
  return error instanceof Error && 'infrastructure' in error && error.infrastructure === true;
}

interface Group {
  readonly name: string;
  readonly group: string;
  readonly handle: string;
  readonly driver: string;
}

async function stubOf(
  { itemFromBackup, restore, cluster }: RestoreItemActionInput,
  objects: ActionObjects,
  { name, group, handle, driver }: Group,
): Promise<JsonObject> {
  const classes = await cluster.list(GROUP_SNAPSHOT_CLASSES, undefined).catch(() => []);
  const ofDriver = classes.find((one) => getString(one, ['driver']) === driver);
  const parameters = getObject(ofDriver, ['parameters']) ?? {};
  const annotations: [string, Json][] = SECRET_ANNOTATIONS.flatMap(([parameter, annotation]) => {
    const value = parameters[parameter];
    return value === undefined ? [] : [[annotation, value]];
  });
  return objects.create(GROUP_SNAPSHOT_CONTENTS, undefined, {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1beta2',
    kind: 'VolumeGroupSnapshotContent',
    metadata: {
      name,
      labels: { [RESTORE_NAME_LABEL]: restore.name },
      annotations: Object.fromEntries(annotations),
    },
    spec: {
      deletionPolicy: 'Retain',
      driver,
      source: { groupSnapshotHandles: { volumeGroupSnapshotHandle: group, volumeSnapshotHandles: [handle] } },
      volumeGroupSnapshotRef: {
        name: `stub-vgs-${name.slice(0, 8)}`,
        namespace: getString(itemFromBackup, ['metadata', 'namespace']) ?? '',
      },
    },
  });
}

/** Members are restored side by side: the list is read and written until it holds this one. */
async function addHandle(objects: ActionObjects, stub: JsonObject, handle: string): Promise<void> {
  const name = getString(stub, ['metadata', 'name']) ?? '';
  let current: JsonObject | undefined = stub;
  for (let attempt = 0; attempt < 10 && current !== undefined; attempt++) {
    const handles = getArray(current, HANDLES) ?? [];
    if (handles.includes(handle)) return;
    const resourceVersion = getString(current, ['metadata', 'resourceVersion']);
    const source = { groupSnapshotHandles: { volumeSnapshotHandles: [...handles, handle] } };
    // With its version, so that a member added meanwhile is not lost; a refusal is tried again with the new one.
    const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
    await objects
      .patch(GROUP_SNAPSHOT_CONTENTS, undefined, name, { ...metadata, spec: { source } })
      .catch(() => undefined);
    current = await objects.get(GROUP_SNAPSHOT_CONTENTS, undefined, name);
  }
}
