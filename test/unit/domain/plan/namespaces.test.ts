import { describe, expect, it } from '@jest/globals';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { item, podOf, withLabels } from '../support/items.ts';
import { namespacesOf, planOf } from '../support/plans.ts';

const objects = [
  podOf('shop/web', withLabels({ tier: 'frontend' })),
  podOf('data/db'),
  item('v1', 'Namespace', 'shop'),
  item('v1', 'Namespace', 'data'),
  item('v1', 'Namespace', 'infra', withLabels({ tier: 'frontend' })),
];

describe('namespaces of a plan', () => {
  it.each<[string, RestoreSpec, string[], string[]]>([
    ['a whole backup: all of them, empty ones too', {}, ['data', 'infra', 'shop'], []],
    ['a namespace filter: those that items need', { includedNamespaces: ['shop', 'infra'] }, ['shop'], []],
    ['no cluster-scoped items: those that items need', { includeClusterResources: false }, ['data', 'shop'], []],
    ['namespaces excluded as a resource', { excludedResources: ['ns'] }, ['data', 'shop'], []],
    [
      'a label selector: those of its items, and those that match themselves',
      { labelSelector: { matchLabels: { tier: 'frontend' } } },
      ['infra', 'shop'],
      [],
    ],
    [
      'cluster-scoped items besides a filter: the others too, with one warning (W11)',
      { includedNamespaces: ['shop'], includeClusterResources: true },
      ['data', 'infra', 'shop'],
      ['includeClusterResources also creates the namespaces that the filter leaves out: data, infra'],
    ],
    [
      'that warning does not name what labels keep away',
      {
        includedNamespaces: ['shop'],
        includeClusterResources: true,
        labelSelector: { matchLabels: { tier: 'frontend' } },
      },
      ['infra', 'shop'],
      ['includeClusterResources also creates the namespaces that the filter leaves out: infra'],
    ],
  ])('%s', async (_title, spec, expected, warnings) => {
    const plan = await planOf(spec, objects);

    expect(namespacesOf(plan)).toEqual(expected);
    expect(plan.messages).toEqual(warnings.map((text) => ({ level: 'warning', scope: 'velero', text })));
  });

  it('that must-have items need are not among those that the warning names', async () => {
    const plan = await planOf({ includedNamespaces: ['shop'], includeClusterResources: true }, [
      item('velero.io/v2alpha1', 'DataUpload', 'velero/du-1'),
      item('v1', 'Namespace', 'velero'),
      podOf('shop/web'),
    ]);

    expect(namespacesOf(plan)).toEqual(['shop', 'velero']);
    expect(plan.messages).toEqual([]);
  });

  it('have an entry with the original and the target name, and a wave before all items', async () => {
    const plan = await planOf({ namespaceMapping: { shop: 'shop-copy' } }, [podOf('shop/web')]);

    expect(plan.entries).toEqual([
      {
        index: 0,
        groupResource: 'namespaces',
        apiVersion: 'v1',
        kind: 'Namespace',
        name: 'shop',
        targetName: 'shop-copy',
      },
      {
        index: 1,
        groupResource: 'pods',
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'shop',
        targetNamespace: 'shop-copy',
        name: 'web',
      },
    ]);
    expect(plan.waves).toEqual([
      { name: 'namespaces', kind: 'namespaces', offset: 0, length: 1 },
      { name: 'pods', kind: 'items', offset: 1, length: 1 },
    ]);
  });

  it('are needed by completed pods too, as in Velero', async () => {
    const plan = await planOf({ includeClusterResources: false }, [
      podOf('done/job-1', { status: { phase: 'Succeeded' } }),
    ]);

    expect(namespacesOf(plan)).toEqual(['done']);
  });
});
