import { describe, expect, it } from '@jest/globals';
import {
  createManager,
  finalManagedFields,
  hasManager,
  type Ownership,
  type Recognition,
  recognise,
} from '../../../../domain/item/fieldManager.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { frozen } from '../support/frozen.ts';
import { item } from '../support/items.ts';

const uid = '0b9d2c1e-2f37-4a1e-9f0e-7f5f0f4f1c11';
const ours = createManager(uid, 7);

function liveObject(metadata: JsonObject): JsonObject {
  return item('v1', 'ConfigMap', 'ns-1/c', { metadata: { creationTimestamp: '2026-11-30T16:06:01Z', ...metadata } });
}

function managedBy(...managers: string[]): JsonObject {
  return { managedFields: managers.map((manager) => ({ manager, operation: 'Update' })) };
}

const restored: JsonObject = { labels: { 'velero.io/restore-name': 'restore-1' } };
const known: Recognition = {
  restoreUid: uid,
  index: 7,
  since: '2026-11-30T16:06:00Z',
  recordedAsCreated: false,
  retried: false,
  restoreNameLabel: 'restore-1',
};

describe('createManager', () => {
  it('names restore and item, within the 128 characters that the API server takes', () => {
    expect(ours).toBe(`durable-restore:${uid}:7`);
    expect(createManager(uid, 99_999_999).length).toBeLessThanOrEqual(128);
  });
});

describe('recognise', () => {
  it.each<[string, JsonObject, Partial<Recognition>, Ownership]>([
    ['our create manager is there', liveObject(managedBy(ours)), {}, 'unfinished'],
    ['beside others', liveObject(managedBy('kubectl', ours)), { recordedAsCreated: true, retried: true }, 'unfinished'],
    ['that of another item', liveObject(managedBy(createManager(uid, 77))), {}, 'foreign'],
    ['that of another restore', liveObject(managedBy(createManager('other', 7))), {}, 'foreign'],
    ['our plain manager says nothing', liveObject(managedBy('durable-restore')), {}, 'foreign'],
    ['recorded as created', liveObject({}), { recordedAsCreated: true }, 'finished'],
    ['a second attempt and our label', liveObject(restored), { retried: true }, 'finished'],
    ['a first attempt and our label', liveObject(restored), {}, 'foreign'],
    ['a second attempt and no label', liveObject({}), { retried: true }, 'foreign'],
    [
      'a second attempt and the label of another restore',
      liveObject({ labels: { 'velero.io/restore-name': 'restore-2' } }),
      { retried: true },
      'foreign',
    ],
    [
      'created before the restore began, whatever else it says',
      liveObject({ ...managedBy(ours), ...restored, creationTimestamp: '2026-11-30T16:05:59Z' }),
      { recordedAsCreated: true, retried: true },
      'foreign',
    ],
    [
      'created in the second in which it began',
      liveObject({ ...managedBy(ours), creationTimestamp: known.since }),
      {},
      'unfinished',
    ],
    ['with parts of a second', liveObject(managedBy(ours)), { since: '2026-11-30T16:06:00.500Z' }, 'unfinished'],
    ['no creation time', item('v1', 'ConfigMap', 'ns-1/c', { metadata: managedBy(ours) }), {}, 'foreign'],
  ])('%s', (_title, live, facts, expected) => {
    expect(recognise(frozen(live), { ...known, ...facts })).toBe(expected);
  });
});

describe('finalManagedFields', () => {
  const ofBackup: Json[] = [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:data': {} } }];

  it.each<[string, Json | undefined, JsonObject, Json[] | undefined]>([
    ['R-056 those of the backup', ofBackup, liveObject(managedBy(ours)), ofBackup],
    ['those of the backup, where ours are gone already', ofBackup, liveObject({}), ofBackup],
    [
      'the live ones under our plain name, where the backup has none',
      undefined,
      liveObject(managedBy('other', ours)),
      managedBy('other', 'durable-restore')['managedFields'] as Json[],
    ],
    [
      'the same where the backup has an empty list',
      [],
      liveObject(managedBy(ours)),
      managedBy('durable-restore')['managedFields'] as Json[],
    ],
    ['nothing to write where ours are not there', undefined, liveObject(managedBy('other')), undefined],
    ['nothing to write where there are none', undefined, liveObject({}), undefined],
  ])('%s', (_title, itemManagedFields, live, expected) => {
    expect(finalManagedFields(itemManagedFields, frozen(live), ours)).toEqual(expected);
  });

  it('end the mark of an unfinished object', () => {
    const live = liveObject(managedBy(ours));
    const managedFields = finalManagedFields(undefined, live, ours) ?? [];

    expect(hasManager(live, ours)).toBe(true);
    expect(hasManager(liveObject({ managedFields }), ours)).toBe(false);
  });
});
