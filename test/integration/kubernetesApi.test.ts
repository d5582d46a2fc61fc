import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type ClosableKubernetesApi,
  createKubernetesApi,
  type KubernetesApiOptions,
} from '../../adapters/kubernetes/client.ts';
import { getArray, getIn, getString, type JsonObject } from '../../domain/json.ts';
import { type ApiResult, type ApiSuccess, KubernetesUnreachable } from '../../domain/kubernetes/api.ts';
import { classifyFailure } from '../../domain/kubernetes/fault.ts';
import { type ControlPlane, startControlPlane } from '../../tools/servers/controlPlane.ts';

jest.setTimeout(120_000);

const manager = { fieldManager: 'durable-restore:uid:7' };
const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' };
const clusterRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
const crds = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const gadgets = { group: 'example.com', version: 'v1', resource: 'gadgets', namespace: 'default' };

let directory: string;
let controlPlane: ControlPlane;
let api: ClosableKubernetesApi;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubernetes-api-test-'));
  controlPlane = await startControlPlane({ directory: join(directory, 'cluster'), controllers: 'minimal' });
  api = await createKubernetesApi({ kubeconfig: controlPlane.kubeconfigPath });
}, 1_200_000);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

afterAll(async () => {
  await api.close();
  await controlPlane.stop();
  await rm(directory, { recursive: true, force: true });
});

async function another(options: KubernetesApiOptions): Promise<ClosableKubernetesApi> {
  const created = await createKubernetesApi(options);
  cleanups.push(() => created.close());
  return created;
}

/** The control plane's kubeconfig with other fields for its cluster or user. */
async function kubeconfigWith(name: string, cluster: object, user?: object): Promise<string> {
  const { parse } = await import('yaml');
  const config = parse(await readFile(controlPlane.kubeconfigPath, 'utf8')) as {
    clusters: { cluster: object }[];
    users: { user: object }[];
  };
  for (const entry of config.clusters) entry.cluster = { ...entry.cluster, ...cluster };
  for (const entry of config.users) entry.user = user ?? entry.user;
  const file = join(directory, name);
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

function configMap(name: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: 'value' }, ...more };
}

function deployment(name: string): JsonObject {
  const labels = { app: name };
  const containers = ['one', 'two'].map((container) => ({ name: container, image: 'example.invalid/image:1' }));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

function succeeded(result: ApiResult): ApiSuccess {
  if (!result.ok) throw new Error(`HTTP ${result.status} ${result.message}`);
  return result;
}

function managersOf(object: JsonObject): unknown[] {
  return (getArray(object, ['metadata', 'managedFields']) ?? []).map((entry) => getString(entry, ['manager']));
}

/** Passes bytes to the API server and counts the connections that are open at a time. */
async function countingProxy(): Promise<{ url: string; most: () => number; total: () => number }> {
  let open = 0;
  let most = 0;
  let total = 0;
  const sockets = new Set<{ destroy: () => void }>();
  const target = new URL(controlPlane.url);
  const proxy = createServer((socket) => {
    total++;
    most = Math.max(most, ++open);
    const upstream = connect(Number(target.port), target.hostname);
    socket.pipe(upstream).pipe(socket);
    sockets.add(socket).add(upstream);
    socket.on('close', () => {
      open--;
      upstream.destroy();
    });
    for (const one of [socket, upstream]) one.on('error', () => socket.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await once(proxy, 'close');
  });
  const url = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { url, most: () => most, total: () => total };
}

describe('objects', () => {
  it('creates under our field manager, tells the server clock, reads back and deletes', async () => {
    const created = succeeded(await api.create(configMaps, configMap('created'), manager));

    expect(created.status).toBe(201);
    expect(Math.abs(Date.now() - (created.date?.getTime() ?? 0))).toBeLessThan(60_000);
    expect(managersOf(created.object)).toEqual([manager.fieldManager]);
    const location = { ...configMaps, name: 'created' };
    expect(succeeded(await api.get(location)).object).toEqual(created.object);
    expect(await api.delete(location)).toMatchObject({ ok: true, status: 200 });
    expect(await api.get(location)).toMatchObject({
      ok: false,
      status: 404,
      reason: 'NotFound',
      message: 'configmaps "created" not found',
    });
  });

  it("keeps the backup's managedFields out of the way of ours on create, and lets a patch put them back", async () => {
    const managedFields = [
      { manager: 'kubectl', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } },
    ];
    const object = configMap('managed', { metadata: { name: 'managed', managedFields } });
    const created = succeeded(await api.create(configMaps, object, manager));

    const location = { ...configMaps, name: 'managed' };
    const patched = succeeded(
      await api.patch(location, { metadata: { managedFields } }, { fieldManager: 'durable-restore', type: 'merge' }),
    );

    expect(managersOf(created.object)).toEqual([manager.fieldManager]);
    expect(managersOf(patched.object)).toEqual(['kubectl']);
  });

  it('refuses a second create with 409 AlreadyExists and a stale replace with 409 Conflict', async () => {
    const first = succeeded(await api.create(configMaps, configMap('twice'), manager)).object;
    const location = { ...configMaps, name: 'twice' };

    expect(await api.create(configMaps, configMap('twice'), manager)).toMatchObject({
      ok: false,
      status: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "twice" already exists',
    });
    expect(await api.replace(location, { ...first, data: { key: 'new' } }, manager)).toMatchObject({
      ok: true,
      object: { data: { key: 'new' } },
    });
    expect(await api.replace(location, { ...first, data: { key: 'newer' } }, manager)).toMatchObject({
      ok: false,
      status: 409,
      reason: 'Conflict',
    });
  });

  it('names the fields of an invalid object: 422', async () => {
    const refused = await api.create(configMaps, configMap('invalid', { data: { 'not a key': 'x' } }), manager);

    expect(refused).toMatchObject({
      ok: false,
      status: 422,
      reason: 'Invalid',
      causes: [{ field: 'data[not a key]' }],
    });
    expect(!refused.ok && classifyFailure(refused)).toBe('item');
  });

  it('patches in three ways', async () => {
    succeeded(await api.create(deployments, deployment('patched'), manager));
    const location = { ...deployments, name: 'patched' };
    const images = (result: ApiResult): unknown[] =>
      (getArray(succeeded(result).object, ['spec', 'template', 'spec', 'containers']) ?? []).map((container) =>
        getString(container, ['image']),
      );

    const template = (containers: JsonObject[]): JsonObject => ({ spec: { template: { spec: { containers } } } });
    const strategic = await api.patch(location, template([{ name: 'two', image: 'b' }]), {
      ...manager,
      type: 'strategic',
    });
    const json = await api.patch(
      location,
      [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'a' }],
      { ...manager, type: 'json' },
    );
    const merge = await api.patch(location, template([{ name: 'only', image: 'c' }]), { ...manager, type: 'merge' });

    expect(images(strategic)).toEqual(['example.invalid/image:1', 'b']);
    expect(images(json)).toEqual(['a', 'b']);
    expect(images(merge)).toEqual(['c']);
  });

  it('writes the status only through its subresource', async () => {
    const created = succeeded(
      await api.create(deployments, { ...deployment('status'), status: { replicas: 3 } }, manager),
    );
    const location = { ...deployments, name: 'status' };
    const options = { ...manager, subresource: 'status' } as const;

    const replaced = await api.replace(location, { ...created.object, status: { replicas: 3 } }, options);
    const patched = await api.patch(location, { status: { replicas: 4 } }, { ...options, type: 'merge' });

    expect(getIn(created.object, ['status', 'replicas'])).toBeUndefined();
    expect(replaced).toMatchObject({ ok: true, object: { status: { replicas: 3 } } });
    expect(patched).toMatchObject({ ok: true, object: { status: { replicas: 4 } } });
  });

  it.each(['system:node', 'MyRole:Foo', 'with space', 'a%2Fb'])('finds an object called %s', async (name) => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [] };
    const created = await api.create(clusterRoles, role, manager);
    expect(created.status).toBe(name === 'a%2Fb' ? 422 : name === 'system:node' ? 409 : 201);

    const found = await api.get({ ...clusterRoles, name });

    expect(found).toMatchObject(name === 'a%2Fb' ? { ok: false } : { ok: true, object: { metadata: { name } } });
  });

  it('reports a resource that nobody serves as client-go does', async () => {
    const unknown = { group: 'example.org', version: 'v1', resource: 'things', namespace: 'default' };

    expect(await api.create(unknown, configMap('x'), manager)).toMatchObject({
      ok: false,
      status: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    });
  });

  it('is refused in a namespace that is going away, as the cluster and not the item is at fault', async () => {
    const metadata = { name: 'going' };
    succeeded(await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata }, manager));
    const held = { ...configMaps, namespace: 'going', name: 'held' };
    const finalizers = ['example.com/held'];
    succeeded(await api.create(held, configMap('held', { metadata: { name: 'held', finalizers } }), manager));
    succeeded(await api.delete({ ...namespaces, name: 'going' }));

    const refused = await api.create(held, configMap('late'), manager);
    succeeded(await api.patch(held, { metadata: { finalizers: null } }, { ...manager, type: 'merge' }));

    expect(refused).toMatchObject({ ok: false, status: 403, reason: 'Forbidden' });
    expect(!refused.ok && classifyFailure(refused)).toBe('terminating');
  });
});

describe('lists', () => {
  const many = { ...configMaps, namespace: 'many' };
  const count = 1_100;
  const connections = 64;

  it(`creates ${count} objects over at most ${connections} connections`, async () => {
    const metadata = { name: many.namespace };
    succeeded(await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata }, manager));
    const proxy = await countingProxy();
    const through = await another({ kubeconfig: await kubeconfigWith('counting', { server: proxy.url }), connections });
    let mostInFlight = 0;
    const startedAt = performance.now();

    const results = await Promise.all(
      Array.from({ length: count }, async (_value, index) => {
        const name = `c-${String(index).padStart(5, '0')}`;
        const labels = { third: String(index % 3) };
        const object = configMap(name, { metadata: { name, labels }, data: { text: 'x'.repeat(1_400) } });
        const created = through.create(many, object, manager);
        mostInFlight = Math.max(mostInFlight, through.limiter.inFlight);
        return created;
      }),
    );

    const seconds = (performance.now() - startedAt) / 1_000;
    process.stdout.write(`${Math.round(count / seconds)} creates/s with ${connections} in flight\n`);
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(mostInFlight).toBe(connections);
    expect(proxy.most()).toBeGreaterThan(connections / 2);
    expect(proxy.most()).toBeLessThanOrEqual(connections);
    expect(proxy.total()).toBeLessThanOrEqual(2 * connections);
    expect(through.limiter).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  it('reads every page, with the type of each object', async () => {
    const list = succeeded(await api.list(many)).object;

    const items = (getArray(list, ['items']) ?? []).filter((item) =>
      getString(item, ['metadata', 'name'])?.startsWith('c-'),
    );
    expect(items).toHaveLength(count);
    expect(new Set(items.map((item) => getString(item, ['metadata', 'name']))).size).toBe(count);
    expect(items[count - 1]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'many' } });
    expect(getIn(list, ['metadata', 'continue'])).toBeUndefined();
  });

  it('reads one page, and what the selectors select', async () => {
    const page = succeeded(await api.list(many, { limit: 10 })).object;
    const labelled = succeeded(await api.list(many, { labelSelector: 'third in (1,2),third!=2' })).object;
    const named = succeeded(await api.list(many, { fieldSelector: 'metadata.name=c-00007' })).object;

    expect(getArray(page, ['items'])).toHaveLength(10);
    expect(getString(page, ['metadata', 'continue'])).not.toBe('');
    expect(getArray(labelled, ['items'])).toHaveLength(Math.ceil((count - 1) / 3));
    expect(getArray(named, ['items'])).toMatchObject([{ metadata: { name: 'c-00007' } }]);
  });

  it('refuses a selector that is none: 400', async () => {
    expect(await api.list(many, { labelSelector: 'a b' })).toMatchObject({
      ok: false,
      status: 400,
      reason: 'BadRequest',
    });
  });
});

describe('discovery and custom resources', () => {
  it('knows what is served, and a CRD after a refresh', async () => {
    const before = await api.discover();
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.example.com' },
      spec: {
        group: 'example.com',
        names: { kind: 'Gadget', listKind: 'GadgetList', plural: 'gadgets', singular: 'gadget', shortNames: ['gdg'] },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    };
    succeeded(await api.create(crds, crd, manager));
    let after = before;
    while (after.resolve('gdg') === undefined) {
      await sleep(100);
      after = await api.discover({ refresh: true });
    }

    expect(before.resolveName('deploy')).toBe('deployments.apps');
    expect(before.resolve('no')).toMatchObject({ resource: 'nodes', kind: 'Node', namespaced: false, version: 'v1' });
    expect(before.forKind('autoscaling', 'v2', 'HorizontalPodAutoscaler')?.resource).toBe('horizontalpodautoscalers');
    expect(before.resources.some(({ resource }) => resource.includes('/'))).toBe(false);
    expect(before.failedVersions).toEqual([]);
    expect(before.resolve('gdg')).toBeUndefined();
    expect(after.forKind('example.com', 'v1', 'Gadget')).toMatchObject({ resource: 'gadgets', namespaced: true });
    expect(await api.discover()).toBe(after);
  });

  it('finds out that the server of an aggregated API does not answer', async () => {
    const service = { namespace: 'default', name: 'nobody' };
    const apiService = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.dead.example.com' },
      spec: {
        group: 'dead.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 1,
        service,
        insecureSkipTLSVerify: true,
      },
    };
    const location = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
    succeeded(await api.create(location, apiService, manager));
    let table = await api.discover({ refresh: true });
    const deadline = Date.now() + 60_000;
    while (table.failedVersions.length === 0 && Date.now() < deadline) {
      await sleep(200);
      table = await api.discover({ refresh: true });
    }
    const dead = { group: 'dead.example.com', version: 'v1', resource: 'things', namespace: 'default' };
    const refused = await api.create(dead, configMap('x'), manager);
    succeeded(await api.delete({ ...location, name: 'v1.dead.example.com' }));

    expect(table.failedVersions).toEqual([{ group: 'dead.example.com', version: 'v1' }]);
    expect(table.resolve('pods')).toBeDefined();
    expect(refused).toMatchObject({ ok: false, status: 503 });
    expect(!refused.ok && classifyFailure(refused)).toBe('serverError');
    expect(await api.isReady()).toBe(true);
  });

  it('keeps every digit of 64-bit integers on the way there and back, and keys of the prototype', async () => {
    const spec: JsonObject = {
      max: 9_223_372_036_854_775_807n,
      min: -9_223_372_036_854_775_808n,
      unsafe: 9_007_199_254_740_993n,
      safe: 9_007_199_254_740_991,
      fraction: 1.5,
      constructor: { toString: 1 },
    };
    const object = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'numbers' }, spec };
    const created = succeeded(await api.create(gadgets, object, manager)).object;
    const location = { ...gadgets, name: 'numbers' };
    const patched = await api.patch(
      location,
      { spec: { unsafe: 9_007_199_254_740_995n } },
      { ...manager, type: 'merge' },
    );
    const listed = succeeded(await api.list(gadgets)).object;

    expect(created['spec']).toEqual(spec);
    const expected = { ...spec, unsafe: 9_007_199_254_740_995n };
    expect(succeeded(patched).object['spec']).toEqual(expected);
    expect((getArray(listed, ['items']) ?? []).map((item) => getIn(item, ['spec']))).toEqual([expected]);
  });

  it('may not patch a custom resource strategically: 415', async () => {
    const patched = await api.patch({ ...gadgets, name: 'numbers' }, {}, { ...manager, type: 'strategic' });

    expect(patched).toMatchObject({ ok: false, status: 415, reason: 'UnsupportedMediaType' });
  });
});

describe('identity', () => {
  it('is refused with 403 what it may not do', async () => {
    const jane = await another({
      kubeconfig: await kubeconfigWith('jane', {}, { token: controlPlane.token, as: 'jane' }),
    });

    expect(await jane.create(configMaps, configMap('x'), manager)).toMatchObject({
      ok: false,
      status: 403,
      reason: 'Forbidden',
      message:
        'configmaps is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "default"',
    });
  });

  it('acts as a member of a group', async () => {
    const user = { token: controlPlane.token, as: 'jane', 'as-groups': ['nobody', 'system:masters'] };
    const jane = await another({ kubeconfig: await kubeconfigWith('jane-master', {}, user) });

    expect(await jane.get({ ...namespaces, name: 'default' })).toMatchObject({ ok: true });
  });

  it('is not known with a wrong token, until the kubeconfig holds the right one; a new CA gets new connections', async () => {
    const proxy = await countingProxy();
    const insecure = { server: proxy.url, 'insecure-skip-tls-verify': true };
    const kubeconfig = await kubeconfigWith('rotated', insecure, { token: 'wrong' });
    const rotated = await another({ kubeconfig });
    const location = { ...namespaces, name: 'default' };
    const refused = await rotated.get(location);
    await kubeconfigWith('rotated', { server: proxy.url }, { token: controlPlane.token });
    await sleep(1_100);

    const allowed = await rotated.get(location);

    expect(refused).toMatchObject({ ok: false, status: 401, reason: 'Unauthorized' });
    expect(allowed).toMatchObject({ ok: true });
    expect(proxy.total()).toBe(2);
  });

  it("goes through the kubeconfig's proxy, with TLS up to the API server by the name that the kubeconfig gives it", async () => {
    const asked: (string | undefined)[] = [];
    const proxy = createHttpServer();
    proxy.on('connect', (request, socket) => {
      asked.push(request.url);
      const upstream = connect(Number(new URL(controlPlane.url).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      for (const one of [socket, upstream]) one.on('error', () => upstream.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    cleanups.push(() => once(proxy.close(), 'close'));
    const proxied = await another({
      kubeconfig: await kubeconfigWith('proxied', {
        server: 'https://api.invalid:6443',
        'proxy-url': `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
        'tls-server-name': '127.0.0.1',
      }),
      connections: 2,
    });

    const results = await Promise.all(
      Array.from({ length: 10 }, () => proxied.get({ ...namespaces, name: 'default' })),
    );

    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(asked).toEqual(['api.invalid:6443', 'api.invalid:6443']);
  });

  it('does not talk to a server whose certificate it does not know', async () => {
    const kubeconfig = await kubeconfigWith('untrusting', {
      'certificate-authority': undefined,
      'certificate-authority-data': undefined,
    });
    const untrusting = await another({ kubeconfig });

    const request = untrusting.get({ ...namespaces, name: 'default' });

    await expect(request).rejects.toThrow(KubernetesUnreachable);
    await expect(request).rejects.toThrow(/no answer from https:.*SELF_SIGNED_CERT/);
    expect(await untrusting.isReady()).toBe(false);
  });
});

describe('an API server that stops and comes back', () => {
  it('is unreachable in between and used again by the same client', async () => {
    expect(await api.isReady()).toBe(true);
    await controlPlane.apiServer.stop();

    const create = api.create(configMaps, configMap('later', { data: { password: 'do-not-show' } }), manager);
    const get = api.get({ ...configMaps, name: 'later' });

    for (const request of [create, get]) {
      const error: unknown = await request.catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(KubernetesUnreachable);
      expect(String(error)).toContain(`no answer from ${controlPlane.url}`);
      expect(String(error)).toMatch(/ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET/);
      expect(String(error)).not.toContain('do-not-show');
    }
    expect(await api.isReady()).toBe(false);
    await controlPlane.restartApiServer();
    expect(await api.isReady()).toBe(true);
    expect(await api.create(configMaps, configMap('later'), manager)).toMatchObject({ ok: true, status: 201 });
    expect(api.limiter.inFlight).toBe(0);
  });
});
