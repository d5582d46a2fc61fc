import { describe, expect, it } from '@jest/globals';
import { type ApiResource, ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';

function resource(
  group: string,
  version: string,
  plural: string,
  kind: string,
  more: Partial<ApiResource> = {},
): ApiResource {
  return {
    group,
    version,
    resource: plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    kind,
    namespaced: true,
    verbs: ['create'],
    ...more,
  };
}

const table = new ResourceTable(
  [
    resource('', 'v1', 'pods', 'Pod', { shortNames: ['po'] }),
    resource('', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
    resource('', 'v1', 'services', 'Service', { shortNames: ['svc', 'widgets'] }),
    resource('', 'v1', 'endpoints', 'Endpoints', { shortNames: ['ep'], singular: '' }),
    resource('apps', 'v1', 'deployments', 'Deployment', { shortNames: ['deploy'] }),
    resource('apps', 'v1beta1', 'deployments', 'Deployment', { shortNames: ['deploy'] }),
    resource('events.k8s.io', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
    resource('example.com', 'v2', 'widgets', 'Widget', { shortNames: ['po'] }),
    resource('metrics.k8s.io', 'v1beta1', 'pods', 'PodMetrics', { singular: '' }),
  ],
  [{ group: 'apps', versions: ['v1', 'v1beta1'] }],
  [{ group: 'dead.example.com', version: 'v1' }],
);

describe('ResourceTable.resolve', () => {
  it.each([
    ['pods', 'pods', 'v1'],
    ['pod', 'pods', 'v1'],
    ['Pod', 'pods', 'v1'],
    ['PODS', 'pods', 'v1'],
    ['po', 'pods', 'v1'],
    ['endpoints', 'endpoints', 'v1'],
    ['ep', 'endpoints', 'v1'],
    ['deploy', 'deployments.apps', 'v1'],
    ['deployments', 'deployments.apps', 'v1'],
    ['deployments.apps', 'deployments.apps', 'v1'],
    ['deployment.app', 'deployments.apps', 'v1'],
    ['deployments.v1beta1.apps', 'deployments.apps', 'v1beta1'],
    ['events', 'events', 'v1'],
    ['events.events.k8s.io', 'events.events.k8s.io', 'v1'],
    ['events.events', 'events.events.k8s.io', 'v1'],
    ['ev.events.k8s.io', 'events.events.k8s.io', 'v1'],
    ['pods.metrics.k8s.io', 'pods.metrics.k8s.io', 'v1beta1'],
    ['podmetrics', 'pods.metrics.k8s.io', 'v1beta1'],
    ['pods.', 'pods', 'v1'],
    ['pods.v1.', 'pods', 'v1'],
    // A short name of services; a resource that is really called so comes first.
    ['widgets', 'widgets.example.com', 'v2'],
    ['po.example.com', 'widgets.example.com', 'v2'],
  ])('%s means %s in %s', (name, groupResource, version) => {
    expect(table.resolveName(name)).toBe(groupResource);
    expect(table.resolve(name)?.version).toBe(version);
  });

  it.each(['unknown', 'pods.unknown', '', '.', 'deployments.v3.apps', 'constructor'])('%p means nothing', (name) => {
    expect(table.resolve(name)).toBeUndefined();
    expect(table.resolveName(name)).toBe(name);
  });
});

describe('ResourceTable', () => {
  it('finds kinds by group and version', () => {
    expect(table.forKind('apps', 'v1beta1', 'Deployment')).toMatchObject({
      resource: 'deployments',
      version: 'v1beta1',
    });
    expect(table.forKind('apps', 'v1', 'deployment')).toBeUndefined();
    expect(table.forKind('apps', 'v2', 'Deployment')).toBeUndefined();
  });

  it('finds a group resource in its preferred version, by its plural only', () => {
    expect(table.forGroupResource({ group: 'apps', resource: 'deployments' })?.version).toBe('v1');
    expect(table.forGroupResource({ group: 'events.k8s.io', resource: 'events' })?.group).toBe('events.k8s.io');
    expect(table.forGroupResource({ group: 'apps', resource: 'deployment' })).toBeUndefined();
    expect(table.forGroupResource({ group: '', resource: 'deployments' })).toBeUndefined();
  });

  it('takes more resources without forgetting or changing what it knows', () => {
    const crd = resource('new.example.com', 'v1', 'gadgets', 'Gadget');
    const other = resource('', 'v1', 'pods', 'Other');

    const more = table.withResources([crd, other]);

    expect(more.resolve('gadgets')).toBe(crd);
    expect(more.resolve('pods')?.kind).toBe('Pod');
    expect(more.resources).toHaveLength(table.resources.length + 1);
    expect(more.groups).toBe(table.groups);
    expect(more.failedVersions).toEqual([{ group: 'dead.example.com', version: 'v1' }]);
    expect(table.resolve('gadgets')).toBeUndefined();
  });
});
