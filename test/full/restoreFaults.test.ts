import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getIn, type JsonObject, setIn } from '../../domain/json.ts';
import { makeBackup } from '../integration/support/backupBucket.ts';
import { type Environment, startEnvironment } from '../integration/support/environment.ts';
import type { Fault, ProxiedRequest } from '../integration/support/faultProxy.ts';
import { expectNoSecretAnywhere, expectSoundHistories } from '../integration/support/histories.ts';
import { configMap, deployment, locationOf, namespace, serviceAccount } from '../integration/support/objects.ts';
import { type EndedRestore, endOf, outcomeOf, restore, startRestore } from '../integration/support/restore.ts';

jest.setTimeout(240_000);

let environment: Environment;

beforeAll(async () => {
  environment = await startEnvironment();
}, 1_200_000);

afterEach(() => {
  environment.proxy.rule = undefined;
});

afterAll(async () => {
  await environment.stop();
});

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, position) => `${prefix}-${String(position).padStart(3, '0')}`);
}

function webhook(name: string, failurePolicy: 'Fail' | 'Ignore', clientConfig: JsonObject): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 2,
        failurePolicy,
        clientConfig,
        objectSelector: { matchLabels: { judge: name } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
    ],
  };
}

describe('servers behind the API server that are broken', () => {
  const nobody = { service: { name: 'nobody', namespace: 'default' } };
  const webhooks = [
    webhook('no-service', 'Fail', nobody),
    webhook('no-listener', 'Fail', { url: 'https://127.0.0.1:1/judge' }),
    webhook('ignored', 'Ignore', nobody),
  ];
  const apiService: JsonObject = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.dead.example.com' },
    spec: {
      ...nobody,
      group: 'dead.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
    },
  };
  const dead: JsonObject = {
    apiVersion: 'dead.example.com/v1',
    kind: 'Thing',
    metadata: { name: 'thing', namespace: 'broken-dead' },
  };
  const judged = (judge: string): JsonObject =>
    setIn(configMap(`broken-${judge}`, 'judged'), ['metadata', 'labels'], { judge });
  let ended: EndedRestore;

  beforeAll(async () => {
    const { cluster, bucket } = environment;
    await cluster.create(...webhooks, apiService);
    // The API server hears of webhooks a moment after they were made.
    for (const judge of ['no-service', 'no-listener']) {
      const probe = setIn(judged(judge), ['metadata', 'namespace'], 'default');
      while ((await cluster.api.create(locationOf(probe), probe, { fieldManager: 'probe' })).ok) {
        await cluster.remove(probe);
      }
    }
    while ((await cluster.api.get(locationOf(dead))).status !== 503) await sleep(100);
    const items = [...['no-service', 'no-listener', 'ignored'].map(judged), dead];
    await makeBackup(bucket, 'broken', [
      ...items,
      configMap('broken-no-service', 'plain'),
      configMap('broken-dead', 'plain'),
    ]);
    ended = await restore(environment, { backupName: 'broken' });
  });

  const path = (name: string): string => `/api/v1/namespaces/broken-${name}/configmaps`;

  it.each(['no-service', 'no-listener'])(
    'webhook %s that must be asked: five tries, then an error of the item',
    async (judge) => {
      const own = judge === 'no-service' ? 6 : 5;
      expect(environment.proxy.count('POST', path(judge))).toBe(own);
      expect(ended.results.errors.namespaces?.[`broken-${judge}`]).toEqual([
        expect.stringMatching(
          new RegExp(
            `^error restoring configmaps/broken-${judge}/judged: Internal error occurred: failed calling webhook "${judge}.example.com": `,
          ),
        ),
      ]);
      expect(await environment.cluster.find(judged(judge))).toBeUndefined();
    },
  );

  it('a webhook that may be left out is no obstacle', async () => {
    expect(environment.proxy.count('POST', path('ignored'))).toBe(1);
    expect(await environment.cluster.find(judged('ignored'))).toBeDefined();
  });

  it('a dead aggregated API: five tries, then an error of its items, and of nothing else', () => {
    const things = '/apis/dead.example.com/v1/namespaces/broken-dead/things';
    expect(environment.proxy.count('POST', things)).toBe(5);
    expect(environment.proxy.count('GET', `${things}/thing`)).toBe(1);
    expect(ended.results.errors.namespaces?.['broken-dead']).toEqual([
      expect.stringContaining('error restoring things.dead.example.com/broken-dead/thing: '),
    ]);
    expect(outcomeOf(ended, 'Thing', 'thing')).toMatchObject({ action: 'failed', reason: 'refused' });
  });

  it('everything else is restored', () => {
    expect(ended.status).toMatchObject({ phase: 'PartiallyFailed', errors: 3 });
    expect(ended.results.warnings).toEqual({});
    // Of the seven, four are namespaces.
    expect(ended.counters).toMatchObject({ created: 7, failed: 3 });
    expect(ended.resourceList['v1/ConfigMap']).toEqual([
      'broken-dead/plain(created)',
      'broken-ignored/judged(created)',
      'broken-no-listener/judged(failed)',
      'broken-no-service/judged(failed)',
      'broken-no-service/plain(created)',
    ]);
  });
});

describe('an API server that asks to slow down', () => {
  /** The first requests that match are refused. */
  function refuse(
    pattern: RegExp,
    times: number,
    retryAfterSeconds: number,
  ): (request: ProxiedRequest) => Fault | undefined {
    let left = times;
    return ({ method, path }) => {
      if (!pattern.test(`${method} ${path}`) || left === 0) return undefined;
      left--;
      return { status: 429, retryAfterSeconds };
    };
  }

  it.each([
    { what: 'soon', target: 'busy-soon', itemsPerActivity: 1, times: 4, seconds: 1 },
    { what: 'later', target: 'busy-later', itemsPerActivity: 1, times: 2, seconds: 6 },
    { what: 'later, in a group', target: 'busy-group', itemsPerActivity: 10, times: 1, seconds: 6 },
    { what: 'more often than it is tried at once', target: 'busy-long', itemsPerActivity: 1, times: 7, seconds: 0 },
  ])('$what: nothing is lost, nobody told', async ({ target, itemsPerActivity, times, seconds }) => {
    const names = numbered('item', 6);
    await makeBackup(
      environment.bucket,
      target,
      names.map((name) => configMap(target, name)),
    );
    environment.proxy.rule = refuse(new RegExp(`^POST .*/${target}/`), times, seconds);
    const ended = await restore(environment, { backupName: target }, { options: { itemsPerActivity } });

    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    expect(ended.counters).toMatchObject({ created: 7, skipped: 0, failed: 0 });
    expect(await environment.cluster.names(configMap(target, ''), target)).toEqual(names);
    const posts = environment.proxy.count('POST', `/api/v1/namespaces/${target}/configmaps`);
    expect(posts).toBe(names.length + times);
  });
});

describe('answers that get lost on the way', () => {
  /** The first write of each kind to each such path is carried out, but nobody hears of it. */
  function loseFirstWrites(pattern: RegExp): (request: ProxiedRequest) => Fault | undefined {
    const seen = new Set<string>();
    return ({ method, path }) => {
      const write = `${method} ${path}`;
      if (method === 'GET' || !pattern.test(path) || seen.has(write)) return undefined;
      seen.add(write);
      return 'dropAnswer';
    };
  }

  it('a namespace, an object, its status: what was made is there once and counts as created', async () => {
    const { cluster, bucket, proxy } = environment;
    const names = numbered('item', 3);
    const web = { ...deployment('lost', 'web'), status: { replicas: 4 } };
    await makeBackup(bucket, 'lost', [namespace('lost'), ...names.map((name) => configMap('lost', name)), web]);
    proxy.rule = loseFirstWrites(/^\/api\/v1\/namespaces$|\/lost(\/|$)/);
    const spec = { backupName: 'lost', restoreStatus: { includedResources: ['deployments'] } };
    const ended = await restore(environment, spec);

    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    expect(ended.counters).toEqual({ created: 5, updated: 0, skipped: 0, failed: 0, warnings: 0, errors: 0 });
    expect(ended.resourceList['v1/Namespace']).toEqual(['lost(created)']);
    expect(await cluster.names(configMap('lost', ''), 'lost')).toEqual(names);
    expect(getIn(await cluster.live(web), ['status', 'replicas'])).toBe(4);
  });

  it('in a group: the same, and what was done before is not done again', async () => {
    const { cluster, bucket, proxy } = environment;
    const names = numbered('item', 6);
    await makeBackup(
      bucket,
      'lost-group',
      names.map((name) => configMap('lost-group', name)),
    );
    proxy.rule = loseFirstWrites(/\/lost-group\/configmaps\/item-00[24]$/);
    const options = { itemsPerActivity: 10 };
    const ended = await restore(environment, { backupName: 'lost-group' }, { options });

    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    expect(ended.counters).toMatchObject({ created: 7, skipped: 0, failed: 0 });
    expect(await cluster.names(configMap('lost-group', ''), 'lost-group')).toEqual(names);
    const collection = '/api/v1/namespaces/lost-group/configmaps';
    // One for each item and one more for each answer that was lost.
    expect(proxy.count('POST', collection)).toBe(8);
    expect(proxy.count('PATCH', `${collection}/item-000`)).toBe(1);
  });

  it.each([
    ['by itself', 'update-single', 1],
    ['in a group', 'update-group', 10],
  ])('an object that was updated counts as updated (%s)', async (_, target, itemsPerActivity) => {
    const { cluster, bucket, proxy } = environment;
    const other = { data: { other: 'value' } };
    const pulling = { imagePullSecrets: [{ name: 'registry' }] };
    // Just now, so that they might as well be of this restore.
    await cluster.create(
      namespace(target),
      ...['one', 'two'].map((name) => configMap(target, name, other)),
      ...['one', 'two'].map((name) => serviceAccount(target, name)),
    );
    await makeBackup(bucket, target, [
      ...['one', 'two'].map((name) => configMap(target, name)),
      ...['one', 'two'].map((name) => serviceAccount(target, name, pulling)),
    ]);
    proxy.rule = loseFirstWrites(new RegExp(`/${target}/(configmaps|serviceaccounts)/`));
    const spec = { backupName: target, existingResourcePolicy: 'update' } as const;
    const ended = await restore(environment, spec, { options: { itemsPerActivity } });

    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    expect(getIn(await cluster.live(configMap(target, 'two')), ['data'])).toEqual({ key: 'value' });
    expect(ended.resourceList).toEqual({
      'v1/ConfigMap': [`${target}/one(updated)`, `${target}/two(updated)`],
      'v1/ServiceAccount': [`${target}/one(updated)`, `${target}/two(updated)`],
    });
  });
});

describe('an API server that dies in the middle', () => {
  it.each([
    ['one activity for each item', 'outage-single', 1],
    ['groups', 'outage-group', 10],
  ])('the restore goes on when it is back (%s)', async (_, target, itemsPerActivity) => {
    const { bucket, cluster, controlPlane } = environment;
    const names = numbered('item', 150);
    await makeBackup(bucket, target, [namespace(target), ...names.map((name) => configMap(target, name))]);
    const options = { itemsPerActivity, shards: 2, window: 4 };
    const handle = await startRestore(environment, { backupName: target }, { options });
    while ((await cluster.names(configMap(target, ''), target)).length < 30) await sleep(20);
    controlPlane.apiServer.process.kill('SIGKILL');
    await controlPlane.apiServer.process.exited;
    await sleep(5_000);
    await controlPlane.restartApiServer();
    const ended = await endOf(environment, handle);

    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    expect(ended.status).toMatchObject({ phase: 'Completed', progress: { totalItems: 151, itemsRestored: 151 } });
    expect(ended.counters).toMatchObject({ created: 151, skipped: 0, failed: 0 });
    expect(ended.resourceList['v1/ConfigMap']).toEqual(names.map((name) => `${target}/${name}(created)`));
    expect(await cluster.names(configMap(target, ''), target)).toEqual(names);
  });
});

describe('after all of them', () => {
  it('no object is left with the manager of an unfinished create', async () => {
    expect(await environment.cluster.objectsManagedBy(/^durable-restore:/)).toEqual([]);
  });

  it('workflow histories replay and are small', async () => {
    await expectSoundHistories(environment);
  });

  it('no content of a Secret is in results, work store, histories or log', async () => {
    await expectNoSecretAnywhere(environment);
  });
});
