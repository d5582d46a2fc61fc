import { describe, expect, it } from '@jest/globals';
import { decideExisting, isEqualToBackup } from '../../../../domain/item/existingObject.ts';
import { ItemError } from '../../../../domain/item/itemError.ts';
import { resetMetadata, resetStatus } from '../../../../domain/item/resetMetadata.ts';
import { getIn, type Json, type JsonObject, setIn } from '../../../../domain/json.ts';
import type { ExistingResourcePolicy } from '../../../../domain/restore/restore.ts';
import { frozen } from '../support/frozen.ts';
import { item, podOf } from '../support/items.ts';
import { applyMergePatch } from '../support/mergePatches.ts';
import { objectOf } from '../support/prepare.ts';

const labels = { 'velero.io/backup-name': 'backup-1', 'velero.io/restore-name': 'restore-1' };
const olderLabels = { 'velero.io/backup-name': 'foo', 'velero.io/restore-name': 'bar' };

/** As the API server returns it. */
function live(object: JsonObject, extra: JsonObject = {}): JsonObject {
  const metadata = {
    ...(object['metadata'] as JsonObject),
    uid: 'live-uid',
    resourceVersion: '42',
    creationTimestamp: '2026-11-30T16:06:01Z',
    ...extra,
  };
  return { ...object, metadata };
}

const account = item('v1', 'ServiceAccount', 'ns-1/sa-1');
const secret = item('v1', 'Secret', 'ns-1/sa-1', { data: { 'key-1': 'dmFsdWUtMQ==' } });

describe('decideExisting', () => {
  it.each<[string, JsonObject, JsonObject, ExistingResourcePolicy, unknown]>([
    ['R-048 a ServiceAccount that is the same', account, live(account), 'none', { kind: 'equal' }],
    [
      'R-051 a ServiceAccount with older restore labels, update',
      account,
      live(account, { labels: olderLabels }),
      'update',
      { kind: 'labels', labels: { metadata: { labels } } },
    ],
    [
      'R-052 a pod with older restore labels, update',
      podOf('ns-1/pod-1'),
      live(podOf('ns-1/pod-1'), { labels: olderLabels }),
      'update',
      { kind: 'labels', labels: { metadata: { labels } } },
    ],
    [
      'R-053, R-054 a pod with older restore labels, none or not set',
      podOf('ns-1/pod-1'),
      live(podOf('ns-1/pod-1'), { labels: olderLabels }),
      'none',
      { kind: 'equal' },
    ],
    [
      'only the label that is wrong is written',
      podOf('ns-1/pod-1'),
      live(podOf('ns-1/pod-1'), { labels: { ...labels, 'velero.io/restore-name': 'bar' } }),
      'update',
      { kind: 'labels', labels: { metadata: { labels: { 'velero.io/restore-name': 'restore-1' } } } },
    ],
    [
      'a pod with our labels, update: nothing is left to do',
      podOf('ns-1/pod-1'),
      live(podOf('ns-1/pod-1'), { labels }),
      'update',
      { kind: 'equal' },
    ],
    [
      'R-055 a ServiceAccount without secrets: they are added, restore labels are not',
      item('v1', 'ServiceAccount', 'ns-1/sa-1', {
        secrets: [{ name: 'secret-1' }],
        imagePullSecrets: [{ name: 'pull-secret-1' }],
      }),
      live(account),
      'none',
      {
        kind: 'mergeServiceAccount',
        patch: { secrets: [{ name: 'secret-1' }], imagePullSecrets: [{ name: 'pull-secret-1' }] },
        labels: undefined,
      },
    ],
    [
      'a ServiceAccount to merge, update: the labels are what is tried after a failure',
      item('v1', 'ServiceAccount', 'ns-1/sa-1', { metadata: { labels: { a: 'b' } }, secrets: [{ name: 'secret-1' }] }),
      live(account),
      'update',
      {
        kind: 'mergeServiceAccount',
        patch: { metadata: { labels: { a: 'b' } }, secrets: [{ name: 'secret-1' }] },
        labels: { metadata: { labels } },
      },
    ],
    [
      'a ServiceAccount that has all and more',
      account,
      live(item('v1', 'ServiceAccount', 'ns-1/sa-1', { secrets: [{ name: 'token' }] })),
      'update',
      { kind: 'equal' },
    ],
    ['a Secret with other data, none', secret, live({ ...secret, data: { foo: 'YmFy' } }), 'none', { kind: 'differs' }],
    [
      'R-049, R-050 a Secret with other data, update',
      secret,
      live({ ...secret, data: { foo: 'YmFy' } }),
      'update',
      {
        kind: 'update',
        patch: { metadata: { labels }, data: { foo: null, 'key-1': 'dmFsdWUtMQ==' } },
        labels: { metadata: { labels } },
      },
    ],
    [
      'a custom resource called ServiceAccount is none',
      item('example.com/v1', 'ServiceAccount', 'ns-1/sa-1', { secrets: [{ name: 'a' }] }),
      live(item('example.com/v1', 'ServiceAccount', 'ns-1/sa-1')),
      'none',
      { kind: 'differs' },
    ],
    [
      'the live status does not count',
      podOf('ns-1/pod-1'),
      { ...live(podOf('ns-1/pod-1')), status: { phase: 'Pending' } },
      'none',
      { kind: 'equal' },
    ],
    [
      'a default that the API server filled in counts',
      podOf('ns-1/pod-1'),
      { ...live(podOf('ns-1/pod-1')), spec: { restartPolicy: 'Always' } },
      'none',
      { kind: 'differs' },
    ],
  ])('%s', async (_title, backup, existing, policy, expected) => {
    const desired = await objectOf(backup);

    expect(decideExisting(frozen(existing), frozen(desired), labels, policy)).toEqual(expected);
  });

  it('an update brings the whole object to the state of the backup', async () => {
    const backup = item('v1', 'ConfigMap', 'ns-1/c', {
      metadata: { labels: { a: 'b' }, managedFields: [{ manager: 'kubectl', operation: 'Update' }] },
      data: { kept: 'x', changed: 'backup' },
    });
    const existing = live(backup, {
      labels: { a: 'live', added: 'y' },
      annotations: { added: 'z' },
      managedFields: [],
    });
    const desired = await objectOf(backup);

    const decision = decideExisting(
      frozen({ ...existing, data: { kept: 'x', changed: 'live' } }),
      desired,
      labels,
      'update',
    );

    if (decision.kind !== 'update') throw new Error(`expected an update, found ${decision.kind}`);
    expect(getIn(decision.patch, ['data'])).toEqual({ changed: 'backup' });
    const reset = resetStatus(resetMetadata({ ...existing, data: { kept: 'x', changed: 'live' } }));
    expect(applyMergePatch(reset, decision.patch)).toEqual(desired);
  });

  it('refuses a live object without metadata', async () => {
    const desired = await objectOf(secret);

    expect(() => decideExisting({ kind: 'Secret' }, desired, labels, 'none')).toThrow(ItemError);
  });
});

describe('isEqualToBackup', () => {
  const entry: JsonObject = {
    manager: 'kubectl',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-11-30T16:06:01Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { 'f:a': {} } },
  };
  const other: JsonObject = { ...entry, fieldsV1: { 'f:data': { 'f:b': {} } } };
  const statusEntry: JsonObject = { ...entry, subresource: 'status', fieldsV1: { 'f:status': {} } };

  it.each<[string, Json[] | undefined, Json[] | undefined, boolean]>([
    ['other times and managers', [{ ...entry, manager: 'velero', time: '2027-01-01T00:00:00Z' }], [entry], true],
    ['another order', [other, entry], [entry, other], true],
    ['ownership of the status', [entry, statusEntry], [entry], true],
    ['none at all on both sides', undefined, [], true],
    ['another operation', [{ ...entry, operation: 'Apply' }], [entry], false],
    ['other fields', [other], [entry], false],
    ['an entry more', [entry, other], [entry], false],
    ['an entry less', undefined, [entry], false],
    ['one entry twice is not two entries', [entry, entry], [entry, other], false],
    ['two entries are not one entry twice', [entry, other], [entry, entry], false],
    ['another subresource', [{ ...entry, subresource: 'scale' }], [entry], false],
  ])('managedFields: %s', (_title, liveFields, backupFields, expected) => {
    const withFields = (fields: Json[] | undefined): JsonObject =>
      item('v1', 'ConfigMap', 'ns-1/c', { metadata: fields === undefined ? {} : { managedFields: fields } });

    expect(isEqualToBackup(frozen(withFields(liveFields)), frozen(withFields(backupFields)))).toBe(expected);
  });

  it.each<[string, JsonObject, JsonObject, boolean]>([
    [
      'integers that a double cannot hold apart',
      { spec: { size: 9007199254740993n } },
      { spec: { size: 9007199254740992n } },
      false,
    ],
    ['the same big integer', { spec: { size: 9007199254740993n } }, { spec: { size: 9007199254740993n } }, true],
    ['null and missing', { spec: { a: null } }, { spec: {} }, false],
    ['order of a list', { spec: { a: [1, 2] } }, { spec: { a: [2, 1] } }, false],
    ['order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ])('%s', (_title, a, b, expected) => {
    expect(isEqualToBackup(item('v1', 'ConfigMap', 'ns-1/c', a), item('v1', 'ConfigMap', 'ns-1/c', b))).toBe(expected);
  });

  it('looks at the rest of metadata', () => {
    const object = item('v1', 'ConfigMap', 'ns-1/c');

    expect(isEqualToBackup(object, setIn(object, ['metadata', 'finalizers'], ['example.com/f']))).toBe(false);
  });
});
