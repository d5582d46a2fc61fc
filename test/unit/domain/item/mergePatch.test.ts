import { describe, expect, it } from '@jest/globals';
import { createMergePatch } from '../../../../domain/item/mergePatch.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/jsonText.ts';
import { frozen } from '../support/frozen.ts';
import { item } from '../support/items.ts';
import { applyMergePatch, canonical, withoutNullMembers } from '../support/mergePatches.ts';

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
