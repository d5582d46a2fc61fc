import { describe, expect, it } from '@jest/globals';
import { clusterRoleBindingsAction } from '../../../../domain/actions/clusterRoleBindings.ts';
import { roleBindingsAction } from '../../../../domain/actions/roleBindings.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

function binding(subjects?: JsonObject[]): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace: 'shop', name: 'b' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'shop' },
    ...(subjects === undefined ? {} : { subjects }),
  };
}

const account = (namespace: string, name = 'web'): JsonObject => ({ kind: 'ServiceAccount', name, namespace });
const USER = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'system:serviceaccount:shop:web' };
const MAPPING = { shop: 'shop-copy', data: 'data-copy' };

describe.each([
  ['velero.io/role-bindings', roleBindingsAction],
  ['velero.io/cluster-role-bindings', clusterRoleBindingsAction],
])('%s', (_, action) => {
  it.each<[string, Record<string, string> | undefined, JsonObject[] | undefined, JsonObject[] | undefined]>([
    ['no mapping', undefined, [account('shop')], [account('shop')]],
    ['an empty mapping', {}, [account('shop')], [account('shop')]],
    ['no subjects', MAPPING, undefined, undefined],
    ['a mapped subject', MAPPING, [account('shop')], [account('shop-copy')]],
    ['an unmapped subject', MAPPING, [account('infra')], [account('infra')]],
    [
      'a mixed list, in its order',
      MAPPING,
      [account('infra'), account('data'), USER, account('shop')],
      [account('infra'), account('data-copy'), USER, account('shop-copy')],
    ],
    [
      'any kind of subject that has a namespace',
      MAPPING,
      [{ kind: 'Group', name: 'g', namespace: 'shop' }],
      [{ kind: 'Group', name: 'g', namespace: 'shop-copy' }],
    ],
    ['a chain, of which only the first step counts', { a: 'b', b: 'c' }, [account('a')], [account('b')]],
    ['a namespace named like a property of objects', MAPPING, [account('constructor')], [account('constructor')]],
  ])('%s', async (_name, namespaceMapping, subjects, expected) => {
    const output = await runAction(action, binding(subjects), { spec: { namespaceMapping } });
    expect(output.item).toEqual(binding(expected));
    expect(output.additionalItems).toEqual([]);
  });

  it('refuses a namespace that is no string', async () => {
    const item = binding([{ kind: 'ServiceAccount', name: 'web', namespace: 4 }]);
    await expect(runAction(action, item, { spec: { namespaceMapping: MAPPING } })).rejects.toThrow(
      'subjects[0].namespace: expected a string, found a number',
    );
  });
});
