import { getEventListeners, getMaxListeners, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CredentialSource } from '../../../../adapters/kubernetes/credentials.ts';
import { KubernetesTransport } from '../../../../adapters/kubernetes/transport.ts';
import { KubernetesUnreachable } from '../../../../domain/kubernetes/api.ts';
import {
  type Answer,
  type KubeconfigParts,
  kubeconfigFor,
  type LocalServer,
  send,
  startLocalServer,
  type TemporaryFolder,
  temporaryFolder,
} from './localServer.ts';

/** Importing client-node takes a while on a busy machine. */
jest.setTimeout(60_000);

let folder: TemporaryFolder;
const cleanups: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await folder.remove();
});

async function serve(answer: Answer): Promise<LocalServer> {
  const server = await startLocalServer(answer);
  cleanups.push(() => server.close());
  return server;
}

interface ConnectOptions extends KubeconfigParts {
  readonly connections?: number;
  readonly environment?: NodeJS.ProcessEnv;
}

async function connectTo(
  server: string,
  { connections = 4, environment = {}, ...parts }: ConnectOptions = {},
): Promise<KubernetesTransport> {
  const kubeconfig = await folder.write('config', kubeconfigFor(server, parts));
  const credentials = await CredentialSource.load({ kubeconfig });
  const transport = new KubernetesTransport({ credentials, connections, environment });
  cleanups.push(() => transport.close());
  return transport;
}

async function version(): Promise<string> {
  const text = await readFile(new URL('../../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

describe('KubernetesTransport', () => {
  it('sends method, path below the prefix of the server, body, content type, token and user agent', async () => {
    const server = await serve((_request, response) => send(response, 201, { ok: true }));
    const transport = await connectTo(`${server.url}/k8s/clusters/c-1/`, {
      user: { token: 't', 'as-groups': ['a', 'b'] },
    });

    const answer = await transport.request({
      method: 'POST',
      path: '/api/v1/namespaces?fieldManager=m',
      contentType: 'application/json',
      body: '{"ä":1}',
    });

    expect(answer).toMatchObject({ status: 201, text: '{"ok":true}' });
    expect(transport.server).toBe(`${server.url}/k8s/clusters/c-1`);
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        url: '/k8s/clusters/c-1/api/v1/namespaces?fieldManager=m',
        body: '{"ä":1}',
        headers: {
          authorization: 'Bearer t',
          'impersonate-group': 'a, b',
          'user-agent': `durable-restore/${await version()}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
      },
    ]);
  });

  it('keeps connections alive and opens no more than it may', async () => {
    const server = await serve((_request, response) => {
      setTimeout(() => send(response, 200, {}), 5);
    });
    const transport = await connectTo(server.url, { connections: 3 });

    await Promise.all(Array.from({ length: 30 }, () => transport.request({ method: 'GET', path: '/' })));

    expect(server.seen).toHaveLength(30);
    expect(server.connections).toBe(3);
  });

  it.each([500, 503, 429, 404, 302])(
    'returns an answer with status %d as it is, without a second try',
    async (status) => {
      const server = await serve((_request, response) => send(response, status, { some: 'body' }, { location: '/' }));
      const transport = await connectTo(server.url);

      const answer = await transport.request({ method: 'GET', path: '/' });

      expect(answer).toMatchObject({ status, text: '{"some":"body"}' });
      expect(server.seen).toHaveLength(1);
    },
  );

  it('sends a GET up to three times more where the connection breaks', async () => {
    const server = await serve((_request, response, index) => {
      if (index < 3) response.socket?.destroy();
      else send(response, 200, {});
    });
    const transport = await connectTo(server.url);

    const answer = await transport.request({ method: 'GET', path: '/' });

    expect(answer.status).toBe(200);
    expect(server.seen).toHaveLength(4);
  });

  it('sends a GET again whose answer broke off in the middle', async () => {
    const server = await serve((_request, response, index) => {
      if (index > 0) return send(response, 200, { whole: true });
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"whole"', () => response.socket?.destroy());
      return undefined;
    });
    const transport = await connectTo(server.url);

    const answer = await transport.request({ method: 'GET', path: '/' });

    expect(answer.text).toBe('{"whole":true}');
  });

  it('gives up a GET whose connection breaks each time', async () => {
    const server = await serve((_request, response) => {
      response.socket?.destroy();
    });
    const transport = await connectTo(server.url);

    const request = transport.request({ method: 'GET', path: '/api/v1/pods?limit=500' });

    await expect(request).rejects.toThrow(KubernetesUnreachable);
    await expect(request).rejects.toThrow(
      `GET /api/v1/pods: no answer from ${server.url}: UND_ERR_SOCKET other side closed`,
    );
    expect(server.seen).toHaveLength(4);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('never sends a %s again, nor shows its body', async (method) => {
    const server = await serve((_request, response) => {
      response.socket?.destroy();
    });
    const transport = await connectTo(server.url);

    const error: unknown = await transport
      .request({ method, path: '/api/v1/namespaces/default/secrets', body: '{"password":"secret"}' })
      .catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(KubernetesUnreachable);
    expect(String(error)).toContain(`${method} /api/v1/namespaces/default/secrets: no answer from ${server.url}: `);
    expect(String(error)).not.toContain('secret"');
    expect(server.seen).toHaveLength(1);
  });

  it('names server and error code where nothing listens', async () => {
    const server = await startLocalServer(() => undefined);
    await server.close();
    const transport = await connectTo(server.url);

    await expect(transport.request({ method: 'POST', path: '/x' })).rejects.toThrow(
      `POST /x: no answer from ${server.url}: connect ECONNREFUSED 127.0.0.1:`,
    );
  });

  it('works on the same pool when the server comes back on the same port', async () => {
    const first = await startLocalServer((_request, response) => send(response, 200, { first: true }));
    const transport = await connectTo(first.url);
    await transport.request({ method: 'GET', path: '/' });
    await first.close();
    await expect(transport.request({ method: 'POST', path: '/' })).rejects.toThrow(KubernetesUnreachable);
    const second = createServer((_request, response) => response.end('again')).listen(
      Number(new URL(first.url).port),
      '127.0.0.1',
    );
    await once(second, 'listening');
    cleanups.push(async () => {
      second.closeAllConnections();
      second.close();
      await once(second, 'close');
    });

    const answer = await transport.request({ method: 'POST', path: '/' });

    expect(answer.text).toBe('again');
  });

  it('throws the reason of the signal, before and while a request is under way', async () => {
    const reason = new Error('cancelled');
    const controller = new AbortController();
    const server = await serve(() => controller.abort(reason));
    const transport = await connectTo(server.url);

    const underWay = transport.request({ method: 'POST', path: '/', signal: controller.signal });

    await expect(underWay).rejects.toBe(reason);
    await expect(transport.request({ method: 'GET', path: '/', signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(server.seen).toHaveLength(1);
  });

  it('lets 64 requests share one signal without a warning of Node', async () => {
    const server = await serve((_request, response) => send(response, 200, {}));
    const transport = await connectTo(server.url, { connections: 64 });
    const { signal } = new AbortController();

    await Promise.all(Array.from({ length: 64 }, () => transport.request({ method: 'GET', path: '/', signal })));

    // The last body is closed a moment after it was read.
    await new Promise(setImmediate);
    expect(getMaxListeners(signal)).toBe(Number.POSITIVE_INFINITY);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('says that it is closed', async () => {
    const server = await serve((_request, response) => send(response, 200, {}));
    const transport = await connectTo(server.url);
    await transport.request({ method: 'GET', path: '/' });
    await transport.close();

    await expect(transport.request({ method: 'GET', path: '/' })).rejects.toThrow(
      `GET /: no answer from ${server.url}: this client is closed`,
    );
  });
});

describe('KubernetesTransport: credentials', () => {
  /** A plugin that counts its runs and gives out the token in a file. */
  async function pluginUser(): Promise<{ user: Record<string, unknown>; runs: () => Promise<number> }> {
    const script = `#!/bin/sh\necho run >> ${folder.path}/runs; sleep 0.05\necho "{\\"status\\":{\\"token\\":\\"$(cat ${folder.path}/token)\\",\\"expirationTimestamp\\":\\"2099-01-01T00:00:00Z\\"}}"\n`;
    await folder.write('plugin', script, 0o700);
    const runs = async (): Promise<number> =>
      (await readFile(join(folder.path, 'runs'), 'utf8')).trim().split('\n').length;
    return { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin' } }, runs };
  }

  const onlyGood: Answer = ({ headers }, response) => {
    const good = headers.authorization === 'Bearer good';
    send(response, good ? 200 : 401, { kind: 'Status', apiVersion: 'v1', status: good ? 'Success' : 'Failure' });
  };

  it('runs a plugin once for 64 first requests', async () => {
    const server = await serve(onlyGood);
    const { user, runs } = await pluginUser();
    await folder.write('token', 'good');
    const transport = await connectTo(server.url, { user });

    const answers = await Promise.all(
      Array.from({ length: 64 }, () => transport.request({ method: 'GET', path: '/' })),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 64 }, () => 200));
    expect(await runs()).toBe(1);
  });

  it('fetches new credentials once on a 401, though the plugin has called the old ones valid', async () => {
    const server = await serve(onlyGood);
    const { user, runs } = await pluginUser();
    await folder.write('token', 'good');
    const transport = await connectTo(server.url, { user });
    await transport.request({ method: 'GET', path: '/' });
    const strict = await serve(({ headers }, response) =>
      send(response, headers.authorization === 'Bearer newer' ? 200 : 401, {}),
    );
    const other = await connectTo(strict.url, { user });
    await other.request({ method: 'GET', path: '/' });
    await folder.write('token', 'newer');
    const before = await runs();
    await new Promise((resolve) => setTimeout(resolve, 1_050));

    const answers = await Promise.all(Array.from({ length: 20 }, () => other.request({ method: 'POST', path: '/' })));

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect((await runs()) - before).toBe(1);
  });

  it('reads a changed kubeconfig on a 401', async () => {
    const server = await serve(onlyGood);
    const transport = await connectTo(server.url, { user: { token: 'bad' } });
    await folder.write('config', kubeconfigFor(server.url, { user: { token: 'good' } }));

    const answer = await transport.request({ method: 'POST', path: '/', body: '{}' });

    expect(answer.status).toBe(200);
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer bad', 'Bearer good']);
  });

  it('does not ask again with the credentials that were refused', async () => {
    const server = await serve(onlyGood);
    const transport = await connectTo(server.url, { user: { token: 'bad' } });

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => transport.request({ method: 'GET', path: '/' })),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 401));
    expect(server.seen).toHaveLength(10);
  });

  it('counts a plugin that fails as no answer', async () => {
    const server = await serve(onlyGood);
    await folder.write('plugin', '#!/bin/sh\necho "login first" >&2; exit 1\n', 0o700);
    const transport = await connectTo(server.url, { user: { exec: { command: './plugin' } } });

    const request = transport.request({ method: 'GET', path: '/x' });

    await expect(request).rejects.toThrow(KubernetesUnreachable);
    await expect(request).rejects.toThrow(
      `GET /x: no answer from ${server.url}: credential plugin ${folder.path}/plugin: login first`,
    );
    expect(server.seen).toHaveLength(0);
  });
});

describe('KubernetesTransport: proxies', () => {
  /** A proxy that tunnels every CONNECT to `target`, whatever host was asked for. */
  async function startProxy(target: string): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket) => {
      asked.push(`${request.url ?? ''} ${request.headers['proxy-authorization'] ?? 'without credentials'}`);
      const upstream = connect(Number(new URL(target).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    cleanups.push(async () => {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    });
    return { url: `http://user:word@127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
  }
  const credentials = `Basic ${Buffer.from('user:word').toString('base64')}`;

  it("goes through the kubeconfig's proxy", async () => {
    const server = await serve((_request, response) => send(response, 200, {}));
    const proxy = await startProxy(server.url);
    const transport = await connectTo('http://kubernetes.invalid:8080', { cluster: { 'proxy-url': proxy.url } });

    const answer = await transport.request({ method: 'GET', path: '/x' });

    expect(answer.status).toBe(200);
    expect(proxy.asked).toEqual([`kubernetes.invalid:8080 ${credentials}`]);
    expect(server.seen).toMatchObject([{ url: '/x', headers: { host: 'kubernetes.invalid:8080' } }]);
  });

  it("goes through the environment's proxy, but not to hosts named by NO_PROXY", async () => {
    const server = await serve((_request, response) => send(response, 200, {}));
    const proxy = await startProxy(server.url);
    const environment = { HTTP_PROXY: proxy.url, NO_PROXY: '.direct.invalid' };
    const through = await connectTo('http://kubernetes.invalid:8080', { environment });
    const direct = await connectTo('http://kubernetes.direct.invalid:8080', { environment });

    const answer = await through.request({ method: 'GET', path: '/x' });

    expect(answer.status).toBe(200);
    await expect(direct.request({ method: 'GET', path: '/x' })).rejects.toThrow('ENOTFOUND kubernetes.direct.invalid');
    expect(proxy.asked).toEqual([`kubernetes.invalid:8080 ${credentials}`]);
  });

  it("never goes to loopback addresses through the environment's proxy", async () => {
    const server = await serve((_request, response) => send(response, 200, {}));
    const transport = await connectTo(server.url, { environment: { HTTP_PROXY: 'http://127.0.0.1:9' } });

    const answer = await transport.request({ method: 'GET', path: '/x' });

    expect(answer.status).toBe(200);
  });
});
