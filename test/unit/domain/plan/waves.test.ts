import { describe, expect, it } from '@jest/globals';
import { defaultResourcePriorities } from '../../../../domain/plan/priorities.ts';
import { waveResources } from '../../../../domain/plan/waves.ts';
import { item, podOf } from '../support/items.ts';
import { planOf } from '../support/plans.ts';
import { servedTable } from '../support/table.ts';

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';
const none = { high: [], low: [] };

describe('waves between the priority lists', () => {
  it('are six, in an order that does not depend on the alphabet', () => {
    const waves = waveResources(
      { high: ['pods'], low: ['clusters.cluster.x-k8s.io'] },
      [
        'validatingwebhookconfigurations.admissionregistration.k8s.io',
        'validatingadmissionpolicies.admissionregistration.k8s.io',
        'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
        'resourcequotas',
        'widgets.example.com',
        'apiservices.example.com',
        'controllerrevisions.apps.kruise.io',
        'deployments.apps',
        'ingresses.networking.k8s.io',
        'configmaps',
        'controllerrevisions.apps',
        'csidrivers.storage.k8s.io',
        'runtimeclasses.node.k8s.io',
        'ingressclasses.networking.k8s.io',
        'apiservices.apiregistration.k8s.io',
        'clusters.cluster.x-k8s.io',
        'pods',
      ],
      servedTable,
    );

    expect(waves).toEqual([
      { name: CRDS, resources: [CRDS] },
      { name: 'namespaces', resources: ['namespaces'] },
      { name: 'pods', resources: ['pods'] },
      {
        name: 'middle: API services and classes',
        resources: [
          'apiservices.apiregistration.k8s.io',
          'csidrivers.storage.k8s.io',
          'ingressclasses.networking.k8s.io',
          'runtimeclasses.node.k8s.io',
        ],
      },
      { name: 'middle: controller revisions', resources: ['controllerrevisions.apps'] },
      { name: 'middle: built-in kinds', resources: ['configmaps', 'deployments.apps', 'ingresses.networking.k8s.io'] },
      {
        name: 'middle: custom resources',
        resources: ['apiservices.example.com', 'controllerrevisions.apps.kruise.io', 'widgets.example.com'],
      },
      { name: 'middle: resource quotas', resources: ['resourcequotas'] },
      {
        name: 'middle: admission',
        resources: [
          'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
          'validatingadmissionpolicies.admissionregistration.k8s.io',
          'validatingwebhookconfigurations.admissionregistration.k8s.io',
        ],
      },
      { name: 'clusters.cluster.x-k8s.io', resources: ['clusters.cluster.x-k8s.io'] },
    ]);
  });
});

describe('waves of the priority lists', () => {
  it('are one for each resource, in the order of the lists, their names resolved', () => {
    const backup = ['pods', 'services', 'replicasets.apps', 'storageclasses.storage.k8s.io', 'secrets'];

    const waves = waveResources(defaultResourcePriorities, backup, servedTable).filter(({ name }) =>
      backup.includes(name),
    );

    expect(waves.map(({ name }) => name)).toEqual([
      'storageclasses.storage.k8s.io',
      'secrets',
      'pods',
      'replicasets.apps',
      'services',
    ]);
    expect(waves.every(({ name, resources }) => resources.length === 1 && resources[0] === name)).toBe(true);
  });

  it.each([
    ['high', { high: ['sts', 'statefulset'], low: [] }, ['statefulsets.apps', 'middle: built-in kinds']],
    ['low', { high: [], low: ['sts', 'statefulsets'] }, ['middle: built-in kinds', 'statefulsets.apps']],
    ['high before low', { high: ['sts'], low: ['statefulsets.apps'] }, ['statefulsets.apps', 'middle: built-in kinds']],
  ])('know a resource by any of its names: %s', (_title, priorities, expected) => {
    const waves = waveResources(priorities, ['statefulsets.apps', 'deployments.apps', 'configmaps'], servedTable);

    expect(waves.map(({ name }) => name)).toEqual([CRDS, 'namespaces', ...expected]);
  });

  it.each([
    ['not listed', none],
    ['listed last', { high: ['pods'], low: ['namespaces', 'customresourcedefinitions'] }],
  ])('definitions and namespaces come first where they are %s', async (_title, priorities) => {
    const objects = [
      podOf('ns-1/pod-1'),
      item('v1', 'Namespace', 'ns-1'),
      item('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com'),
      item('apps/v1', 'Deployment', 'ns-1/deploy-1'),
    ];

    const plan = await planOf({}, objects, { priorities });

    expect(plan.waves.slice(0, 2)).toEqual([
      { name: CRDS, kind: 'customResourceDefinitions', offset: 0, length: 1 },
      { name: 'namespaces', kind: 'namespaces', offset: 1, length: 1 },
    ]);
    expect(plan.waves.slice(2).every(({ kind }) => kind === 'items')).toBe(true);
    expect(plan.entries.map(({ kind }) => kind).sort()).toEqual([
      'CustomResourceDefinition',
      'Deployment',
      'Namespace',
      'Pod',
    ]);
  });
});

describe('strict order', () => {
  it('gives every resource a wave: high, the alphabet, low', () => {
    const backup = [
      'widgets.example.com',
      'deployments.apps',
      'resourcequotas',
      'pods',
      'apiservices.apiregistration.k8s.io',
    ];

    const waves = waveResources({ high: ['pods'], low: ['deployments'] }, backup, servedTable, 'strict');

    expect(waves.map(({ name, resources }) => [name, ...resources])).toEqual(
      [
        CRDS,
        'namespaces',
        'pods',
        'apiservices.apiregistration.k8s.io',
        'resourcequotas',
        'widgets.example.com',
        'deployments.apps',
      ].map((name) => [name, name]),
    );
  });
});
