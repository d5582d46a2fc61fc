import { describe, expect, it } from '@jest/globals';
import { Discovery, DiscoveryError, type DocumentReader } from '../../../../adapters/kubernetes/discovery.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import type { ApiResult } from '../../../../domain/kubernetes/api.ts';
import type { ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';

function found(object: JsonObject): ApiResult {
  return { ok: true, status: 200, object, date: undefined };
}

function failed(status: number): ApiResult {
  return { ok: false, status, reason: '', message: 'no', causes: [], retryAfterMs: undefined, date: undefined };
}

/** Answers 404 to what is not listed. */
function reader(documents: Readonly<Record<string, ApiResult>>): {
  read: DocumentReader;
  asked: string[];
  accepts: string[];
} {
  const asked: string[] = [];
  const accepts: string[] = [];
  return {
    asked,
    accepts,
    read: (path, accept) => {
      asked.push(path);
      accepts.push(accept);
      return Promise.resolve(documents[path] ?? failed(404));
    },
  };
}

function aggregatedResource(resource: string, kind: string, more: JsonObject = {}): JsonObject {
  return {
    resource,
    responseKind: { group: '', version: '', kind },
    scope: 'Namespaced',
    singularResource: kind.toLowerCase(),
    verbs: ['create', 'get'],
    ...more,
  };
}

function aggregatedGroup(name: string, versions: JsonObject[]): JsonObject {
  return { metadata: name === '' ? { creationTimestamp: null } : { name }, versions };
}

function aggregated(items: Json[]): ApiResult {
  return found({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items });
}

const core = aggregated([
  aggregatedGroup('', [
    {
      version: 'v1',
      freshness: 'Current',
      resources: [
        aggregatedResource('pods', 'Pod', { shortNames: ['po'], subresources: [{ subresource: 'log' }] }),
        aggregatedResource('nodes', 'Node', { scope: 'Cluster' }),
      ],
    },
  ]),
]);
const groups = aggregated([
  aggregatedGroup('apps', [
    { version: 'v1', freshness: 'Current', resources: [aggregatedResource('deployments', 'Deployment')] },
    { version: 'v1beta1', freshness: 'Current', resources: [aggregatedResource('deployments', 'Deployment')] },
  ]),
  aggregatedGroup('metrics.k8s.io', [
    { version: 'v1beta1', freshness: 'Stale', resources: [aggregatedResource('pods', 'PodMetrics')] },
  ]),
  aggregatedGroup('example.com', [
    { version: 'v2', freshness: 'Stale' },
    {
      version: 'v1',
      freshness: 'Current',
      // Only its subresources are served: no kind of its own.
      resources: [aggregatedResource('foos', 'Foo'), { resource: 'bars', responseKind: { kind: '' }, verbs: [] }],
    },
  ]),
]);

function listed(table: ResourceTable): string[] {
  return table.resources.map((one) => `${one.group}/${one.version}/${one.resource}`);
}

describe('Discovery: aggregated', () => {
  it('reads all in two requests, with stale versions as failed', async () => {
    const { read, asked, accepts } = reader({ '/api': core, '/apis': groups });
    const warnings: unknown[] = [];

    const table = await new Discovery(read, { warn: (fields) => warnings.push(fields) }).get();

    expect(asked).toEqual(['/api', '/apis']);
    expect(new Set(accepts)).toEqual(
      new Set([
        'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
      ]),
    );
    expect(listed(table)).toEqual([
      '/v1/pods',
      '/v1/nodes',
      'apps/v1/deployments',
      'apps/v1beta1/deployments',
      'example.com/v1/foos',
    ]);
    expect(table.groups).toEqual([
      { group: '', versions: ['v1'] },
      { group: 'apps', versions: ['v1', 'v1beta1'] },
      { group: 'example.com', versions: ['v1'] },
    ]);
    const failedVersions = [
      { group: 'metrics.k8s.io', version: 'v1beta1' },
      { group: 'example.com', version: 'v2' },
    ];
    expect(table.failedVersions).toEqual(failedVersions);
    expect(warnings).toEqual([{ failedVersions }]);
    expect(table.resolve('po')).toEqual({
      group: '',
      version: 'v1',
      resource: 'pods',
      singular: 'pod',
      shortNames: ['po'],
      kind: 'Pod',
      namespaced: true,
      verbs: ['create', 'get'],
    });
    expect(table.resolve('nodes')?.namespaced).toBe(false);
  });

  it('does without a core group where the server has none', async () => {
    const { read } = reader({ '/apis': groups });

    expect(listed(await new Discovery(read).get())[0]).toBe('apps/v1/deployments');
  });

  it.each([
    ['/apis', 404],
    ['/apis', 403],
    ['/api', 503],
  ])('fails where %s answers %d, and asks again the next time', async (path, status) => {
    const documents: Record<string, ApiResult> = { '/api': core, '/apis': groups, [path]: failed(status) };
    const { read } = reader(documents);
    const discovery = new Discovery(read);

    const error: unknown = await discovery.get().catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(DiscoveryError);
    expect(error).toMatchObject({
      type: 'KubernetesDiscovery',
      message: `discovery of ${path}: no (HTTP ${status})`,
      failure: { status },
    });
    documents[path] = path === '/api' ? core : groups;
    expect((await discovery.get()).resources).toHaveLength(5);
  });
});

describe('Discovery: of a server before 1.27', () => {
  const legacy = {
    '/api': found({ kind: 'APIVersions', versions: ['v1'] }),
    '/api/v1': found({
      kind: 'APIResourceList',
      resources: [
        { name: 'pods', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'], shortNames: ['po'] },
        { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] },
        { name: 'nodes', singularName: '', namespaced: false, kind: 'Node', verbs: ['get'] },
      ],
    }),
    '/apis': found({
      kind: 'APIGroupList',
      groups: [
        {
          name: 'autoscaling',
          versions: [
            { groupVersion: 'autoscaling/v1', version: 'v1' },
            { groupVersion: 'autoscaling/v2', version: 'v2' },
          ],
          preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
        },
        { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }], preferredVersion: { version: 'v1beta1' } },
      ],
    }),
    '/apis/autoscaling/v1': found({
      resources: [{ name: 'horizontalpodautoscalers', namespaced: true, kind: 'HorizontalPodAutoscaler' }],
    }),
    '/apis/autoscaling/v2': found({
      resources: [{ name: 'horizontalpodautoscalers', namespaced: true, kind: 'HorizontalPodAutoscaler' }],
    }),
    '/apis/metrics.k8s.io/v1beta1': failed(503),
  };

  it('reads one document for each version, the preferred one first, and notes those that fail', async () => {
    const { read, asked } = reader(legacy);

    const table = await new Discovery(read).get();

    expect(asked.toSorted()).toEqual(Object.keys(legacy).toSorted());
    expect(listed(table)).toEqual([
      '/v1/pods',
      '/v1/nodes',
      'autoscaling/v2/horizontalpodautoscalers',
      'autoscaling/v1/horizontalpodautoscalers',
    ]);
    expect(table.failedVersions).toEqual([{ group: 'metrics.k8s.io', version: 'v1beta1' }]);
    expect(table.resolve('pod')?.resource).toBe('pods');
    expect(table.resolve('nodes')?.namespaced).toBe(false);
  });
});

describe('Discovery: caching', () => {
  /** Answers when told; each round of requests sees one resource more than the one before. */
  function slowReader(): { read: DocumentReader; rounds: () => number; answer: () => Promise<void> } {
    let rounds = 0;
    const pending: (() => void)[] = [];
    return {
      rounds: () => rounds,
      read: (path) => {
        if (path === '/api') rounds++;
        const resources = Array.from({ length: rounds }, (_value, index) =>
          aggregatedResource(`r${index}`, `R${index}`),
        );
        const document =
          path === '/api' ? aggregated([]) : aggregated([aggregatedGroup('g', [{ version: 'v1', resources }])]);
        return new Promise((resolve) => pending.push(() => resolve(document)));
      },
      async answer() {
        for (const resolve of pending.splice(0)) resolve();
        await new Promise(setImmediate);
      },
    };
  }

  it('asks once for all who ask at the same time, and not again', async () => {
    const server = slowReader();
    const discovery = new Discovery(server.read);
    const asking = Promise.all([discovery.get(), discovery.get()]);
    await server.answer();

    const [first, second] = await asking;

    expect(first).toBe(second);
    expect(await discovery.get()).toBe(first);
    expect(server.rounds()).toBe(1);
  });

  it('gives a refresh that comes while another is under way a round of its own, shared by all such', async () => {
    const server = slowReader();
    const discovery = new Discovery(server.read);
    const first = discovery.refresh();
    const later = Promise.all([discovery.refresh(), discovery.refresh()]);
    await server.answer();
    await server.answer();

    expect((await first).resources).toHaveLength(1);
    const [one, other] = await later;
    expect(one.resources).toHaveLength(2);
    expect(other).toBe(one);
    expect(await discovery.get()).toBe(one);
    expect(server.rounds()).toBe(2);
  });

  it('keeps the old table where a refresh fails', async () => {
    const documents: Record<string, ApiResult> = { '/api': core, '/apis': groups };
    const discovery = new Discovery(reader(documents).read);
    const table = await discovery.get();
    documents['/apis'] = failed(503);

    await expect(discovery.refresh()).rejects.toThrow('discovery of /apis');
    expect(await discovery.get()).toBe(table);
  });
});
