import { getArray, getString, type Json, type JsonObject } from '../json.ts';
import { RESTORE_NAME_LABEL } from '../restore/labels.ts';

/** Field manager of every write but a create. */
export const FIELD_MANAGER = 'durable-restore';

/**
 * Field manager of a create: tells for as long as it is there that this item of this restore made the object and has not
 * ended with it. The patch that puts the backup's managedFields back removes it (design §3).
 */
export function createManager(restoreUid: string, index: number): string {
  return `${FIELD_MANAGER}:${restoreUid}:${index}`;
}

function managers(object: JsonObject): (string | undefined)[] {
  return (getArray(object, ['metadata', 'managedFields']) ?? []).map((entry) => getString(entry, ['manager']));
}

export function hasManager(object: JsonObject, manager: string): boolean {
  return managers(object).includes(manager);
}

/**
 * The managedFields an object ends with: those of the backup, or, where the backup has none, the live ones under our plain
 * name, so that the create manager does not stay for ever.
 */
export function finalManagedFields(
  itemManagedFields: Json | undefined,
  live: JsonObject,
  manager: string,
): Json[] | undefined {
  if (Array.isArray(itemManagedFields) && itemManagedFields.length > 0) return itemManagedFields;
  if (!hasManager(live, manager)) return undefined;
  return (getArray(live, ['metadata', 'managedFields']) ?? []).map((entry) =>
    getString(entry, ['manager']) === manager && typeof entry === 'object' && !Array.isArray(entry) && entry !== null
      ? { ...entry, manager: FIELD_MANAGER }
      : entry,
  );
}

/** What is known when an object is there that this item was about to create. */
export interface Recognition {
  readonly restoreUid: string;
  readonly index: number;
  /** RFC 3339; the API server's clock at validation minus 5 s. */
  readonly since: string;
  /** An earlier attempt of this activity recorded `created`. */
  readonly recordedAsCreated: boolean;
  /** This is not the activity's first attempt. */
  readonly retried: boolean;
  /** Value of the restore-name label that this restore writes. */
  readonly restoreNameLabel: string;
}

/** `unfinished`: ours, but status and managedFields may still be missing; they are written only then (design §3). */
export type Ownership = 'foreign' | 'unfinished' | 'finished';

/** Whether an object that is there is there because of this item of this restore. */
export function recognise(live: JsonObject, known: Recognition): Ownership {
  const created = getString(live, ['metadata', 'creationTimestamp']);
  if (created === undefined || Date.parse(created) < Date.parse(known.since)) return 'foreign';
  if (hasManager(live, createManager(known.restoreUid, known.index))) return 'unfinished';
  if (known.recordedAsCreated) return 'finished';
  const label = getString(live, ['metadata', 'labels', RESTORE_NAME_LABEL]);
  return known.retried && label === known.restoreNameLabel ? 'finished' : 'foreign';
}
