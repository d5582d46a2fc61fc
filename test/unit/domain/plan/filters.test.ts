import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../domain/json.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { item, podOf, volumeOf, withLabels } from '../support/items.ts';
import { itemsOf, namespacesOf, planOf } from '../support/plans.ts';

const pods = [podOf('ns-1/pod-1'), podOf('ns-2/pod-2')];
const volumes = [volumeOf('pv-1', 'Retain'), volumeOf('pv-2', 'Retain')];
const deployments = [item('apps/v1', 'Deployment', 'ns-1/deploy-1'), item('apps/v1', 'Deployment', 'ns-2/deploy-2')];
const everything = [...pods, ...volumes, ...deployments];

const labelled = (value: string): JsonObject => withLabels({ a: value });
const withLabelled = [
  podOf('ns-1/pod-1', labelled('b')),
  podOf('ns-2/pod-2'),
  item('apps/v1', 'Deployment', 'ns-1/deploy-1'),
  item('apps/v1', 'Deployment', 'ns-2/deploy-2', labelled('b')),
  item('v1', 'PersistentVolume', 'pv-1', labelled('b')),
  item('v1', 'PersistentVolume', 'pv-2', labelled('c')),
];
const forOr = [
  podOf('ns-1/pod-1', withLabels({ a: 'b' })),
  podOf('ns-2/pod-2'),
  item('apps/v1', 'Deployment', 'ns-1/deploy-1', withLabels({ c: 'd' })),
  item('apps/v1', 'Deployment', 'ns-2/deploy-2', withLabels({ a: 'x' })),
  item('v1', 'PersistentVolume', 'pv-1', withLabels({ e: 'f', other: 'x' })),
];
const orLabelSelectors = ['a=b', 'c=d', 'e=f', 'g=h'].map((pair) => {
  const [key = '', value = ''] = pair.split('=');
  return { matchLabels: { [key]: value } };
});

const allPods = ['Pod ns-1/pod-1', 'Pod ns-2/pod-2'];
const allVolumes = ['PersistentVolume pv-1', 'PersistentVolume pv-2'];
const allDeployments = ['Deployment ns-1/deploy-1', 'Deployment ns-2/deploy-2'];
const all = [...allVolumes, ...allPods, ...allDeployments];
const inFirst = ['Pod ns-1/pod-1', 'Deployment ns-1/deploy-1'];

describe('filters', () => {
  it.each<[string, RestoreSpec, JsonObject[], string[]]>([
    ['R-007 no filters', {}, [...pods, ...volumes], [...allVolumes, ...allPods]],
    ['R-008 includedResources pods', { includedResources: ['pods'] }, everything, allPods],
    ['R-009 excludedResources by a short name', { excludedResources: ['pvs'] }, [...pods, ...volumes], allPods],
    ['R-010 includedNamespaces', { includedNamespaces: ['ns-1'] }, everything, inFirst],
    ['R-011 excludedNamespaces', { excludedNamespaces: ['ns-2'] }, everything, inFirst],
    [
      'R-012 includeClusterResources false',
      { includeClusterResources: false },
      everything,
      [...allPods, ...allDeployments],
    ],
    [
      'R-013 labelSelector',
      { labelSelector: { matchLabels: { a: 'b' } } },
      withLabelled,
      ['PersistentVolume pv-1', 'Pod ns-1/pod-1', 'Deployment ns-2/deploy-2'],
    ],
    [
      'R-014 four OR selectors',
      { orLabelSelectors },
      forOr,
      ['PersistentVolume pv-1', 'Pod ns-1/pod-1', 'Deployment ns-1/deploy-1'],
    ],
    [
      'R-015 one namespace, includeClusterResources true',
      { includedNamespaces: ['ns-1'], includeClusterResources: true },
      everything,
      [...allVolumes, ...inFirst],
    ],
    [
      'R-016 one namespace, includeClusterResources false',
      { includedNamespaces: ['ns-1'], includeClusterResources: false },
      everything,
      inFirst,
    ],
    ['R-017 one namespace, includeClusterResources unset', { includedNamespaces: ['ns-1'] }, everything, inFirst],
    [
      'R-018 all namespaces, includeClusterResources true',
      { includedNamespaces: ['*'], includeClusterResources: true },
      everything,
      all,
    ],
    [
      'R-019 all namespaces, includeClusterResources false',
      { includedNamespaces: ['*'], includeClusterResources: false },
      everything,
      [...allPods, ...allDeployments],
    ],
    ['R-020 includedResources * and pods', { includedResources: ['*', 'pods'] }, everything, all],
    ['R-021 excludedResources *', { excludedResources: ['*'] }, everything, all],
    ['R-022 includedResources with an unknown name', { includedResources: ['pods', 'unknowns'] }, everything, allPods],
    [
      'R-023 excludedResources with an unknown name',
      { excludedResources: ['deployments', 'unknowns'] },
      everything,
      [...allVolumes, ...allPods],
    ],
    ['R-025 a ServiceAccount', {}, [item('v1', 'ServiceAccount', 'ns-1/sa-1')], ['ServiceAccount ns-1/sa-1']],
    ['only unknown names: nothing', { includedResources: ['unknowns'] }, everything, []],
    ['all namespaces by *, unset: cluster scope too', { includedNamespaces: ['*'] }, everything, all],
  ])('%s', async (_title, spec, objects, expected) => {
    const plan = await planOf(spec, objects);

    expect(itemsOf(plan)).toEqual(expected);
    expect(plan.messages).toEqual([]);
  });

  it.each([
    ['nodes', item('v1', 'Node', 'n1')],
    ['events', item('v1', 'Event', 'ns-1/e1')],
    ['addresses that the API server makes itself', item('networking.k8s.io/v1', 'IPAddress', '10.0.0.1')],
  ])('never plans %s', async (_title, object) => {
    expect(itemsOf(await planOf({}, [object]))).toEqual([]);
  });

  it.each<[string, RestoreSpec, string[]]>([
    [
      'resource, namespace and label filters do not keep away what must be restored',
      {
        includedResources: ['pods'],
        includedNamespaces: ['ns-1'],
        labelSelector: { matchLabels: { a: 'b' } },
        includeClusterResources: true,
      },
      ['VolumeSnapshotContent vsc-1', 'DataUpload velero/du-1'],
    ],
    ['but the filter of cluster-scoped items does', { includedNamespaces: ['ns-1'] }, ['DataUpload velero/du-1']],
    ['as does includeClusterResources false', { includeClusterResources: false }, ['DataUpload velero/du-1']],
  ])('must-have resources: %s', async (_title, spec, expected) => {
    const plan = await planOf(spec, [
      item('velero.io/v2alpha1', 'DataUpload', 'velero/du-1'),
      item('snapshot.storage.k8s.io/v1', 'VolumeSnapshotContent', 'vsc-1'),
    ]);

    expect(itemsOf(plan)).toEqual(expected);
  });

  it('includes resources by the short name of a definition that the backup brings', async () => {
    const widget = item('example.com/v1', 'Widget', 'ns-1/w-1');
    const definition = item('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', {
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
        versions: [{ name: 'v1', served: true }],
      },
    });

    const plan = await planOf({ includedResources: ['wd'] }, [...everything, widget, definition]);

    expect(itemsOf(plan)).toEqual(['Widget ns-1/w-1']);
  });

  it('plans nothing for a label selector that cannot be read, which Velero lets pass its validation', async () => {
    const spec: RestoreSpec = { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Nope' }] } };

    const plan = await planOf(spec, everything);

    expect(plan.entries).toEqual([]);
    expect(plan.waves).toEqual([]);
    expect(plan.messages).toEqual([
      {
        level: 'error',
        scope: 'velero',
        text: 'label selector: matchExpressions[0].operator is "Nope", expected In, NotIn, Exists or DoesNotExist',
      },
    ]);
  });
});

describe('namespace mapping', () => {
  const mapped = [podOf('ns-1/pod-1'), podOf('ns-2/pod-2'), podOf('ns-3/pod-3')];
  const namespaceMapping = { 'ns-1': 'mapped-1', 'ns-2': 'mapped-2' };

  it.each<[string, RestoreSpec, string[], string[]]>([
    [
      'R-026 two of three namespaces',
      { namespaceMapping },
      ['Pod mapped-1/pod-1', 'Pod mapped-2/pod-2', 'Pod ns-3/pod-3'],
      ['mapped-1', 'mapped-2', 'ns-3'],
    ],
    [
      'R-027 includes name original namespaces',
      { namespaceMapping, includedNamespaces: ['ns-1', 'ns-2'] },
      ['Pod mapped-1/pod-1', 'Pod mapped-2/pod-2'],
      ['mapped-1', 'mapped-2'],
    ],
  ])('%s', async (_title, spec, expected, namespaces) => {
    const plan = await planOf(spec, mapped);

    expect(namespacesOf(plan)).toEqual(namespaces);
    expect(itemsOf(plan)).toEqual(expected);
    expect(plan.messages).toEqual([]);
  });

  it('finds no target in the prototype', async () => {
    const plan = await planOf({ namespaceMapping: {} }, [podOf('constructor/pod-1')]);

    expect(namespacesOf(plan)).toEqual(['constructor']);
    expect(itemsOf(plan)).toEqual(['Pod constructor/pod-1']);
  });
});
