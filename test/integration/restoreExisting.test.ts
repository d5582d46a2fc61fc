import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getIn, getString, type JsonObject, setIn } from '../../domain/json.ts';
import { makeBackup } from './support/backupBucket.ts';
import { managersOf } from './support/cluster.ts';
import { type Environment, startEnvironment } from './support/environment.ts';
import { expectNoSecretAnywhere, expectSoundHistories } from './support/histories.ts';
import { configMap, deployment, namespace, pod, secret, service, serviceAccount } from './support/objects.ts';
import { type EndedRestore, endOf, outcomeOf, restore, startRestore } from './support/restore.ts';

jest.setTimeout(240_000);

let environment: Environment;

beforeAll(async () => {
  environment = await startEnvironment();
}, 1_200_000);

afterAll(async () => {
  await environment.stop();
});

const oldLabels = { 'velero.io/backup-name': 'older', 'velero.io/restore-name': 'older' };
const differs = (kind: string, name: string): string =>
  `could not restore, ${kind}:${name} already exists. Warning: the in-cluster version is different than the backed-up version`;

function versionOf(object: JsonObject): string | undefined {
  return getString(object, ['metadata', 'resourceVersion']);
}

function labelsOf(object: JsonObject): unknown {
  return getIn(object, ['metadata', 'labels']);
}

function withLabels(object: JsonObject, labels: JsonObject): JsonObject {
  return setIn(object, ['metadata', 'labels'], labels);
}

/** Creates objects and keeps them as the API server has them before the restore, by kind and name. */
async function createBefore(objects: readonly JsonObject[]): Promise<Map<string, JsonObject>> {
  const created = await environment.cluster.create(...objects);
  return new Map(created.map((object) => [keyOf(object), object]));
}

function keyOf(object: JsonObject): string {
  return `${getString(object, ['kind']) ?? ''} ${getString(object, ['metadata', 'name']) ?? ''}`;
}

describe('objects that exist, with policy none', () => {
  const changed = configMap('none', 'changed');
  const inBackup = {
    changed: configMap('none', 'changed', { data: { key: 'other' } }),
    account: serviceAccount('none', 'merged', {
      metadata: { name: 'merged', namespace: 'none', labels: { tier: 'backup', added: 'yes' } },
      secrets: [{ name: 'token' }],
      imagePullSecrets: [{ name: 'registry' }],
    }),
    ownPort: service('none', 'own-port', nodePort(30_080)),
    takenPort: service('none', 'taken-port', nodePort(30_081)),
  };
  let before: Map<string, JsonObject>;
  let ended: EndedRestore;

  function nodePort(port: number): JsonObject {
    return { type: 'NodePort', ports: [{ name: 'http', port: 80, protocol: 'TCP', nodePort: port }] };
  }

  const found = (key: string): JsonObject => before.get(key) ?? {};

  beforeAll(async () => {
    await environment.cluster.create(namespace('none'), namespace('others'));
    before = await createBefore([
      configMap('none', 'equal'),
      changed,
      withLabels(deployment('none', 'from-older-restore'), oldLabels),
      withLabels(pod('none', 'from-older-restore'), oldLabels),
      serviceAccount('none', 'same'),
      serviceAccount('none', 'merged', {
        metadata: { name: 'merged', namespace: 'none', labels: { tier: 'cluster' } },
      }),
      service('none', 'own-port', nodePort(30_080)),
      service('others', 'has-the-port', nodePort(30_081)),
    ]);
    await makeBackup(environment.bucket, 'existing', [
      namespace('none'),
      found('ConfigMap equal'),
      inBackup.changed,
      found('Deployment from-older-restore'),
      found('Pod from-older-restore'),
      found('ServiceAccount same'),
      ...[inBackup.account, inBackup.ownPort, inBackup.takenPort],
    ]);
    const spec = { backupName: 'existing', existingResourcePolicy: 'none', preserveNodePorts: true } as const;
    ended = await restore(environment, spec);
  });

  it.each(['ConfigMap equal', 'Deployment from-older-restore', 'ServiceAccount same'])(
    'R-048 R-053 R-054: %s is the same and is not touched',
    async (key) => {
      const live = await environment.cluster.live(found(key));
      const [kind = '', name = ''] = key.split(' ');
      expect(versionOf(live)).toBe(versionOf(found(key)));
      expect(outcomeOf(ended, kind, name)).toMatchObject({ action: 'skipped', reason: 'equal', tracked: true });
    },
  );

  // Like in Velero: the priority, which admission gives to every pod, is taken out of those of the backup.
  it.each(['ConfigMap changed', 'Pod from-older-restore'])('%s differs: left as it is, with a warning', async (key) => {
    const [kind = '', name = ''] = key.split(' ');
    expect(versionOf(await environment.cluster.live(found(key)))).toBe(versionOf(found(key)));
    expect(ended.results.warnings.namespaces?.['none']).toContain(differs(kind, name));
    expect(outcomeOf(ended, kind, name)).toMatchObject({ action: 'skipped', reason: 'differs' });
  });

  it('R-055: merges what the backup adds into a ServiceAccount, without restore labels', async () => {
    const live = await environment.cluster.live(inBackup.account);
    expect(getIn(live, ['secrets'])).toEqual([{ name: 'token' }]);
    expect(getIn(live, ['imagePullSecrets'])).toEqual([{ name: 'registry' }]);
    expect(labelsOf(live)).toEqual({ tier: 'cluster', added: 'yes' });
    expect(outcomeOf(ended, 'ServiceAccount', 'merged').action).toBe('updated');
  });

  it('R-123: takes a Service whose own port is refused for the one that exists', () => {
    expect(ended.results.warnings.namespaces?.['none']).toContain(differs('Service', 'own-port'));
    expect(outcomeOf(ended, 'Service', 'own-port')).toMatchObject({ action: 'skipped', reason: 'differs' });
  });

  it('R-122: tells that another Service has the port', async () => {
    expect(ended.results.errors).toEqual({
      namespaces: {
        none: [
          expect.stringMatching(
            /^error restoring services\/none\/taken-port: .*30081: provided port is already allocated/,
          ),
        ],
      },
    });
    expect(await environment.cluster.find(inBackup.takenPort)).toBeUndefined();
    expect(outcomeOf(ended, 'Service', 'taken-port')).toMatchObject({ action: 'failed', reason: 'refused' });
  });

  it('R-293: ends PartiallyFailed for that one error', () => {
    expect(ended.status).toMatchObject({ phase: 'PartiallyFailed', errors: 1, warnings: 3 });
    expect(ended.counters).toMatchObject({ created: 0, updated: 1, skipped: 7, failed: 1 });
    expect(ended.resourceList).toEqual({
      'apps/v1/Deployment': ['none/from-older-restore(skipped)'],
      'v1/ConfigMap': ['none/changed(failed)', 'none/equal(skipped)'],
      'v1/Pod': ['none/from-older-restore(failed)'],
      'v1/Service': ['none/own-port(failed)', 'none/taken-port(failed)'],
      'v1/ServiceAccount': ['none/merged(updated)', 'none/same(skipped)'],
    });
  });
});

describe('objects that exist, with policy update', () => {
  const otherData = { data: { 'old-key': Buffer.from('old').toString('base64') } };
  const registry = { imagePullSecrets: [{ name: 'registry' }] };
  const inBackup = {
    secret: secret('update', 'changed'),
    fixed: secret('update', 'fixed', { immutable: true }),
    account: serviceAccount('update', 'merged', registry),
    service: service('update', 'front', { ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] }),
  };
  let before: Map<string, JsonObject>;
  let ended: EndedRestore;
  let newLabels: JsonObject;

  const found = (key: string): JsonObject => before.get(key) ?? {};

  beforeAll(async () => {
    await environment.cluster.create(namespace('update'));
    before = await createBefore([
      secret('update', 'changed', otherData),
      secret('update', 'fixed', { ...otherData, immutable: true }),
      serviceAccount('update', 'same', {
        metadata: { name: 'same', namespace: 'update', labels: oldLabels },
      }),
      serviceAccount('update', 'merged'),
      withLabels(deployment('update', 'same'), oldLabels),
      withLabels(pod('update', 'same'), oldLabels),
      configMap('update', 'unlabelled'),
      service('update', 'front', {}),
    ]);
    await makeBackup(environment.bucket, 'updating', [
      namespace('update'),
      ...Object.values(inBackup),
      ...['ServiceAccount same', 'Deployment same', 'Pod same', 'ConfigMap unlabelled'].map(found),
    ]);
    ended = await restore(environment, { backupName: 'updating', existingResourcePolicy: 'update' });
    newLabels = { 'velero.io/backup-name': 'updating', 'velero.io/restore-name': ended.name };
  });

  it('R-049: replaces the data of a Secret and removes the old key', async () => {
    const live = await environment.cluster.live(inBackup.secret);
    expect(getIn(live, ['data'])).toEqual(inBackup.secret['data']);
    expect(labelsOf(live)).toEqual(newLabels);
    expect(getIn(live, ['metadata', 'uid'])).toBe(getIn(found('Secret changed'), ['metadata', 'uid']));
    expect(outcomeOf(ended, 'Secret', 'changed').action).toBe('updated');
  });

  it.each([
    ['R-051', 'ServiceAccount same', { action: 'skipped', reason: 'labelsOnly' }],
    ['R-052', 'Deployment same', { action: 'skipped', reason: 'labelsOnly' }],
    ['R-052', 'Pod same', { action: 'updated' }],
    ['§18', 'ConfigMap unlabelled', { action: 'skipped', reason: 'labelsOnly' }],
  ])('%s: %s is the same but for its restore labels, which are replaced', async (_, key, outcome) => {
    const [kind = '', name = ''] = key.split(' ');
    expect(labelsOf(await environment.cluster.live(found(key)))).toEqual(newLabels);
    expect(outcomeOf(ended, kind, name)).toMatchObject(outcome);
  });

  it('merges a ServiceAccount, whatever the policy', async () => {
    const live = await environment.cluster.live(inBackup.account);
    expect(getIn(live, ['imagePullSecrets'])).toEqual(registry.imagePullSecrets);
    expect(labelsOf(live)).toBeUndefined();
    expect(outcomeOf(ended, 'ServiceAccount', 'merged').action).toBe('updated');
  });

  it('updates a Service, which keeps its address', async () => {
    const live = await environment.cluster.live(inBackup.service);
    expect(getIn(live, ['spec', 'ports', 0, 'port'])).toBe(8080);
    expect(getIn(live, ['spec', 'clusterIP'])).toBe(getIn(found('Service front'), ['spec', 'clusterIP']));
    expect(outcomeOf(ended, 'Service', 'front').action).toBe('updated');
  });

  it('where the update is refused, writes at least the labels and tells it as a warning', async () => {
    const live = await environment.cluster.live(inBackup.fixed);
    expect(getIn(live, ['data'])).toEqual(otherData.data);
    expect(labelsOf(live)).toEqual(newLabels);
    expect(outcomeOf(ended, 'Secret', 'fixed')).toMatchObject({ action: 'failed', reason: 'labelsOnly' });
    expect(ended.results.warnings).toEqual({
      namespaces: {
        update: [expect.stringMatching(/^Secret "fixed" is invalid: data: Forbidden: field is immutable/)],
      },
    });
  });

  it('ends Completed: a warning is no error', () => {
    expect(ended.results.errors).toEqual({});
    expect(ended.status).toMatchObject({ phase: 'Completed', warnings: 1 });
    expect(ended.counters).toMatchObject({ created: 0, updated: 4, skipped: 4, failed: 1 });
  });
});

describe('a volume that exists, in a mapped namespace', () => {
  const claimIn = (namespaceName: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: namespaceName },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      volumeName: 'kept',
    },
  });
  const volume: JsonObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'kept' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/srv/kept' },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'volumes', name: 'data' },
    },
  };

  it('R-093: is left as it is, with a warning; its claim is made and keeps naming it', async () => {
    const { cluster, bucket } = environment;
    const before = await createBefore([volume]);
    await makeBackup(bucket, 'volumes', [namespace('volumes'), volume, claimIn('volumes')]);
    const spec = { backupName: 'volumes', namespaceMapping: { volumes: 'volumes-copy' } };
    const ended = await restore(environment, spec);

    expect(ended.status.phase).toBe('Completed');
    expect(ended.results).toEqual({ errors: {}, warnings: { cluster: [differs('PersistentVolume', 'kept')] } });
    const live = await cluster.live(volume);
    expect(getIn(live, ['spec'])).toEqual(getIn(before.get('PersistentVolume kept') ?? {}, ['spec']));
    expect(labelsOf(live)).toBeUndefined();
    expect(getString(await cluster.live(claimIn('volumes-copy')), ['spec', 'volumeName'])).toBe('kept');
    expect(await cluster.find(claimIn('volumes'))).toBeUndefined();
  });
});

describe('namespaces', () => {
  const holder = configMap('leaving', 'holder', {
    metadata: { name: 'holder', namespace: 'leaving', finalizers: ['example.com/wait'] },
  });
  let before: Map<string, JsonObject>;
  let ended: EndedRestore;

  const found = (name: string): JsonObject => before.get(`Namespace ${name}`) ?? {};

  beforeAll(async () => {
    const { cluster, bucket } = environment;
    before = await createBefore([namespace('staying', { labels: { of: 'cluster' } }), namespace('leaving')]);
    await cluster.create(holder);
    await cluster.api.delete({ group: '', version: 'v1', resource: 'namespaces', name: 'leaving' });
    await makeBackup(bucket, 'spaces', [
      namespace('fresh', { labels: { of: 'backup' }, annotations: { note: 'kept' } }),
      namespace('staying', { labels: { of: 'backup' } }),
      namespace('leaving', { labels: { of: 'backup' } }),
      ...['fresh', 'staying', 'leaving', 'not-in-backup'].map((name) => configMap(name, 'settings')),
    ]);
    const handle = await startRestore(environment, { backupName: 'spaces' });
    // The other namespaces of the wave are made meanwhile.
    while ((await cluster.find(namespace('fresh'))) === undefined) await sleep(100);
    await sleep(2_000);
    expect(getString(await cluster.live(namespace('leaving')), ['status', 'phase'])).toBe('Terminating');
    expect((await handle.progress()).step).toBe('restoring namespaces');
    await cluster.patch(holder, { metadata: { finalizers: null } });
    ended = await endOf(environment, handle);
  });

  it('R-421: are made with the labels and annotations of the backup', async () => {
    const live = await environment.cluster.live(namespace('fresh'));
    expect(labelsOf(live)).toEqual({ of: 'backup', 'kubernetes.io/metadata.name': 'fresh' });
    expect(getIn(live, ['metadata', 'annotations'])).toEqual({ note: 'kept' });
    expect(managersOf(live)).toEqual(['durable-restore']);
  });

  it('are made bare where the backup has only what is in them', async () => {
    const live = await environment.cluster.live(namespace('not-in-backup'));
    expect(labelsOf(live)).toEqual({ 'kubernetes.io/metadata.name': 'not-in-backup' });
  });

  it('R-418 R-422: are left alone where they exist', async () => {
    expect(versionOf(await environment.cluster.live(namespace('staying')))).toBe(versionOf(found('staying')));
    expect(outcomeOf(ended, 'Namespace', 'staying')).toMatchObject({ action: 'skipped', tracked: false });
  });

  it('R-423: are waited for while they are being deleted, and then made anew', async () => {
    const live = await environment.cluster.live(namespace('leaving'));
    expect(getIn(live, ['metadata', 'uid'])).not.toBe(getIn(found('leaving'), ['metadata', 'uid']));
    expect(labelsOf(live)).toEqual({ of: 'backup', 'kubernetes.io/metadata.name': 'leaving' });
    expect(await environment.cluster.names(holder, 'leaving')).toEqual(['settings']);
  });

  it('count where they were made', () => {
    expect(ended.status.phase).toBe('Completed');
    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    expect(ended.resourceList).toEqual({
      'v1/ConfigMap': [
        'fresh/settings(created)',
        'leaving/settings(created)',
        'not-in-backup/settings(created)',
        'staying/settings(created)',
      ],
      'v1/Namespace': ['fresh(created)', 'leaving(created)', 'not-in-backup(created)'],
    });
  });

  it('R-419 R-420 R-424: are given up where they do not end in time, and their items with them', async () => {
    const { cluster, bucket } = environment;
    const stuck = { ...holder, metadata: { name: 'holder', namespace: 'stuck', finalizers: ['example.com/wait'] } };
    await cluster.create(namespace('stuck'), stuck);
    await cluster.api.delete({ group: '', version: 'v1', resource: 'namespaces', name: 'stuck' });
    await makeBackup(bucket, 'stuck', [
      namespace('stuck'),
      configMap('stuck', 'settings'),
      configMap('fine', 'settings'),
    ]);
    const options = { terminatingResourceTimeoutMs: 2_000 };
    const given = await restore(environment, { backupName: 'stuck' }, { options });

    expect(given.status).toMatchObject({ phase: 'PartiallyFailed', errors: 2 });
    expect(given.results.errors).toEqual({
      velero: ['timed out waiting for terminating namespace stuck to disappear before restoring'],
      namespaces: { stuck: [expect.stringContaining('because it is being terminated')] },
    });
    expect(given.resourceList['v1/ConfigMap']).toEqual(['fine/settings(created)', 'stuck/settings(failed)']);
    await cluster.patch(stuck, { metadata: { finalizers: null } });
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
