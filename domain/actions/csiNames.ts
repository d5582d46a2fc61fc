import { createHash } from 'node:crypto';
import type { Restore } from '../restore/restore.ts';

export const VOLUME_SNAPSHOTS = 'volumesnapshots.snapshot.storage.k8s.io';
export const VOLUME_SNAPSHOT_CONTENTS = 'volumesnapshotcontents.snapshot.storage.k8s.io';
export const VOLUME_SNAPSHOT_CLASSES = 'volumesnapshotclasses.snapshot.storage.k8s.io';

/** What a backup says of a claim in its annotations. */
export const VOLUME_SNAPSHOT_ANNOTATION = 'velero.io/volume-snapshot-name';
export const DATA_UPLOAD_ANNOTATION = 'velero.io/data-upload-name';

/** Name of a VolumeSnapshot and its content in a restore, and of a group's stub: Velero's own rule (spec item-actions.md §6). */
export function csiName(restoreUid: string, name: string): string {
  return createHash('sha256').update(`${restoreUid}/${name}`).digest('hex');
}

/** @param namespace original. */
export function targetNamespace({ spec }: Restore, namespace: string): string {
  const mapping = spec.namespaceMapping ?? {};
  return Object.hasOwn(mapping, namespace) ? (mapping[namespace] ?? namespace) : namespace;
}
