import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type ClosableKubernetesApi,
  createKubernetesApi,
  type KubernetesApiOptions,
} from '../../../../adapters/kubernetes/client.ts';
import { KubernetesUnreachable } from '../../../../domain/kubernetes/api.ts';
import {
  type Answer,
  kubeconfigFor,
  type LocalServer,
  send,
  startLocalServer,
  type TemporaryFolder,
  temporaryFolder,
} from './localServer.ts';

/** Importing client-node takes a while on a busy machine. */
jest.setTimeout(60_000);

const pods = { group: '', version: 'v1', resource: 'pods', namespace: 'shop' };
const manager = { fieldManager: 'durable-restore' };
const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'TooManyRequests', message: 'too many' };

let folder: TemporaryFolder;
const cleanups: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await folder.remove();
});

async function connect(
  answer: Answer,
  options: KubernetesApiOptions = {},
): Promise<{ server: LocalServer; api: ClosableKubernetesApi }> {
  const server = await startLocalServer(answer);
  cleanups.push(() => server.close());
  const kubeconfig = await folder.write('config', kubeconfigFor(server.url));
  const api = await createKubernetesApi({ kubeconfig, environment: {}, ...options });
  return { server, api };
}

describe('createKubernetesApi', () => {
  it('writes with method, path, field manager and content type of the Kubernetes API', async () => {
    const { server, api } = await connect((_request, response) => send(response, 200, {}));
    const one = { ...pods, name: 'a' };

    await api.create(pods, { n: 9_007_199_254_740_993n }, manager);
    await api.replace(one, {}, { ...manager, subresource: 'status' });
    await api.patch(one, {}, { ...manager, type: 'merge' });
    await api.patch(one, [], { ...manager, type: 'json' });
    await api.patch(one, {}, { fieldManager: 'a:b:1', type: 'strategic', subresource: 'status' });
    await api.delete(one);

    expect(server.seen.map(({ method, url, headers, body }) => [method, url, headers['content-type'], body])).toEqual([
      [
        'POST',
        '/api/v1/namespaces/shop/pods?fieldManager=durable-restore',
        'application/json',
        '{"n":9007199254740993}',
      ],
      ['PUT', '/api/v1/namespaces/shop/pods/a/status?fieldManager=durable-restore', 'application/json', '{}'],
      ['PATCH', '/api/v1/namespaces/shop/pods/a?fieldManager=durable-restore', 'application/merge-patch+json', '{}'],
      ['PATCH', '/api/v1/namespaces/shop/pods/a?fieldManager=durable-restore', 'application/json-patch+json', '[]'],
      [
        'PATCH',
        '/api/v1/namespaces/shop/pods/a/status?fieldManager=a%3Ab%3A1',
        'application/strategic-merge-patch+json',
        '{}',
      ],
      ['DELETE', '/api/v1/namespaces/shop/pods/a', undefined, ''],
    ]);
  });

  it('returns a 429 at once, halves its limit and sends nothing for as long as the server asks', async () => {
    const arrivals: number[] = [];
    const { api } = await connect(
      (_request, response, index) => {
        arrivals.push(performance.now());
        if (index === 0) send(response, 429, refusal, { 'retry-after': '1' });
        else send(response, 200, {});
      },
      { connections: 8 },
    );

    const refused = await api.create(pods, {}, manager);
    expect(refused).toMatchObject({ ok: false, status: 429, retryAfterMs: 1_000, message: 'too many' });
    expect(api.limiter.limit).toBe(4);
    await api.get({ ...pods, name: 'a' });

    expect(arrivals).toHaveLength(2);
    expect(arrivals[1]! - arrivals[0]!).toBeGreaterThanOrEqual(900);
  });

  it('has no more requests under way than its limit', async () => {
    let open = 0;
    let most = 0;
    const { api } = await connect(
      (_request, response) => {
        most = Math.max(most, ++open);
        setTimeout(() => {
          open--;
          send(response, 200, {});
        }, 5);
      },
      { connections: 3 },
    );

    await Promise.all(Array.from({ length: 20 }, (_value, index) => api.get({ ...pods, name: String(index) })));

    expect(most).toBe(3);
    expect(api.limiter).toMatchObject({ limit: 3, inFlight: 0, waiting: 0 });
  });

  it('does not take a server for an API server that answers 200 with something else', async () => {
    const { server, api } = await connect((_request, response) => {
      response.end('<html>Please log in</html>');
    });

    const request = api.get({ ...pods, name: 'a' });

    await expect(request).rejects.toThrow(KubernetesUnreachable);
    await expect(request).rejects.toThrow(
      `GET /api/v1/namespaces/shop/pods/a: ${server.url} answered 200 without a JSON object: is it a Kubernetes API server?`,
    );
  });

  it.each([
    [200, true],
    [500, false],
    [403, false],
  ])('is ready where /readyz answers %d: %p', async (status, ready) => {
    const { server, api } = await connect((_request, response) => {
      response.statusCode = status;
      response.end('text');
    });

    expect(await api.isReady()).toBe(ready);
    expect(server.seen).toMatchObject([{ method: 'GET', url: '/readyz' }]);
  });

  it('says not ready where /readyz does not answer, and ready though all connections for objects are busy', async () => {
    let answersReadyz = false;
    const { api } = await connect(
      ({ url }, response) => {
        if (url === '/readyz' && answersReadyz) response.end('ok');
      },
      { connections: 1 },
    );
    const controller = new AbortController();
    const busy = api.get({ ...pods, name: 'a' }, { signal: controller.signal });

    expect(await api.isReady()).toBe(false);
    answersReadyz = true;
    expect(await api.isReady()).toBe(true);
    controller.abort(new Error('enough'));
    await expect(busy).rejects.toThrow('enough');
  });

  it.each([0, 1.5, -3])('refuses %p connections', async (connections) => {
    await expect(connect(() => undefined, { connections })).rejects.toThrow('expected a whole number of at least 1');
  });
});
