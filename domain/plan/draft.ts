import { ItemError } from '../item/itemError.ts';
import { getString, type JsonObject } from '../json.ts';
import type { RestoreSpec } from '../restore/restore.ts';
import { type BackupVolumes, decidePersistentVolume } from './persistentVolume.ts';
import type { VolumeDecision } from './planEntry.ts';
import { type BackupItem, itemPath } from './planSource.ts';
import { requestsPorts } from './requestedPorts.ts';

/** An item that will be restored, before it has its place. Kept small: a plan may hold 200,000 of them. */
export interface Draft extends BackupItem {
  readonly apiVersion: string;
  readonly kind: string;
  readonly volume?: VolumeDecision;
  /** Volume that a claim names. */
  readonly claimedVolume?: string;
  readonly requestsPorts?: true;
}

export const CUSTOM_RESOURCE_DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

export function keyOf({ groupResource, namespace, name }: BackupItem): string {
  return `${groupResource}\n${namespace ?? ''}\n${name}`;
}

/**
 * What the plan keeps of an item that it read.
 * @throws ItemError for an item without an apiVersion.
 */
export function draftOf(spec: RestoreSpec, volumes: BackupVolumes, item: BackupItem, object: JsonObject): Draft {
  const apiVersion = getString(object, ['apiVersion']) ?? '';
  if (apiVersion === '')
    throw new ItemError(`error decoding "${itemPath(item)}": apiVersion: expected a text, it is missing`);
  const base = { ...item, apiVersion, kind: getString(object, ['kind']) ?? '' };
  switch (item.groupResource) {
    case 'persistentvolumes':
      return { ...base, volume: decidePersistentVolume(object, volumes, { restorePVs: spec.restorePVs }) };
    case 'persistentvolumeclaims': {
      const claimedVolume = getString(object, ['spec', 'volumeName']);
      return claimedVolume === undefined ? base : { ...base, claimedVolume };
    }
    case 'services':
      return requestsPorts(object, spec) ? { ...base, requestsPorts: true } : base;
    default:
      return base;
  }
}
