import { describe, expect, it } from '@jest/globals';
import { createMergePatch } from '../../../../domain/item/mergePatch.ts';
import { resetMetadata } from '../../../../domain/item/resetMetadata.ts';
import { mergeServiceAccount } from '../../../../domain/item/serviceAccountMerge.ts';
import { getIn, type Json, type JsonObject } from '../../../../domain/json.ts';
import { frozen } from '../support/frozen.ts';
import { item } from '../support/items.ts';

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
