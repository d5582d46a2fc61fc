import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../domain/json.ts';
import { type Plan } from '../../../../domain/plan/arrangePlan.ts';
import { claimOf, definitionOf, item, podOf, podWithClaims, volumeOf } from '../support/items.ts';
import { itemsOf, planOf } from '../support/plans.ts';

function serviceOf(path: string, spec: JsonObject, annotations: JsonObject = {}): JsonObject {
  return item('v1', 'Service', path, { metadata: { annotations }, spec });
}

/** Applied by hand with this node port. */
function applied(nodePort: number): JsonObject {
  const configuration = { spec: { ports: [{ name: 'http', port: 80, nodePort }] } };
  return { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(configuration) };
}

function expectToCoverAllEntries(plan: Plan): void {
  expect(plan.entries.map((entry) => entry.index)).toEqual(plan.entries.map((_, index) => index));
  let next = 0;
  for (const wave of plan.waves) {
    expect(wave.offset).toBe(next);
    expect(wave.length).toBeGreaterThan(0);
    next += wave.length;
  }
  expect(next).toBe(plan.entries.length);
}

const shop = [
  definitionOf('widgets', 'Widget', 'example.com', ['wd']),
  definitionOf('gadgets', 'Gadget', 'example.com', ['wd']),
  item('example.com/v1', 'Widget', 'ns-1/left'),
  item('example.com/v1', 'Gadget', 'ns-1/right'),
  item('v1', 'Namespace', 'ns-1'),
  item('v1', 'Namespace', 'ns-3'),
  podWithClaims('ns-1/web', ['data', 'absent']),
  podWithClaims('ns-2/web', ['data']),
  claimOf('ns-1/data', 'pv-1'),
  claimOf('ns-2/data', 'pv-2'),
  volumeOf('pv-1', 'Delete', 'ns-1/data'),
  serviceOf('ns-1/auto', { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 31000 }] }),
  serviceOf('ns-1/fixed', { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] }, applied(30080)),
  item('v1', 'ResourceQuota', 'ns-1/quota'),
  item('apps/v1', 'Deployment', 'ns-2/web'),
];
const broken = [
  { item: { groupResource: 'configmaps', namespace: 'ns-2', name: 'b' }, text: '{' },
  { item: { groupResource: 'configmaps', namespace: 'ns-1', name: 'a' }, text: '{' },
];

/** A permutation that depends on `seed` alone. */
function shuffled<T>(seed: number): (items: readonly T[]) => T[] {
  return (items) => {
    const result = [...items];
    let state = seed;
    for (let index = result.length - 1; index > 0; index--) {
      state = (state * 48_271) % 2_147_483_647;
      const other = state % (index + 1);
      [result[index], result[other]] = [result[other] as T, result[index] as T];
    }
    return result;
  };
}

describe('a plan', () => {
  it('numbers its entries in order, and its waves cover each of them once', async () => {
    const plan = await planOf({}, shop, { files: broken });

    expectToCoverAllEntries(plan);
    expect(plan.waves.map(({ name, kind, length }) => [name, kind, length])).toEqual([
      ['customresourcedefinitions.apiextensions.k8s.io', 'customResourceDefinitions', 2],
      ['namespaces', 'namespaces', 3],
      ['persistentvolumes', 'items', 1],
      ['persistentvolumeclaims', 'items', 2],
      ['pods', 'items', 2],
      ['services with requested ports', 'items', 1],
      ['services', 'items', 1],
      ['middle: built-in kinds', 'items', 1],
      ['middle: custom resources', 'items', 2],
      ['middle: resource quotas', 'items', 1],
    ]);
  });

  it.each([1, 2, 3, 4, 5])('does not depend on the order in which items are listed and read (%i)', async (seed) => {
    const spec = { namespaceMapping: { 'ns-2': 'ns-1' }, excludedResources: ['wd'] };
    const expected = await planOf(spec, shop, { files: broken });

    const plan = await planOf(spec, shop, { files: broken, arrange: shuffled(seed) });

    expect(plan).toEqual(expected);
    expect(plan.messages.map(({ level }) => level)).toEqual([
      'warning',
      'warning',
      'error',
      'error',
      'warning',
      'warning',
      'warning',
    ]);
    // A short name that two definitions share means the first of them by name.
    expect(itemsOf(plan)).toContain('Widget ns-1/left');
    expect(itemsOf(plan)).not.toContain('Gadget ns-1/right');
  });

  it('sorts the items of a resource by original namespace and name', async () => {
    const plan = await planOf({ namespaceMapping: { b: 'z', z: 'a' } }, [
      podOf('z/1'),
      podOf('b/2'),
      podOf('b/10'),
      podOf('b/1'),
      podOf('B/1'),
    ]);

    expect(itemsOf(plan)).toEqual(['Pod B/1', 'Pod z/1', 'Pod z/10', 'Pod z/2', 'Pod a/1']);
  });

  it('keeps a strict order too: one wave for each resource', async () => {
    const plan = await planOf({}, shop, { order: 'strict', files: broken });

    expectToCoverAllEntries(plan);
    expect(plan.waves.map(({ name }) => name)).toEqual([
      'customresourcedefinitions.apiextensions.k8s.io',
      'namespaces',
      'persistentvolumes',
      'persistentvolumeclaims',
      'pods',
      'services with requested ports',
      'services',
      'deployments.apps',
      'gadgets.example.com',
      'resourcequotas',
      'widgets.example.com',
    ]);
  });
});

describe('services', () => {
  const port = { name: 'http', port: 80, nodePort: 30080 };
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 32000, ports: [] };
  const healthApplied = {
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: { healthCheckNodePort: 32000 } }),
  };

  it.each<[string, JsonObject, boolean | undefined, boolean]>([
    [
      'a node port that was applied',
      serviceOf('ns/s', { type: 'NodePort', ports: [port] }, applied(30080)),
      undefined,
      true,
    ],
    ['a node port that was assigned', serviceOf('ns/s', { type: 'NodePort', ports: [port] }), undefined, false],
    [
      'a node port that was assigned, preserveNodePorts',
      serviceOf('ns/s', { type: 'NodePort', ports: [port] }),
      true,
      true,
    ],
    ['a health check port that was applied', serviceOf('ns/s', local, healthApplied), undefined, true],
    ['a health check port that was assigned', serviceOf('ns/s', local), undefined, false],
    ['a health check port that was assigned, preserveNodePorts', serviceOf('ns/s', local), true, true],
    ['a node port of 0', serviceOf('ns/s', { type: 'NodePort', ports: [{ port: 80, nodePort: 0 }] }), true, false],
    ['no port at all', serviceOf('ns/s', { clusterIP: 'None' }), true, false],
    ['fields that its action cannot read', serviceOf('ns/s', { type: 'NodePort', ports: 'http' }), undefined, false],
  ])('%s', async (_title, service, preserveNodePorts, goesFirst) => {
    const other = serviceOf('a/other', { ports: [{ port: 80 }] });
    const requesting = serviceOf('z/other', { type: 'NodePort', ports: [port] }, applied(30080));

    const plan = await planOf({ preserveNodePorts }, [service, other, requesting]);

    expect(itemsOf(plan)).toEqual(
      goesFirst
        ? ['Service ns/s', 'Service z/other', 'Service a/other']
        : ['Service z/other', 'Service a/other', 'Service ns/s'],
    );
    expect(plan.waves.map(({ name }) => name)).toEqual(['namespaces', 'services with requested ports', 'services']);
  });

  it('are one wave where all of them request a port', async () => {
    const services = ['ns/a', 'ns/b'].map((path) => serviceOf(path, { type: 'NodePort', ports: [port] }));

    const plan = await planOf({ preserveNodePorts: true }, services);

    expect(plan.waves.map(({ name }) => name)).toEqual(['namespaces', 'services']);
  });
});

describe('items that become the same object', () => {
  it('are planned once: the first in order wins, each other one is a warning', async () => {
    const plan = await planOf({ namespaceMapping: { b: 'target', c: 'target', a: 'target' } }, [
      podOf('c/web'),
      podOf('a/web'),
      podOf('b/web'),
      podOf('b/other'),
      item('v1', 'ConfigMap', 'c/web'),
    ]);

    expect(plan.entries.map(({ kind, namespace, name }) => [kind, namespace, name])).toEqual([
      ['Namespace', undefined, 'a'],
      ['ConfigMap', 'c', 'web'],
      ['Pod', 'a', 'web'],
      ['Pod', 'b', 'other'],
    ]);
    expect(plan.messages).toEqual([
      {
        level: 'warning',
        scope: 'cluster',
        text: 'resources/namespaces/cluster/b.json is not restored: resources/namespaces/cluster/a.json becomes the same object',
      },
      {
        level: 'warning',
        scope: 'cluster',
        text: 'resources/namespaces/cluster/c.json is not restored: resources/namespaces/cluster/a.json becomes the same object',
      },
      {
        level: 'warning',
        scope: { namespace: 'target' },
        text: 'resources/pods/namespaces/b/web.json is not restored: resources/pods/namespaces/a/web.json becomes the same object',
      },
      {
        level: 'warning',
        scope: { namespace: 'target' },
        text: 'resources/pods/namespaces/c/web.json is not restored: resources/pods/namespaces/a/web.json becomes the same object',
      },
    ]);
    expectToCoverAllEntries(plan);
  });

  it('are told apart by kind, version and group', async () => {
    const plan = await planOf({}, [
      item('v1', 'Event', 'ns/a'),
      item('v1', 'Secret', 'ns/a'),
      item('v1', 'ConfigMap', 'ns/a'),
      item('example.com/v1', 'Secret', 'ns/a'),
    ]);

    expect(itemsOf(plan)).toEqual(['Secret ns/a', 'ConfigMap ns/a', 'Secret ns/a']);
    expect(plan.messages).toEqual([]);
  });

  it('are not those of a target that is mapped away itself', async () => {
    const plan = await planOf({ namespaceMapping: { a: 'b', b: 'a' } }, [podOf('a/web'), podOf('b/web')]);

    expect(itemsOf(plan)).toEqual(['Pod b/web', 'Pod a/web']);
    expect(plan.messages).toEqual([]);
  });
});
