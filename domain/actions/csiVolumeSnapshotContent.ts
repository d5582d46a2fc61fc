import { ItemError } from '../item/itemError.ts';
import { deleteIn, getString, type JsonObject, setIn } from '../json.ts';
import { type ActionCluster, type RestoreItemAction, skipRestore, updated } from './action.ts';
import { CSI_VOLUME_SNAPSHOT_CONTENT, secretOfContent } from './additionalItems.ts';
import { csiName, targetNamespace, VOLUME_SNAPSHOT_CLASSES } from './csiNames.ts';
import { readString } from './itemFields.ts';

/**
 * Makes a VolumeSnapshotContent refer to the snapshot by its handle, under the name that its VolumeSnapshot gets, and never delete it (spec item-actions.md
 * §6.3). Its class is the first one of the target that has its driver. Needs feature `EnableCSI`.
 */
export const csiVolumeSnapshotContentAction: RestoreItemAction = {
  name: CSI_VOLUME_SNAPSHOT_CONTENT,
  appliesTo: { includedResources: ['volumesnapshotcontents.snapshot.storage.k8s.io'] },
  async execute({ item, itemFromBackup, restore, cluster }) {
    if (restore.spec.restorePVs === false) return skipRestore(item);
    const name = csiName(restore.uid, readString(itemFromBackup, ['spec', 'volumeSnapshotRef', 'name']) ?? '');
    const handle = readString(itemFromBackup, ['status', 'snapshotHandle']);
    if (handle === undefined) throw new ItemError(`fail to get snapshot handle from VSC ${name} status`);
    const referenced = setReference(item, name, targetNamespace(restore, refNamespace(item)));
    const fromHandle = setIn(
      deleteIn(referenced, ['spec', 'source', 'volumeHandle']),
      ['spec', 'source', 'snapshotHandle'],
      handle,
    );
    const retained = setIn(setIn(fromHandle, ['spec', 'deletionPolicy'], 'Retain'), ['metadata', 'name'], name);
    return updated(await withClass(retained, cluster), secretOfContent(item));
  },
};

function refNamespace(content: JsonObject): string {
  return readString(content, ['spec', 'volumeSnapshotRef', 'namespace']) ?? '';
}

function setReference(content: JsonObject, name: string, namespace: string): JsonObject {
  const ref = ['spec', 'volumeSnapshotRef'];
  const named = setIn(setIn(content, [...ref, 'name'], name), [...ref, 'namespace'], namespace);
  return deleteIn(deleteIn(named, [...ref, 'uid']), [...ref, 'resourceVersion']);
}

/** Where the classes cannot be listed the content has none, as in Velero. */
async function withClass(content: JsonObject, cluster: ActionCluster): Promise<JsonObject> {
  const without = deleteIn(content, ['spec', 'volumeSnapshotClassName']);
  const driver = readString(content, ['spec', 'driver']) ?? '';
  const classes = await cluster.list(VOLUME_SNAPSHOT_CLASSES, undefined).catch((error: unknown) => {
    if (error instanceof ItemError) return [];
    throw error;
  });
  const found = classes.find((one) => getString(one, ['driver']) === driver);
  const name = getString(found, ['metadata', 'name']);
  return name === undefined ? without : setIn(without, ['spec', 'volumeSnapshotClassName'], name);
}
