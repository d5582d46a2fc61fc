import { describe, expect, it } from '@jest/globals';
import { serviceAccountAction } from '../../../../domain/actions/serviceAccount.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

function account(secrets: Json | undefined): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: 'shop', name: 'web' },
    imagePullSecrets: [{ name: 'web-token-pull' }],
    ...(secrets === undefined ? {} : { secrets }),
  };
}

const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));

describe('velero.io/service-account', () => {
  it.each<[string, JsonObject[] | undefined, JsonObject[] | undefined]>([
    ['no secrets', undefined, undefined],
    ['empty secrets', [], []],
    ['no match', named('web-other-1', 'api-token-1'), named('web-other-1', 'api-token-1')],
    ['no match in another case', named('Web-token-1', 'web-Token-1'), named('Web-token-1', 'web-Token-1')],
    ['a match at the start', named('web-token-1', 'a', 'b'), named('a', 'b')],
    ['a match in the middle', named('a', 'web-token-1', 'b'), named('a', 'b')],
    ['a match at the end', named('a', 'b', 'web-token-1'), named('a', 'b')],
    ['only the last of several matches', named('web-token-1', 'web-token-2', 'a'), named('web-token-1', 'a')],
    ['a list that becomes empty is left out', named('web-token-1'), undefined],
    ['the prefix alone', named('web-token-', 'web-token'), named('web-token')],
    ['entries without a name stay', [{}, { name: null }], [{}, { name: null }]],
  ])('%s', async (_, secrets, expected) => {
    const output = await runAction(serviceAccountAction, account(secrets));
    expect(output.item).toEqual(account(expected));
    expect(output.skipRestore).toBe(false);
  });

  it('refuses secrets that are no objects', async () => {
    await expect(runAction(serviceAccountAction, account(['web-token-1']))).rejects.toThrow(
      'secrets[0]: expected an object, found a string',
    );
  });
});
