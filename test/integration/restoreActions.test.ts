import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { restoreFileKey } from '../../domain/backup/layout.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { RestoreOperation } from '../../domain/results/itemOperations.ts';
import { until } from '../workflow/support/gate.ts';
import { AskingAction, asking } from './support/askingAction.ts';
import { makeBackup } from './support/backupBucket.ts';
import { type Environment, startEnvironment } from './support/environment.ts';
import { expectNoSecretAnywhere, expectSoundHistories } from './support/histories.ts';
import { configMap, deployment, namespace, pod, secret } from './support/objects.ts';
import { type EndedRestore, endOf, outcomeOf, restore, startRestore } from './support/restore.ts';

jest.setTimeout(240_000);

let environment: Environment;
const own = new AskingAction();

beforeAll(async () => {
  environment = await startEnvironment({ actions: [own.action] });
}, 1_200_000);

afterAll(async () => {
  await environment.stop();
});

function priorityClass(name: string): JsonObject {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value: 1 };
}

function labelled(object: JsonObject, labels: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), labels } };
}

/** Text and scope of the messages that an item left. */
function messages(ended: EndedRestore, kind: string, name: string): string[] {
  return (outcomeOf(ended, kind, name).messages ?? []).map(({ level, text }) => `${level}: ${text}`);
}

/** How the API server keeps an object that is there; by the create manager nobody has left it unfinished. */
async function isThere(object: JsonObject): Promise<boolean> {
  const live = await environment.cluster.find(object);
  expect(JSON.stringify(live ?? {})).not.toContain('durable-restore:');
  return live !== undefined;
}

describe('additional items of actions', () => {
  it('R-072 that are restored directly too are restored once, before their parent, with what they need themselves', async () => {
    const parents = ['a', 'b', 'c'].map((name) =>
      asking(configMap('depth', `parent-${name}`), { needs: ['deployments.apps depth web'] }),
    );
    const web = asking(deployment('depth', 'web'), { needs: ['serviceaccounts depth runner', 'secrets depth key'] });
    const runner = asking(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner', namespace: 'depth' } },
      { needs: ['configmaps depth parent-a'] },
    );
    await makeBackup(environment.bucket, 'depth', [...parents, web, runner, secret('depth', 'key')]);
    own.executed.length = 0;
    const ended = await restore(environment, { backupName: 'depth' });
    expect(ended.results).toEqual({ warnings: {}, errors: {} });
    expect(ended.counters).toMatchObject({ created: 7, failed: 0, skipped: 0 });
    expect(ended.result?.counters).toMatchObject({ created: 7 });
    for (const object of [...parents, web, runner]) expect(await isThere(object)).toBe(true);
    // The service account comes first in Velero's order; what waits for itself goes on without itself.
    expect(own.executed.slice(0, 4)).toEqual(['runner', 'parent-a', 'web', 'key']);
    for (const name of ['runner', 'parent-a', 'web', 'key', 'parent-b']) {
      expect(own.executed.filter((one) => one === name)).toHaveLength(1);
    }
  });

  it('R-072 beside the plan are restored whatever the label selector says, with their namespace, and are listed', async () => {
    const parent = labelled(
      asking(configMap('beside', 'parent'), {
        needs: ['configmaps elsewhere other', 'priorityclasses.scheduling.k8s.io - fast'],
      }),
      { app: 'chosen' },
    );
    const other = asking(configMap('elsewhere', 'other'), { needs: ['secrets elsewhere third'] });
    const third = secret('elsewhere', 'third');
    await makeBackup(environment.bucket, 'beside', [
      namespace('beside'),
      namespace('elsewhere', { labels: { kept: 'yes' } }),
      parent,
      other,
      third,
      priorityClass('fast'),
    ]);
    const ended = await restore(environment, {
      backupName: 'beside',
      labelSelector: { matchLabels: { app: 'chosen' } },
      namespaceMapping: { elsewhere: 'there' },
    });
    expect(ended.results).toEqual({ warnings: {}, errors: {} });
    expect(await environment.cluster.find(other, 'there')).toBeDefined();
    expect(await environment.cluster.find(third, 'there')).toBeDefined();
    expect(await environment.cluster.find(priorityClass('fast'))).toBeDefined();
    expect(await environment.cluster.live(namespace('there'))).toMatchObject({ metadata: { labels: { kept: 'yes' } } });
    expect(ended.resourceList).toMatchObject({
      'v1/ConfigMap': ['beside/parent(created)', 'there/other(created)'],
      'v1/Secret': ['there/third(created)'],
      'v1/Namespace': ['beside(created)', 'there(created)'],
      'scheduling.k8s.io/v1/PriorityClass': ['fast(created)'],
    });
    expect(ended.result?.counters.created).toBe(6);
    expect(ended.status.progress).toEqual({ itemsRestored: 6, totalItems: 6 });
  });

  it('R-072 beside the plan bring along what the built-in actions ask for: the claim of a pod, its priority class', async () => {
    const parent = labelled(asking(configMap('pods', 'parent'), { needs: ['pods pods web'] }), { app: 'chosen' });
    const web = pod('pods', 'web');
    const claim: JsonObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'pods' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: '' },
    };
    const spec = {
      ...(web['spec'] as JsonObject),
      priorityClassName: 'urgent',
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    };
    await makeBackup(environment.bucket, 'pods', [parent, { ...web, spec }, claim, priorityClass('urgent')]);
    const ended = await restore(environment, { backupName: 'pods', labelSelector: { matchLabels: { app: 'chosen' } } });
    expect(ended.results).toEqual({ warnings: {}, errors: {} });
    for (const object of [parent, web, claim, priorityClass('urgent')]) expect(await isThere(object)).toBe(true);
    const order = ended.outcomes.toSorted((a, b) => a.at.localeCompare(b.at));
    expect(order.map(({ action }) => action)).toEqual(['created', 'created', 'created', 'created', 'created']);
  });

  it.each([
    {
      title: 'R-073 in a namespace that the filter leaves out are not restored, and nothing is said',
      name: 'case-073',
      needs: 'configmaps case-073-b extra',
      spec: { includedNamespaces: ['case-073'] },
      extra: configMap('case-073-b', 'extra'),
      restored: false,
    },
    {
      title: 'R-074 without a namespace are restored although a namespace filter is there',
      name: 'case-074',
      needs: 'priorityclasses.scheduling.k8s.io - case-074',
      spec: { includedNamespaces: ['case-074'] },
      extra: priorityClass('case-074'),
      restored: true,
    },
    {
      title: 'R-075 without a namespace are not restored where cluster resources are left out',
      name: 'case-075',
      needs: 'priorityclasses.scheduling.k8s.io - case-075',
      spec: { includedNamespaces: ['case-075'], includeClusterResources: false },
      extra: priorityClass('case-075'),
      restored: false,
    },
    {
      title: 'R-076 of a resource that the filter leaves out are not restored',
      name: 'case-076',
      needs: 'priorityclasses.scheduling.k8s.io - case-076',
      spec: { includedResources: ['configmaps'] },
      extra: priorityClass('case-076'),
      restored: false,
    },
  ])('$title', async ({ name, needs, spec, extra, restored }) => {
    const parent = asking(configMap(name, 'parent'), { needs: [needs] });
    await makeBackup(environment.bucket, name, [namespace(name), parent, extra]);
    const ended = await restore(environment, { backupName: name, ...spec });
    expect(ended.results).toEqual({ warnings: {}, errors: {} });
    expect(await isThere(parent)).toBe(true);
    expect((await environment.cluster.find(extra)) !== undefined).toBe(restored);
  });

  it('that are missing, nameless or unreadable are messages; the parent is restored', async () => {
    const needs = ['configmaps gone nothing', 'pods gone ', 'widgets.example.com gone one', 'configmaps gone broken'];
    const parent = labelled(asking(configMap('gone', 'parent'), { needs }), { app: 'chosen' });
    await makeBackup(environment.bucket, 'gone', [
      parent,
      { path: 'configmaps/namespaces/gone/broken.json', text: '{"kind":"ConfigMap"' },
    ]);
    const ended = await restore(environment, { backupName: 'gone', labelSelector: { matchLabels: { app: 'chosen' } } });
    const of = 'of resources/configmaps/namespaces/gone/parent.json (test.example.com/asking)';
    expect(messages(ended, 'ConfigMap', 'parent')).toEqual([
      `warning: additional item resources/configmaps/namespaces/gone/nothing.json ${of} is not in the backup`,
      `warning: additional item ${of}: a pods without a name`,
      `warning: additional item resources/widgets.example.com/namespaces/gone/one.json ${of} is not in the backup`,
      expect.stringMatching(
        /^error: error restoring additional item configmaps\/gone\/broken: error decoding .*unexpected end/,
      ),
    ]);
    expect(await isThere(parent)).toBe(true);
    expect(ended.status.phase).toBe('PartiallyFailed');
  });

  it('R-072 that many ask for at once, in shards, are created once', async () => {
    const parents = Array.from({ length: 60 }, (_, index) =>
      asking(configMap('crowd', `parent-${String(index).padStart(2, '0')}`), { needs: ['services crowd shared'] }),
    );
    const shared: JsonObject = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'shared', namespace: 'crowd' },
      spec: { ports: [{ port: 80 }], selector: { app: 'shared' } },
    };
    await makeBackup(environment.bucket, 'crowd', [...parents, shared]);
    const before = environment.proxy.requests.length;
    const ended = await restore(environment, { backupName: 'crowd' });
    expect(ended.results).toEqual({ warnings: {}, errors: {} });
    expect(ended.counters).toMatchObject({ created: 62 });
    const creates = environment.proxy.requests
      .slice(before)
      .filter(({ method, path }) => method === 'POST' && path === '/api/v1/namespaces/crowd/services');
    expect(creates).toHaveLength(1);
    expect(await isThere(shared)).toBe(true);
  });

  it('R-072 that are being restored in their own turn at this moment are waited for, and finished once', async () => {
    const parent = asking(configMap('race', 'parent'), { needs: ['configmaps race x-shared'] });
    const shared = configMap('race', 'x-shared');
    await makeBackup(environment.bucket, 'race', [parent, shared]);
    const path = '/api/v1/namespaces/race/configmaps/x-shared';
    const before = environment.proxy.requests.length;
    environment.proxy.rule = (request) =>
      request.method === 'PATCH' && request.path === path ? { delayMs: 3_000 } : undefined;
    try {
      const ended = await restore(environment, { backupName: 'race' });
      expect(ended.results).toEqual({ warnings: {}, errors: {} });
      expect(ended.result?.counters).toMatchObject({ created: 3, skipped: 0, failed: 0 });
    } finally {
      environment.proxy.rule = undefined;
    }
    const asked = environment.proxy.requests
      .slice(before)
      .filter((request) => request.path.startsWith('/api/v1/namespaces/race/'));
    expect(
      asked
        .filter(({ method }) => method === 'PATCH')
        .map((request) => request.path)
        .filter((one) => one === path),
    ).toHaveLength(1);
    expect(await isThere(shared)).toBe(true);
  });
});

describe('readiness of additional items', () => {
  it('is waited for; a parent of a group waits beside it', async () => {
    const parent = asking(configMap('ready', 'parent'), { needs: ['services ready late'], wait: '1m' });
    const late = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'late', namespace: 'ready' },
      spec: { ports: [{ port: 80 }] },
    };
    own.readiness = (_names, asked) => asked > 3;
    own.checks.length = 0;
    await makeBackup(environment.bucket, 'ready', [
      configMap('ready', 'first'),
      parent,
      configMap('ready', 'second'),
      late,
    ]);
    const ended = await restore(environment, { backupName: 'ready' }, { options: { itemsPerActivity: 5 } });
    expect(ended.results).toEqual({ warnings: {}, errors: {} });
    expect(own.checks).toEqual([['late'], ['late'], ['late'], ['late']]);
    const at = (kind: string, name: string): string => outcomeOf(ended, kind, name).at;
    expect(at('ConfigMap', 'second') < at('ConfigMap', 'parent')).toBe(true);
  });

  it('is shown while it is waited for: by progress, and as what it is in the Temporal UI', async () => {
    const parents = Array.from({ length: 40 }, (_, index) => configMap('shown', `other-${String(index)}`));
    const parent = asking(configMap('shown', 'parent'), { needs: ['services shown late'], wait: '10m' });
    const late = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'late', namespace: 'shown' },
      spec: { ports: [{ port: 80 }] },
    };
    let isReady = false;
    own.readiness = () => isReady;
    await makeBackup(environment.bucket, 'shown', [...parents, parent, late]);
    const handle = await startRestore(environment, { backupName: 'shown' });
    await until('the item waits', async () => ((await handle.progress()).waits ?? []).length > 0);
    const { waits } = await handle.progress();
    expect(waits).toEqual([
      {
        item: 'ConfigMap shown/parent',
        action: 'test.example.com/asking',
        awaited: 'Service shown/late',
        deadline: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
    const summaries: string[] = [];
    for await (const { workflowId } of environment.temporal.workflow.list()) {
      if (!workflowId.startsWith(handle.workflowId) || !workflowId.includes('/wait-')) continue;
      const { staticSummary } = await environment.temporal.workflow
        .getHandle(workflowId)
        .describe()
        .then(async (one) => ({
          staticSummary: await one.staticSummary(),
        }));
      summaries.push(staticSummary ?? '');
    }
    expect(summaries).toEqual([
      `ConfigMap shown/parent: test.example.com/asking awaits Service shown/late until ${waits?.[0]?.deadline ?? ''}`,
    ]);
    isReady = true;
    const ended = await endOf(environment, handle);
    expect(ended.results).toEqual({ warnings: {}, errors: {} });
  });

  it('that does not come is an error of the parent, which is restored all the same; only what exists is asked about', async () => {
    const needs = ['services never late', 'services never nowhere'];
    const parent = asking(configMap('never', 'parent'), { needs, wait: '2s' });
    const late = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'late', namespace: 'never' },
      spec: { ports: [{ port: 80 }] },
    };
    own.readiness = () => false;
    own.checks.length = 0;
    await makeBackup(environment.bucket, 'never', [parent, late]);
    const ended = await restore(environment, { backupName: 'never' });
    expect(own.checks[0]).toEqual(['late']);
    expect(own.checks.length).toBeGreaterThanOrEqual(3);
    expect(messages(ended, 'ConfigMap', 'parent').at(-1)).toBe(
      'error: additional items for configmaps/never/parent are not ready to use',
    );
    expect(outcomeOf(ended, 'ConfigMap', 'parent').action).toBe('created');
    expect(await isThere(parent)).toBe(true);
    expect(ended.status.phase).toBe('PartiallyFailed');
  });

  it('that cannot be told is an error of the parent, which is restored all the same', async () => {
    const parent = asking(configMap('unknown', 'parent'), { wait: '1m' });
    own.readiness = () => {
      throw new Error('no idea');
    };
    await makeBackup(environment.bucket, 'unknown', [parent]);
    const ended = await restore(environment, { backupName: 'unknown' });
    expect(messages(ended, 'ConfigMap', 'parent')).toEqual([
      'error: error verifying additional items are ready to use: no idea',
    ]);
    expect(await isThere(parent)).toBe(true);
  });
});

describe('operations', () => {
  it('R-069, R-070, R-071 are recorded with the item, also of one that is skipped', async () => {
    await makeBackup(environment.bucket, 'operations', [
      asking(configMap('operations', 'one'), { operation: 'operation-1' }),
      asking(configMap('operations', 'skipped'), { operation: 'operation-2', skip: true }),
      configMap('operations', 'none'),
    ]);
    const ended = await restore(environment, { backupName: 'operations' });
    const operations = (name: string) => outcomeOf(ended, 'ConfigMap', name).operations;
    const created = expect.stringMatching(/^\d{4}-/);
    expect(operations('one')).toEqual([{ action: 'test.example.com/asking', operationId: 'operation-1', created }]);
    expect(operations('skipped')).toEqual([{ action: 'test.example.com/asking', operationId: 'operation-2', created }]);
    expect(operations('none')).toBeUndefined();
  });
});

describe('operations that go on after their items', () => {
  const file = async (name: string): Promise<RestoreOperation[]> =>
    JSON.parse(
      gunzipSync(await readFile(join(environment.bucket, restoreFileKey(name, 'itemOperations')))).toString('utf8'),
    ) as RestoreOperation[];

  it('R-069 are waited for; their progress is in the file of item operations', async () => {
    await makeBackup(environment.bucket, 'goes-on', [
      asking(configMap('goes-on', 'one'), { operation: 'steps-one' }),
      asking(configMap('goes-on', 'two'), { operation: 'steps-two' }),
    ]);
    const handle = await startRestore(environment, {
      backupName: 'goes-on',
      namespaceMapping: { 'goes-on': 'went-on' },
    });
    await until('the restore waits', async () => (await handle.progress()).phase === 'WaitingForPluginOperations');
    await until('there is progress', async () => (await file(handle.name).catch(() => [])).length === 2);
    expect((await file(handle.name)).map(({ status }) => status.phase)).toEqual(['InProgress', 'InProgress']);
    const ended = await endOf(environment, handle);
    expect(ended.status).toMatchObject({
      phase: 'Completed',
      restoreItemOperationsAttempted: 2,
      restoreItemOperationsCompleted: 2,
    });
    expect((await file(ended.name))[0]).toEqual({
      spec: {
        restoreName: ended.name,
        restoreUID: ended.uid,
        restoreItemAction: 'test.example.com/asking',
        resourceIdentifier: { Group: '', Resource: 'configmaps', Namespace: 'went-on', Name: 'one' },
        operationID: 'steps-one',
      },
      status: {
        phase: 'Completed',
        nCompleted: 2,
        nTotal: 2,
        operationUnits: 'steps',
        description: 'going on',
        created: expect.stringMatching(/^\d{4}-/),
        started: '2026-01-01T00:00:00.000Z',
      },
    });
  });

  it('that fail, time out or are not known are errors of the restore; those whose time is over are cancelled', async () => {
    await makeBackup(environment.bucket, 'goes-wrong', [
      asking(configMap('goes-wrong', 'a'), { operation: 'fails-a' }),
      asking(configMap('goes-wrong', 'b'), { operation: 'forever-b' }),
      asking(configMap('goes-wrong', 'c'), { operation: 'unknown-c' }),
      asking(configMap('goes-wrong', 'd'), { operation: 'steps-d' }),
    ]);
    const ended = await restore(environment, { backupName: 'goes-wrong', itemOperationTimeout: '2s' });
    expect(ended.results.errors).toEqual({
      velero: [
        'error from restore item operation: the operation went wrong',
        'error from restore item operation: Asynchronous action timed out',
        'error from restore item operation: operation ID unknown-c is invalid',
      ],
    });
    expect(ended.status).toMatchObject({
      phase: 'PartiallyFailed',
      errors: 3,
      restoreItemOperationsAttempted: 4,
      restoreItemOperationsCompleted: 1,
      restoreItemOperationsFailed: 3,
    });
    expect(own.cancelled).toEqual(['forever-b']);
  });
});

describe('what these restores left', () => {
  it('histories replay, and no payload holds an item', async () => {
    await expectSoundHistories(environment);
    await expectNoSecretAnywhere(environment);
  });
});
