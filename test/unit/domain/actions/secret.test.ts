import { describe, expect, it } from '@jest/globals';
import { secretAction } from '../../../../domain/actions/secret.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const UID = 'kubernetes.io/service-account.uid';
const NAME = 'kubernetes.io/service-account.name';

function secret(name: string, type: string, annotations?: JsonObject, data?: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'shop', name, ...(annotations === undefined ? {} : { annotations }) },
    ...(data === undefined ? {} : { data }),
    type,
  };
}

const account = (name: string): JsonObject => ({ metadata: { name } });

describe('velero.io/secret', () => {
  it('keeps a secret of another type that is named like a token', async () => {
    const item = secret('web-token-x', 'Opaque', { [UID]: '1' }, { token: 'dA==' });
    const output = await runAction(secretAction, item, { cluster: { 'serviceaccounts shop': [account('web')] } });
    expect(output).toEqual({ item, additionalItems: [], skipRestore: false });
  });

  it('skips the token that Kubernetes made for an account', async () => {
    const item = secret('web-token-x', TOKEN_TYPE, { [UID]: '1' }, { token: 'dA==' });
    const output = await runAction(secretAction, item, {
      cluster: { 'serviceaccounts shop': [account('api'), account('web')] },
    });
    expect(output).toEqual({ item, additionalItems: [], skipRestore: true });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'without the uid of the account, its token and certificate, but with the rest',
      secret(
        'web-token',
        TOKEN_TYPE,
        { [UID]: '1', [NAME]: 'web' },
        { token: 'dA==', 'ca.crt': 'Yw==', namespace: 'cw==', extra: 'eA==' },
      ),
      secret('web-token', TOKEN_TYPE, { [NAME]: 'web' }, { namespace: 'cw==', extra: 'eA==' }),
    ],
    [
      'without annotations and data that become empty',
      secret('mine', TOKEN_TYPE, { [UID]: '1' }, { token: 'dA==', 'ca.crt': 'Yw==' }),
      secret('mine', TOKEN_TYPE),
    ],
    ['as it is where it has none of them', secret('mine', TOKEN_TYPE), secret('mine', TOKEN_TYPE)],
    [
      'although an account of another namespace would match',
      secret('other-token-x', TOKEN_TYPE, { [NAME]: 'other' }, { token: 'dA==' }),
      secret('other-token-x', TOKEN_TYPE, { [NAME]: 'other' }),
    ],
  ])('restores a token that somebody made %s', async (_, item, expected) => {
    const cluster = { 'serviceaccounts shop': [account('web')], 'serviceaccounts data': [account('other')] };
    const output = await runAction(secretAction, item, { cluster });
    expect(output).toEqual({ item: expected, additionalItems: [], skipRestore: false });
  });

  it.each([
    ['the target namespace', { 'serviceaccounts shop-copy': [account('web')] }, true],
    ['not the original one', { 'serviceaccounts shop': [account('web')] }, false],
  ])('looks at accounts of %s where the namespace is mapped', async (_, cluster, skipped) => {
    const item = secret('web-token-x', TOKEN_TYPE, undefined, { token: 'dA==' });
    const output = await runAction(secretAction, item, { cluster, spec: { namespaceMapping: { shop: 'shop-copy' } } });
    expect(output.skipRestore).toBe(skipped);
  });

  it('looks at the original namespace where another one is mapped', async () => {
    const item = secret('web-token-x', TOKEN_TYPE);
    const output = await runAction(secretAction, item, {
      cluster: { 'serviceaccounts shop': [account('web')] },
      spec: { namespaceMapping: { data: 'data-copy' } },
    });
    expect(output.skipRestore).toBe(true);
  });

  it('names the field and not its content where data is no object', async () => {
    const item: JsonObject = { ...secret('mine', TOKEN_TYPE), data: ['c2VjcmV0'] };
    await expect(runAction(secretAction, item)).rejects.toThrow(/^data: expected an object, found a list$/);
  });
});
