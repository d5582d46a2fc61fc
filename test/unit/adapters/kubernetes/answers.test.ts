import { describe, expect, it } from '@jest/globals';
import { toApiResult } from '../../../../adapters/kubernetes/apiResult.ts';
import { Discovery, DiscoveryError, type DocumentReader } from '../../../../adapters/kubernetes/discovery.ts';
import { collectionPath, objectPath, withQuery } from '../../../../adapters/kubernetes/paths.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import type { ApiResult } from '../../../../domain/kubernetes/api.ts';
import type { ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';

const DATE = 'Mon, 30 Nov 2026 12:00:00 GMT';

function answer(status: number, text: string, headers: Record<string, string> = {}) {
  return { status, text, headers: { 'content-type': 'application/json', date: DATE, ...headers } };
}

describe('toApiResult: success', () => {
  it("gives the object, the status and the server's clock, and keeps integers of 64 bits", () => {
    const result = toApiResult('POST', answer(201, '{"n":9007199254740993}'));

    expect(result).toEqual({ ok: true, status: 201, object: { n: 9007199254740993n }, date: new Date(DATE) });
  });

  it.each(['', 'ok', '[]', '"text"', '<html>login</html>', '{'])('is no API answer: %p', (text) => {
    expect(toApiResult('GET', answer(200, text))).toBeUndefined();
  });
});

describe('toApiResult: failure with a Status', () => {
  it('gives reason, message and causes of the Status', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'Pod "a" is invalid',
      reason: 'Invalid',
      details: { causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' }, {}] },
      code: 422,
    };

    expect(toApiResult('POST', answer(422, JSON.stringify(status)))).toEqual({
      ok: false,
      status: 422,
      reason: 'Invalid',
      message: 'Pod "a" is invalid',
      causes: [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' },
        { reason: '', message: '', field: '' },
      ],
      retryAfterMs: undefined,
      date: new Date(DATE),
    });
  });

  it.each<[string, Record<string, string>, object, number | undefined]>([
    ['seconds in the header', { 'retry-after': '3' }, {}, 3_000],
    ['a date in the header', { 'retry-after': 'Mon, 30 Nov 2026 12:00:05 GMT' }, {}, 5_000],
    ['a date that has passed', { 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, {}, 0],
    ['something else in the header', { 'retry-after': 'soon' }, {}, undefined],
    ['seconds in the Status', {}, { details: { retryAfterSeconds: 7 } }, 7_000],
    ['both: the header counts', { 'retry-after': '3' }, { details: { retryAfterSeconds: 7 } }, 3_000],
    ['nothing', {}, {}, undefined],
  ])('takes the pause from %s', (_what, headers, details, retryAfterMs) => {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'TooManyRequests', ...details };

    expect(toApiResult('GET', answer(429, JSON.stringify(status), headers))).toMatchObject({ retryAfterMs });
  });
});

describe('toApiResult: failure without a Status reads as in client-go', () => {
  it.each([
    [400, 'GET', 'BadRequest', 'the server rejected our request for an unknown reason'],
    [401, 'GET', 'Unauthorized', 'the server has asked for the client to provide credentials'],
    [403, 'GET', 'Forbidden', 'body of a proxy'],
    [404, 'GET', 'NotFound', 'the server could not find the requested resource'],
    [405, 'POST', 'MethodNotAllowed', 'the server does not allow this method on the requested resource'],
    [406, 'GET', 'NotAcceptable', 'body of a proxy'],
    [409, 'POST', 'AlreadyExists', 'the server reported a conflict'],
    [409, 'PATCH', 'Conflict', 'the server reported a conflict'],
    [415, 'PATCH', 'UnsupportedMediaType', 'body of a proxy'],
    [418, 'GET', '', 'the server responded with the status code 418 but did not return more information'],
    [422, 'POST', 'Invalid', 'the server rejected our request due to an error in our request'],
    [429, 'GET', 'TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
    [
      500,
      'GET',
      'InternalError',
      'an error on the server ("body of a proxy") has prevented the request from succeeding',
    ],
    [
      502,
      'GET',
      'InternalError',
      'an error on the server ("body of a proxy") has prevented the request from succeeding',
    ],
    [503, 'GET', 'ServiceUnavailable', 'the server is currently unable to handle the request'],
    [
      504,
      'POST',
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request',
    ],
  ])('%d to %s: %s', (status, method, reason, message) => {
    const text = { 'content-type': 'text/plain; charset=utf-8' };

    expect(toApiResult(method, answer(status, ' body of a proxy\n', text))).toMatchObject({
      ok: false,
      status,
      reason,
      message,
      causes: [{ reason: 'UnexpectedServerResponse', message: 'body of a proxy', field: '' }],
    });
  });

  it('does not show a body that is no text, nor more than 2048 characters of one that is', () => {
    const html = toApiResult('GET', answer(500, 'x'.repeat(5_000), { 'content-type': 'text/html' }));

    expect(toApiResult('GET', answer(500, '{"a":1}'))).toMatchObject({
      message: 'an error on the server ("unknown") has prevented the request from succeeding',
    });
    expect(html).toMatchObject({ causes: [{ message: 'x'.repeat(2_048) }] });
  });
});

const pods = { group: '', version: 'v1', resource: 'pods', namespace: 'shop' };
const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };

describe('paths of the Kubernetes API', () => {
  it('names collections', () => {
    expect(collectionPath(pods)).toBe('/api/v1/namespaces/shop/pods');
    expect(collectionPath({ ...pods, namespace: undefined })).toBe('/api/v1/pods');
    expect(collectionPath(roles)).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles');
  });

  it.each([
    ['plain', '/api/v1/namespaces/shop/pods/plain'],
    ['system:node', '/api/v1/namespaces/shop/pods/system%3Anode'],
    ['MyRole', '/api/v1/namespaces/shop/pods/MyRole'],
    ['a/b', '/api/v1/namespaces/shop/pods/a%2Fb'],
    ['a?b#c%d', '/api/v1/namespaces/shop/pods/a%3Fb%23c%25d'],
    ['..', '/api/v1/namespaces/shop/pods/%2E%2E'],
    ['ü', '/api/v1/namespaces/shop/pods/%C3%BC'],
  ])('names the object %s', (name, path) => {
    expect(objectPath({ ...pods, name })).toBe(path);
  });

  it('names a subresource', () => {
    expect(objectPath({ ...pods, name: 'a' }, 'status')).toBe('/api/v1/namespaces/shop/pods/a/status');
  });

  it('appends the parameters that are set', () => {
    expect(withQuery('/x', { a: undefined, b: '' })).toBe('/x');
    expect(withQuery('/x', { labelSelector: 'a in (b,c)', limit: 500 })).toBe(
      '/x?labelSelector=a+in+%28b%2Cc%29&limit=500',
    );
  });
});

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
