import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RestoreOptions } from '../../domain/contract.ts';
import { getIn, getString, type JsonObject, setIn } from '../../domain/json.ts';
import { makeBackup, type RawFile } from './support/backupBucket.ts';
import { managersOf } from './support/cluster.ts';
import { type Environment, startEnvironment } from './support/environment.ts';
import { expectNoSecretAnywhere, expectSoundHistories } from './support/histories.ts';
import {
  configMap,
  definition,
  deployment,
  lease,
  locationOf,
  namespace,
  pod,
  SECRET_MARKER,
  secret,
  service,
} from './support/objects.ts';
import { type EndedRestore, outcomeOf, restore } from './support/restore.ts';

jest.setTimeout(240_000);

let environment: Environment;

beforeAll(async () => {
  environment = await startEnvironment();
}, 1_200_000);

afterAll(async () => {
  await environment.stop();
});

describe('a mix of objects that another cluster had', () => {
  const beyondDoubles = {
    max: 9_223_372_036_854_775_807n,
    odd: 9_007_199_254_740_993n,
    list: [-9_007_199_254_740_995n],
  };
  const widget: JsonObject = {
    apiVersion: 'mix.example.com/v1',
    kind: 'Widget',
    metadata: { name: 'digits', namespace: 'shop' },
    spec: beyondDoubles,
  };
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'of-old-cluster', uid: 'of-old-cluster' };
  const settings = { name: 'settings', namespace: 'shop', labels: { app: 'shop' }, ownerReferences: [owner] };
  const claim: JsonObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'shop', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      volumeName: 'shop-data',
    },
  };
  const volume: JsonObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'shop-data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      hostPath: { path: '/data' },
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: 'shop',
        name: 'data',
        uid: 'of-old-claim',
      },
    },
  };
  const finished = {
    pod: { ...pod('shop', 'finished'), status: { phase: 'Succeeded' } },
    failedPod: { ...pod('shop', 'crashed'), status: { phase: 'Failed' } },
    job: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'finished', namespace: 'shop' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [] } } },
      status: { completionTime: '2026-01-01T00:00:00Z', succeeded: 1 },
    },
  };
  const mirror = pod('shop', 'kube-proxy-n1', { annotations: { 'kubernetes.io/config.mirror': 'abc' } });
  const annotated = (value: string): JsonObject => ({ annotations: { 'velero.io/restore-status': value } });
  /** As the backup has them: read back from the API server, with everything that it adds. */
  const backedUp = new Map<string, JsonObject>();
  let ended: EndedRestore;

  const original = (name: string): JsonObject => {
    const found = backedUp.get(name);
    if (found === undefined) throw new Error(`no object ${name} was backed up`);
    return found;
  };
  const restored = (name: string): Promise<JsonObject> => environment.cluster.live(original(name), 'shop-copy');

  beforeAll(async () => {
    const { cluster, bucket } = environment;
    const [crd, ...sources] = [
      definition({ group: 'mix.example.com', kind: 'Widget' }),
      namespace('shop', { labels: { team: 'sales', 'pod-security.kubernetes.io/warn': 'baseline' } }),
      configMap('shop', 'settings', { metadata: settings }),
      secret('shop', 'password'),
      deployment('shop', 'web'),
      deployment('shop', 'web-without-status', annotated(' False ')),
      service('shop', 'front', { type: 'NodePort' }),
      volume,
      claim,
      pod('shop', 'cache', { finalizers: ['example.com/keep'], ...annotated('true') }),
      pod('shop', 'plain'),
    ] as const;
    await cluster.create(crd);
    while (!(await isServed('widgets'))) await new Promise((resolve) => setTimeout(resolve, 100));
    for (const object of [...sources, widget]) {
      const [created] = await cluster.create(object);
      backedUp.set(getString(object, ['metadata', 'name']) ?? '', created!);
    }
    const status = { replicas: 3, readyReplicas: 2, observedGeneration: 1 };
    for (const name of ['web', 'web-without-status']) {
      backedUp.set(name, await cluster.setStatus(original(name), status));
    }
    for (const name of ['cache', 'plain']) {
      backedUp.set(name, await cluster.setStatus(original(name), { phase: 'Running', podIP: '10.1.2.3' }));
    }
    await makeBackup(bucket, 'mix', [...backedUp.values(), ...Object.values(finished), mirror]);
    await cluster.remove(volume);
    const spec = {
      backupName: 'mix',
      namespaceMapping: { shop: 'shop-copy' },
      restoreStatus: { includedResources: ['deployments'] },
    };
    ended = await restore(environment, spec);
  });

  async function isServed(resource: string): Promise<boolean> {
    const { resources } = await environment.cluster.api.discover({ refresh: true });
    return resources.some((served) => served.resource === resource);
  }

  it('R-323: ends Completed, without a warning, counting what Velero counts', () => {
    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    expect(ended.status).toMatchObject({ phase: 'Completed', progress: { totalItems: 12, itemsRestored: 12 } });
    expect(ended.status.completionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(ended.status.hookStatus).toBeUndefined();
    expect(ended.counters).toEqual({ created: 11, updated: 0, skipped: 4, failed: 0, warnings: 0, errors: 0 });
    expect(ended.result).toMatchObject({ status: ended.status, counters: ended.counters });
  });

  it('lists every object that was made, in Velero’s form', () => {
    expect(ended.resourceList).toEqual({
      'apps/v1/Deployment': ['shop-copy/web(created)', 'shop-copy/web-without-status(created)'],
      'mix.example.com/v1/Widget': ['shop-copy/digits(created)'],
      'v1/ConfigMap': ['shop-copy/settings(created)'],
      'v1/Namespace': ['shop-copy(created)'],
      'v1/PersistentVolume': ['shop-data(created)'],
      'v1/PersistentVolumeClaim': ['shop-copy/data(created)'],
      'v1/Pod': ['shop-copy/cache(created)', 'shop-copy/kube-proxy-n1(skipped)', 'shop-copy/plain(created)'],
      'v1/Secret': ['shop-copy/password(created)'],
      'v1/Service': ['shop-copy/front(created)'],
    });
  });

  it.each(['settings', 'password', 'web', 'front', 'shop-data', 'data', 'digits', 'cache'])(
    'R-043 R-045 R-056: %s has the restore labels and the backup’s managedFields, nothing of the old server',
    async (name) => {
      const live = await restored(name);
      const metadata = getIn(original(name), ['metadata']) as JsonObject;

      expect(getIn(live, ['metadata', 'labels'])).toEqual({
        ...(getIn(metadata, ['labels']) as JsonObject | undefined),
        'velero.io/backup-name': 'mix',
        'velero.io/restore-name': ended.name,
      });
      expect(getIn(live, ['metadata', 'managedFields'])).toEqual(metadata['managedFields']);
      expect(getIn(live, ['metadata', 'uid'])).not.toBe(metadata['uid']);
      expect(Object.keys(getIn(live, ['metadata']) ?? {})).not.toContain('ownerReferences');
      expect(getIn(live, ['metadata', 'finalizers'])).toEqual(metadata['finalizers']);
    },
  );

  it('keeps data as it was', async () => {
    for (const name of ['settings', 'password']) {
      expect(getIn(await restored(name), ['data'])).toEqual(getIn(original(name), ['data']));
    }
  });

  it('keeps every digit of integers that a double cannot hold', async () => {
    expect(getIn(await restored('digits'), ['spec'])).toEqual(beyondDoubles);
  });

  it('R-133…R-143: restores a status only where the restore or the object asks for it', async () => {
    expect(getIn(await restored('web'), ['status'])).toEqual({ replicas: 3, readyReplicas: 2, observedGeneration: 1 });
    expect(getIn(await restored('web-without-status'), ['status'])).toEqual({});
    expect(getIn(await restored('cache'), ['status', 'podIP'])).toBe('10.1.2.3');
    expect(getIn(await restored('plain'), ['status'])).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it('R-116 R-117: lets volume and claim find each other again in the mapped namespace', async () => {
    const claimRef = getIn(await restored('shop-data'), ['spec', 'claimRef']);
    expect(claimRef).toEqual({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop-copy', name: 'data' });
    const live = await restored('data');
    expect(getString(live, ['spec', 'volumeName'])).toBe('shop-data');
    expect(getIn(live, ['metadata', 'annotations'])).toBeUndefined();
  });

  it('lets the API server give the Service another address and nodePort', async () => {
    for (const path of [['clusterIP'], ['ports', 0, 'nodePort']]) {
      const at = ['spec', ...path];
      expect(getIn(await restored('front'), at)).toBeDefined();
      expect(getIn(await restored('front'), at)).not.toEqual(getIn(original('front'), at));
    }
  });

  it('R-108…R-115: leaves out completed pods and jobs and the pods of static manifests', async () => {
    for (const object of [...Object.values(finished), mirror]) {
      expect(await environment.cluster.find(object, 'shop-copy')).toBeUndefined();
    }
    expect(outcomeOf(ended, 'Pod', 'finished')).toMatchObject({
      action: 'skipped',
      reason: 'completed',
      tracked: false,
    });
    expect(outcomeOf(ended, 'Pod', 'crashed')).toMatchObject({
      action: 'skipped',
      reason: 'completed',
      tracked: false,
    });
    expect(outcomeOf(ended, 'Job', 'finished')).toMatchObject({
      action: 'skipped',
      reason: 'completed',
      tracked: false,
    });
    expect(outcomeOf(ended, 'Pod', 'kube-proxy-n1')).toMatchObject({ action: 'skipped', reason: 'mirrorPod' });
    expect(ended.log).toContain('shop-copy/finished is complete - skipping');
  });

  it('gives the new namespace the labels of the backup and no others', async () => {
    const live = await environment.cluster.live(namespace('shop-copy'));
    expect(getIn(live, ['metadata', 'labels'])).toEqual({
      team: 'sales',
      'pod-security.kubernetes.io/warn': 'baseline',
      'kubernetes.io/metadata.name': 'shop-copy',
    });
    expect(managersOf(live)).toEqual(['durable-restore']);
  });
});

describe('items that cannot be restored', () => {
  const tls = { type: 'kubernetes.io/tls', data: { 'tls.crt': Buffer.from(SECRET_MARKER).toString('base64') } };
  const nameless = Array.from({ length: 40 }, () => ({ image: 'example.invalid/image:1' }));
  const secretFile = (name: string, text: string): { path: string; text: string } => ({
    path: `secrets/namespaces/broken/${name}.json`,
    text,
  });
  const start = '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x","namespace":"broken"},';
  let ended: EndedRestore;

  beforeAll(async () => {
    await makeBackup(environment.bucket, 'broken', [
      namespace('broken'),
      configMap('broken', 'good'),
      secret('broken', 'good'),
      { ...secret('broken', 'refused'), ...tls },
      secretFile('not-json', `${start}"data":{"password":"${SECRET_MARKER}`),
      secretFile('trailing', `${start}"data":{}} ${SECRET_MARKER}`),
      secretFile('no-kind', `{"apiVersion":"v1","metadata":{"name":"no-kind"},"data":{"a":"${SECRET_MARKER}"}}`),
      secretFile('list', `["${SECRET_MARKER}"]`),
      secret('broken', 'no-base64', { data: { password: `!${SECRET_MARKER}!` } }),
      secret('broken', 'wrong-type', { stringData: { password: { nested: SECRET_MARKER } } }),
      setIn(deployment('broken', 'long'), ['spec', 'template', 'spec', 'containers'], nameless),
      { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'no-spec' } },
    ]);
    ended = await restore(environment, { backupName: 'broken' });
  });

  it('R-322: ends PartiallyFailed and restores the rest', async () => {
    expect(ended.status).toMatchObject({ phase: 'PartiallyFailed', errors: 9 });
    expect(ended.status.completionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(ended.status.hookStatus).toBeUndefined();
    expect(ended.counters).toMatchObject({ created: 3, failed: 5 });
    expect(ended.results.warnings).toEqual({});
    expect(await environment.cluster.names(configMap('broken', ''), 'broken')).toEqual(['good']);
    expect(await environment.cluster.names(secret('broken', ''), 'broken')).toEqual(['good']);
    expect(getIn(await environment.cluster.live(secret('broken', 'good')), ['data'])).toEqual(
      secret('broken', 'good')['data'],
    );
  });

  it('R-042: tells each error under the namespace of its item or under the cluster', () => {
    const { errors } = ended.results;
    const path = (name: string): string => `resources/secrets/namespaces/broken/${name}.json`;

    expect(errors.velero).toBeUndefined();
    expect(errors.cluster).toEqual([
      expect.stringMatching(/^error restoring persistentvolumes\/no-spec: PersistentVolume "no-spec" is invalid: /),
    ]);
    expect(Object.keys(errors.namespaces ?? {})).toEqual(['broken']);
    const texts = errors.namespaces?.['broken'] ?? [];
    expect(texts).toHaveLength(8);
    expect(texts.slice(0, 4)).toEqual([
      `error decoding "${path('list')}": expected a JSON object, found an array`,
      `error decoding "${path('no-kind')}": Object 'Kind' is missing in '${path('no-kind')}'`,
      expect.stringContaining(`error decoding "${path('not-json')}": unexpected end of JSON input`),
      expect.stringMatching(/error decoding ".*trailing\.json": invalid JSON at character \d+$/),
    ]);
    expect(texts.slice(4, 7)).toEqual([
      expect.stringMatching(/^error restoring secrets\/broken\/no-base64: .*illegal base64 data/),
      expect.stringMatching(
        /^error restoring secrets\/broken\/refused: Secret "refused" is invalid: data\[tls\.key\]: Required value/,
      ),
      expect.stringMatching(/^error restoring secrets\/broken\/wrong-type: .*cannot unmarshal/),
    ]);
  });

  it('tells a long refusal whole, but carries only its beginning through Temporal', () => {
    const whole = (ended.results.errors.namespaces?.['broken'] ?? []).at(-1) ?? '';
    const [message] = outcomeOf(ended, 'Deployment', 'long').messages ?? [];

    expect(whole.length).toBeGreaterThan(1_024);
    expect(whole).toMatch(/^error restoring deployments\.apps\/broken\/long: .*containers\[39\]\.name: Required value/);
    expect(message?.text).toBe(`${whole.slice(0, 200)}…`);
    expect(message?.ref).toContain(ended.uid);
  });
});

describe('groups of items', () => {
  /** A quota that nobody has counted yet: the API server cannot tell whether a Deployment fits. */
  const quota = (target: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'not-counted', namespace: target },
    spec: { hard: { 'count/deployments.apps': '5' } },
  });
  const notCounted = { hard: { 'count/deployments.apps': '5' } };
  const counted = { ...notCounted, used: { 'count/deployments.apps': '0' } };
  const numbered = (count: number): string[] =>
    Array.from({ length: count }, (_, position) => `item-${String(position).padStart(2, '0')}`);
  let grouped: EndedRestore;
  let single: EndedRestore;

  /** The API server hears of a quota a moment after it was made. */
  async function untilRefused(object: JsonObject): Promise<void> {
    const { cluster } = environment;
    const options = { fieldManager: 'probe' };
    while ((await cluster.api.create(locationOf(object), object, options)).ok) await cluster.remove(object);
  }

  async function restoreInto(target: string, itemsPerActivity: number): Promise<EndedRestore> {
    const { cluster } = environment;
    await cluster.create(namespace(target), quota(target));
    await cluster.setStatus(quota(target), notCounted);
    await untilRefused(deployment(target, 'probe'));
    const spec = { backupName: 'many', namespaceMapping: { many: target } };
    const ending = restore(environment, spec, { options: { itemsPerActivity } });
    while ((await cluster.find(lease(target, 'item-18'))) === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await cluster.find(deployment(target, 'must-wait'))).toBeUndefined();
    await cluster.setStatus(quota(target), counted);
    return ending;
  }

  beforeAll(async () => {
    const items = [
      ...numbered(39).map((name) => configMap('many', name)),
      setIn(configMap('many', 'refused'), ['metadata', 'labels'], { bad: 'no label value!' }),
      deployment('many', 'must-wait'),
      ...numbered(19).map((name) => lease('many', name)),
    ];
    await makeBackup(environment.bucket, 'many', [namespace('many'), ...items]);
    [grouped, single] = await Promise.all([restoreInto('in-groups', 10), restoreInto('one-by-one', 1)]);
  });

  it('count every item once', () => {
    expect(grouped.counters).toEqual({ created: 59, updated: 0, skipped: 1, failed: 1, warnings: 0, errors: 1 });
    expect(grouped.result?.counters).toEqual(grouped.counters);
    expect(grouped.status).toMatchObject({ phase: 'PartiallyFailed', errors: 1 });
  });

  it('run an item that has to wait by itself, and its neighbours without it', () => {
    expect(outcomeOf(grouped, 'Deployment', 'must-wait').action).toBe('created');
    const waited = outcomeOf(grouped, 'Deployment', 'must-wait').at;
    const neighbours = numbered(19).map((name) => outcomeOf(grouped, 'Lease', name).at);
    expect(neighbours.every((at) => at <= waited)).toBe(true);
  });

  it('write outcome blocks of their own', () => {
    expect(grouped.blocks.filter((name) => name.startsWith('group-'))).toHaveLength(6);
    expect(grouped.outcomes.map(({ index }) => index)).toEqual(grouped.plan.map(({ index }) => index));
  });

  it('give the same results as one activity for each item', () => {
    const renamed = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value).replaceAll('one-by-one', 'in-groups')) as unknown;

    expect(single.blocks.some((name) => name.startsWith('group-'))).toBe(false);
    expect(single.blocks.some((name) => name.startsWith('shard-'))).toBe(true);
    expect(renamed(single.results)).toEqual(grouped.results);
    expect(renamed(single.resourceList)).toEqual(grouped.resourceList);
    expect(single.counters).toEqual(grouped.counters);
  });
});

describe('versions of a backup, with the feature EnableAPIGroupVersions', () => {
  /** The source preferred version 1, the API server of these tests prefers version 2. */
  const autoscaler = (version: string): JsonObject => ({
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace: 'versions', annotations: { 'example.com/read-from': version } },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  });
  const file = (folder: string, version: string): RawFile => ({
    path: `horizontalpodautoscalers.autoscaling/${folder}namespaces/versions/web.json`,
    text: JSON.stringify(autoscaler(version)),
  });

  async function restoredFrom(target: string, options: Partial<RestoreOptions>): Promise<unknown> {
    const spec = { backupName: 'versions', namespaceMapping: { versions: target } };
    const ended = await restore(environment, spec, { options });
    expect(ended.status).toMatchObject({ phase: 'Completed' });
    const location = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' };
    const live = await environment.cluster.api.get({ ...location, namespace: target, name: 'web' });
    return live.ok ? getIn(live.object, ['metadata', 'annotations', 'example.com/read-from']) : live;
  }

  beforeAll(async () => {
    await environment.cluster.create(namespace('velero'));
    await makeBackup(environment.bucket, 'versions', [
      namespace('versions'),
      file('', 'v1'),
      file('v1-preferredversion/', 'v1'),
      file('v2/', 'v2'),
    ]);
  });

  it('items are read in the version that the target prefers; without the feature they are not', async () => {
    expect(await restoredFrom('versions-chosen', { features: ['EnableAPIGroupVersions'] })).toBe('v2');
    expect(await restoredFrom('versions-plain', {})).toBe('v1');
  });

  it('R-263 R-268: a ConfigMap ranks them', async () => {
    const text = 'horizontalpodautoscalers.autoscaling = v3, v1\n';
    await environment.cluster.create(
      configMap('velero', 'enableapigroupversions', { data: { restoreResourcesVersionPriority: text } }),
    );
    expect(await restoredFrom('versions-ranked', { features: ['EnableAPIGroupVersions'] })).toBe('v1');
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
