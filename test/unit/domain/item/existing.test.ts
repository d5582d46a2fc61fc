import { describe, expect, it } from '@jest/globals';
import { isPortAlreadyAllocated } from '../../../../domain/item/alreadyExists.ts';
import {
  createManager,
  finalManagedFields,
  hasManager,
  type Ownership,
  type Recognition,
  recognise,
} from '../../../../domain/item/fieldManager.ts';
import { createMergePatch } from '../../../../domain/item/mergePatch.ts';
import { resetMetadata } from '../../../../domain/item/resetMetadata.ts';
import { mergeServiceAccount } from '../../../../domain/item/serviceAccountMerge.ts';
import { getIn, type Json, type JsonObject } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/jsonText.ts';
import type { ApiFailure } from '../../../../domain/kubernetes/api.ts';
import { frozen } from '../support/frozen.ts';
import { item } from '../support/items.ts';
import { applyMergePatch, canonical, withoutNullMembers } from '../support/mergePatches.ts';

function failure(reason: string, causes: readonly string[] = []): ApiFailure {
  return {
    ok: false,
    status: reason === 'AlreadyExists' ? 409 : 422,
    reason,
    message: 'refused',
    causes: causes.map((message) => ({ reason: 'FieldValueInvalid', message, field: 'spec.ports[0].nodePort' })),
    retryAfterMs: undefined,
    date: undefined,
  };
}

const taken = 'Invalid value: 30080: provided port is already allocated';

describe('isPortAlreadyAllocated', () => {
  it.each<[string, string, ApiFailure, boolean]>([
    ['R-118 AlreadyExists says so itself, without causes', 'Service', failure('AlreadyExists'), false],
    ['R-119 not a Service', 'Pod', failure('Invalid', [taken]), false],
    ['R-120 a Service, no causes', 'Service', failure('Invalid'), false],
    [
      'R-121 a Service, another problem among the causes',
      'Service',
      failure('Invalid', [taken, 'Required value']),
      false,
    ],
    ['R-122, R-123 a Service, nothing but a port that is taken', 'Service', failure('Invalid', [taken]), true],
    ['several ports that are taken', 'Service', failure('Invalid', [taken, taken]), true],
    [
      'a healthCheckNodePort that is taken',
      'Service',
      failure('InternalError', [
        'failed to allocate requested HealthCheck NodePort 32000: provided port is already allocated',
      ]),
      true,
    ],
    ['a port out of range', 'Service', failure('Invalid', ['provided port is not in the valid range']), false],
  ])('%s', (_title, kind, refusal, expected) => {
    expect(isPortAlreadyAllocated(refusal, kind)).toBe(expected);
  });
});

function account(content: JsonObject): JsonObject {
  return item('v1', 'ServiceAccount', 'ns-1/sa', content);
}

function named(...names: string[]): Json[] {
  return names.map((name) => ({ name }));
}

describe('mergeServiceAccount', () => {
  it.each<[string, string, Json[] | undefined, Json[] | undefined, Json[] | undefined]>([
    ['R-246 disjoint', 'imagePullSecrets', named('a', 'b'), named('c', 'd'), named('a', 'b', 'c', 'd')],
    ['R-247 one in both', 'imagePullSecrets', named('a', 'b'), named('b', 'c'), named('a', 'b', 'c')],
    ['R-248 additions at the end', 'imagePullSecrets', named('m', 'z'), named('a', 'm'), named('m', 'z', 'a')],
    ['R-249 disjoint', 'secrets', named('a', 'b'), named('c', 'd'), named('a', 'b', 'c', 'd')],
    ['R-250 one in both', 'secrets', named('a', 'b'), named('b', 'c'), named('a', 'b', 'c')],
    ['R-251 additions at the end', 'secrets', named('m', 'z'), named('a', 'm'), named('m', 'z', 'a')],
    ['R-259 the backup has none', 'secrets', named('default-token'), undefined, named('default-token')],
    ['an empty list of the backup adds none', 'secrets', undefined, [], undefined],
    [
      'R-260 several',
      'secrets',
      named('token-1', 'token-2'),
      named('a', 'token-2', 'b'),
      named('token-1', 'token-2', 'a', 'b'),
    ],
    ['the cluster has none', 'secrets', undefined, named('a'), named('a')],
    ['the backup lists one twice', 'secrets', named('x'), named('a', 'a'), named('x', 'a')],
    [
      'the cluster keeps more fields of a reference',
      'secrets',
      [{ name: 'a', namespace: 'ns-1' }],
      [{ name: 'a', kind: 'Secret' }],
      [{ name: 'a', namespace: 'ns-1' }],
    ],
  ])('%s: %s', (_title, key, live, backup, expected) => {
    const list = (entries: Json[] | undefined): JsonObject => (entries === undefined ? {} : { [key]: entries });

    expect(getIn(mergeServiceAccount(frozen(account(list(live))), frozen(account(list(backup)))), [key])).toEqual(
      expected,
    );
  });

  it.each<[string, JsonObject | undefined, JsonObject | undefined, JsonObject | undefined]>([
    ['R-252 the cluster has none', undefined, { a: 'b' }, { a: 'b' }],
    ['R-253 a missing key', { a: 'b' }, { c: 'd' }, { a: 'b', c: 'd' }],
    ['R-254 the same key', { a: 'live' }, { a: 'backup' }, { a: 'live' }],
    ['R-261 a union', { a: 'live', b: '1' }, { a: 'backup', c: '2' }, { a: 'live', b: '1', c: '2' }],
    ['the backup has none', { a: 'b' }, undefined, { a: 'b' }],
    ['neither has any', undefined, undefined, undefined],
  ])('%s: labels and annotations', (_title, live, backup, expected) => {
    for (const key of ['labels', 'annotations']) {
      const map = (entries: JsonObject | undefined): JsonObject => ({
        metadata: entries === undefined ? {} : { [key]: entries },
      });

      const merged = mergeServiceAccount(frozen(account(map(live))), frozen(account(map(backup))));

      expect(getIn(merged, ['metadata', key])).toEqual(expected);
    }
  });

  it('R-261 takes nothing else of the backup, and no creation time comes into a patch', () => {
    const live = account({
      metadata: { creationTimestamp: '2026-11-30T16:06:01Z', labels: { a: 'b' } },
      automountServiceAccountToken: false,
    });
    const backup = account({
      metadata: { labels: { c: 'd' }, finalizers: ['example.com/f'] },
      automountServiceAccountToken: true,
    });

    const reset = resetMetadata(frozen(live));
    const merged = mergeServiceAccount(reset, frozen(backup));

    expect(createMergePatch(reset, merged)).toEqual({ metadata: { labels: { c: 'd' } } });
    expect(getIn(merged, ['metadata', 'creationTimestamp'])).toBeUndefined();
  });
});

describe('mergePatch', () => {
  const account = item('v1', 'ServiceAccount', 'ns-1/sa', {
    metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
    secrets: [{ name: 's-1' }],
  });
  const metadata = account['metadata'] as JsonObject;

  describe('createMergePatch', () => {
    it.each<[string, JsonObject, JsonObject | undefined]>([
      ['R-255 equal objects', structuredClone(account), undefined],
      [
        'R-256 labels added: only labels',
        { ...account, metadata: { ...metadata, labels: { a: 'b', e: 'f' } } },
        { metadata: { labels: { e: 'f' } } },
      ],
      [
        'R-257 annotations added: only annotations',
        { ...account, metadata: { ...metadata, annotations: { c: 'd', e: 'f' } } },
        { metadata: { annotations: { e: 'f' } } },
      ],
      [
        'R-258 secrets grew: the whole list',
        { ...account, secrets: [{ name: 's-1' }, { name: 's-2' }] },
        { secrets: [{ name: 's-1' }, { name: 's-2' }] },
      ],
      [
        'what only the first has becomes null',
        { ...account, metadata: { name: 'sa', namespace: 'ns-1', labels: { a: 'b' } } },
        { metadata: { annotations: null } },
      ],
      ['keys in another order are the same', Object.fromEntries(Object.entries(account).reverse()), undefined],
    ])('%s', (_title, to, expected) => {
      expect(createMergePatch(frozen(account), frozen(to))).toEqual(expected);
    });
  });

  /** JSON texts, because only a parser makes keys like `__proto__` as the API server's answers have them. */
  const values = [
    '{}',
    '{"a":null}',
    '{"a":{}}',
    '{"a":[]}',
    '{"a":""}',
    '{"a":0}',
    '{"a":false}',
    '{"a":"x","b":"y"}',
    '{"a":{"b":null,"c":1}}',
    '{"a":{"b":{"c":{"d":[1,2,3]}}}}',
    '{"a":{"b":{"c":{"d":[3,2,1]}}}}',
    '{"a":{"b":{"c":null}}}',
    '{"a":{"b":"text","c":{"d":true}}}',
    '{"a":[null]}',
    '{"a":[{"b":null}]}',
    '{"a":[{"b":1}]}',
    '{"a":[[],{}]}',
    '{"a":[{},[]]}',
    '{"a":["1"]}',
    '{"a":[1]}',
    '{"a":9223372036854775807}',
    '{"a":9223372036854775806}',
    '{"a":[9007199254740993]}',
    '{"a":9007199254740992}',
    '{"__proto__":{}}',
    '{"__proto__":{"a":1}}',
    '{"__proto__":null}',
    '{"__proto__":"x","a":{"__proto__":{"b":2}}}',
    '{"constructor":{},"toString":"x"}',
    '{"constructor":{"prototype":1},"hasOwnProperty":null}',
    '{"":{"":""}}',
    '{"a/b~c":{"d.e":1}}',
    '{"é":"\\u0000"}',
  ];

  describe('a merge patch, applied', () => {
    it.each(values)('brings %s to each of the others', (fromText) => {
      const from = frozen(parseJson(fromText) as JsonObject);
      for (const toText of values) {
        const to = frozen(parseJson(toText) as JsonObject);

        const patch = createMergePatch(from, to);

        expect(patch === undefined).toBe(canonical(from) === canonical(to));
        const result = applyMergePatch(from, patch ?? {}) as JsonObject;
        expect(canonical(withoutNullMembers(result))).toBe(canonical(withoutNullMembers(to)));
        if (!toText.includes('null')) expect(canonical(result)).toBe(canonical(to));
      }
    });
  });
});

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
