import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { RestoreClient, RestoreClientError } from '../../client/index.ts';
import { backupFileKey, backupFolder, backupMetadataKey, RESTORES_FOLDER } from '../../domain/backup/layout.ts';
import {
  defaultRestoreOptions,
  type RestoreInput,
  type RestoreOptions,
  restoreWorkflowId,
  taskQueueFor,
} from '../../domain/contract.ts';
import { getArray, getString } from '../../domain/json.ts';
import type { RestoreSpec } from '../../domain/restore/restore.ts';
import { makeBackup } from './support/backupBucket.ts';
import { type Environment, startEnvironment } from './support/environment.ts';
import { expectSoundHistories } from './support/histories.ts';
import { configMap, namespace } from './support/objects.ts';
import { type EndedRestore, endOf, restore, startRestore } from './support/restore.ts';

jest.setTimeout(240_000);

let environment: Environment;

beforeAll(async () => {
  environment = await startEnvironment();
}, 1_200_000);

afterAll(async () => {
  await environment.stop();
});

/** As Kubernetes writes it. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** What a call that must fail was told. */
async function refusal(call: Promise<unknown>): Promise<RestoreClientError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RestoreClientError) return error;
    throw error;
  }
  throw new Error('expected an error, the call was successful');
}

/** Every namespace with its version: whatever a restore does begins with one. */
async function namespaceVersions(): Promise<string[]> {
  const listed = await environment.cluster.api.list({ group: '', version: 'v1', resource: 'namespaces' });
  const items = listed.ok ? getArray(listed.object, ['items']) : undefined;
  return (items ?? []).map(
    (item) =>
      `${getString(item, ['metadata', 'name']) ?? ''} ${getString(item, ['metadata', 'resourceVersion']) ?? ''}`,
  );
}

describe('a restore that is cancelled in the middle', () => {
  const names = Array.from({ length: 200 }, (_, position) => `item-${String(position).padStart(3, '0')}`);

  async function cancelled(target: string, options: Partial<RestoreOptions>): Promise<EndedRestore> {
    const { bucket, cluster } = environment;
    await makeBackup(bucket, target, [namespace(target), ...names.map((name) => configMap(target, name))]);
    const request = { name: target, options: { shards: 1, window: 2, ...options } };
    const handle = await startRestore(environment, { backupName: target }, request);
    while ((await cluster.names(configMap(target, ''), target)).length < 10) await sleep(50);
    await handle.cancel();
    return endOf(environment, handle);
  }

  describe.each([
    { what: 'one activity for each item', target: 'cancel-single', itemsPerActivity: 1 },
    { what: 'groups', target: 'cancel-group', itemsPerActivity: 100 },
  ])('$what', ({ target, itemsPerActivity }) => {
    let ended: EndedRestore;

    beforeAll(async () => {
      const { proxy } = environment;
      proxy.rule = ({ method, path }) =>
        method !== 'GET' && path.includes(`/${target}/`) ? { delayMs: 40 } : undefined;
      ended = await cancelled(target, { itemsPerActivity });
      proxy.rule = undefined;
    });

    it('is Canceled in Temporal and Failed in Velero’s words, with its files', async () => {
      const description = await environment.restores.get(target);
      expect(ended.error).toMatchObject({ type: 'RestoreCancelled' });
      expect(description).toMatchObject({ cancelled: true, phase: 'Failed' });
      expect(description.status).toMatchObject({ phase: 'Failed', failureReason: 'cancelled' });
      expect(ended.status).toMatchObject({ phase: 'Failed', failureReason: 'cancelled', errors: 1 });
      expect(ended.results).toEqual({ errors: { velero: ['the restore was cancelled'] }, warnings: {} });
      expect(ended.log).toContain('the restore was cancelled');
    });

    it('tells of every item whether it was restored: done and not reached are all there are', async () => {
      const made = await environment.cluster.names(configMap(target, ''), target);
      expect(made.length).toBeGreaterThanOrEqual(10);
      expect(made.length).toBeLessThan(names.length);
      expect(ended.plan).toHaveLength(201);
      expect(ended.counters).toEqual({
        created: made.length + 1,
        updated: 0,
        skipped: 0,
        failed: 0,
        warnings: 0,
        errors: 0,
      });
      const done = new Set(ended.outcomes.map(({ index }) => index));
      const notReached = ended.plan.filter(({ index }) => !done.has(index)).map(({ name }) => name);
      expect(notReached).toEqual(names.filter((name) => !made.includes(name)));
      expect(ended.resourceList['v1/ConfigMap']).toEqual(made.map((name) => `${target}/${name}(created)`));
      expect(ended.status.progress).toEqual({ totalItems: 201, itemsRestored: made.length + 1 });
    });

    it('cannot be started again under its name', async () => {
      const refused = await refusal(startRestore(environment, { backupName: target }, { name: target }));
      expect(refused.type).toBe('RestoreNameTaken');
      expect(refused.message).toMatch(
        new RegExp(
          `^a restore named "${target}" has already ended at .* with phase Failed \\(workflow restore/default/velero/${target}\\): choose another name$`,
        ),
      );
    });
  });

  it('ends also where everything waits for the API server', async () => {
    const { bucket, proxy } = environment;
    await makeBackup(bucket, 'cancel-blocked', [
      configMap('cancel-blocked', 'one'),
      configMap('cancel-blocked', 'two'),
    ]);
    const collection = '/api/v1/namespaces/cancel-blocked/configmaps';
    proxy.rule = ({ path }) => (path === collection ? { status: 429, retryAfterSeconds: 8 } : undefined);
    const handle = await startRestore(environment, { backupName: 'cancel-blocked' });
    while (proxy.count('POST', collection) < 2) await sleep(50);
    await handle.cancel();
    const ended = await endOf(environment, handle);
    proxy.rule = undefined;

    expect(ended.status).toMatchObject({ phase: 'Failed', failureReason: 'cancelled' });
    expect(ended.counters).toMatchObject({ created: 1, skipped: 0, failed: 0 });
    expect(ended.status.progress).toEqual({ totalItems: 3, itemsRestored: 1 });
  });
});

describe('a restore of a schedule', () => {
  beforeAll(async () => {
    const { bucket } = environment;
    const made = async (name: string, schedule: string, startTimestamp: string, phase: string): Promise<void> => {
      await makeBackup(bucket, name, [namespace(name), configMap(name, 'settings')], {
        labels: { 'velero.io/schedule-name': schedule },
        status: { phase, formatVersion: '1.1.0', startTimestamp },
      });
    };
    await made('nightly-1', 'nightly', '2026-01-01T00:00:00Z', 'Completed');
    await made('nightly-2', 'nightly', '2026-01-02T00:00:00Z', 'Completed');
    await made('nightly-3', 'nightly', '2026-01-03T00:00:00Z', 'InProgress');
    await made('hourly-1', 'hourly', '2026-01-04T00:00:00Z', 'Completed');
    await made('weekly-1', 'weekly', '2026-01-04T00:00:00Z', 'InProgress');
  });

  it('R-291 R-313 R-451: takes its newest completed backup, and says which', async () => {
    const ended = await restore(environment, { scheduleName: 'nightly' }, { name: 'from-schedule' });

    expect(ended.status).toMatchObject({ phase: 'Completed', progress: { totalItems: 2, itemsRestored: 2 } });
    expect(ended.status.startTimestamp).toMatch(TIME);
    expect(ended.status.completionTimestamp).toMatch(TIME);
    expect(ended.resourceList['v1/Namespace']).toEqual(['nightly-2(created)']);
    const live = await environment.cluster.live(configMap('nightly-2', 'settings'));
    expect(getString(live, ['metadata', 'labels', 'velero.io/backup-name'])).toBe('nightly-2');
  });

  it.each([
    ['R-311 no backup at all', 'unknown', 'No backups found for schedule'],
    ['R-312 none that is completed', 'weekly', 'No completed backups found for schedule'],
  ])('%s: FailedValidation', async (_title, scheduleName, text) => {
    const refused = await refusal((await startRestore(environment, { scheduleName })).result());
    expect(refused).toMatchObject({ type: 'RestoreValidationFailed' });
    expect(refused.message).toContain(text);
  });
});

const LABELLING = `
version: v1
resourceModifierRules:
- conditions: {groupResource: configmaps, namespaces: [wanted]}
  mergePatches:
  - patchData: '{"metadata": {"labels": {"modified": "yes"}}}'
`;

/** Velero's ends PartiallyFailed then, whatever it has restored. */
describe('a backup that is deleted while it is restored', () => {
  it('R-324: has been read, so the restore ends as if it were there', async () => {
    const { bucket, proxy } = environment;
    await makeBackup(bucket, 'vanishing', [namespace('vanishing'), configMap('vanishing', 'settings')]);
    const collection = '/api/v1/namespaces/vanishing/configmaps';
    proxy.rule = ({ path }) => (path === collection ? { status: 429, retryAfterSeconds: 1 } : undefined);
    const handle = await startRestore(environment, { backupName: 'vanishing' });
    while (proxy.count('POST', collection) < 1) await sleep(50);
    await rm(join(bucket, backupFolder('vanishing')), { recursive: true });
    proxy.rule = undefined;
    const ended = await endOf(environment, handle);

    expect(ended.status).toMatchObject({ phase: 'Completed', progress: { totalItems: 2, itemsRestored: 2 } });
    expect(ended.results).toEqual({ errors: {}, warnings: {} });
  });
});

describe('a restore that cannot be carried out as asked', () => {
  let before: string[];

  beforeAll(async () => {
    const { bucket } = environment;
    const items = [namespace('wanted'), configMap('wanted', 'settings')];
    for (const name of ['good', 'without-archive', 'broken-description']) await makeBackup(bucket, name, items);
    await rm(join(bucket, backupFileKey('without-archive', 'contents')));
    await writeFile(join(bucket, backupMetadataKey('broken-description')), '{"kind":');
    await environment.cluster.create(
      namespace('velero'),
      configMap('velero', 'labelling', { data: { 'rules.yaml': LABELLING } }),
      configMap('velero', 'not-yaml', { data: { 'rules.yaml': 'version: [' } }),
    );
    before = await namespaceVersions();
  });

  it.each<[string, RestoreSpec, string, string | RegExp]>([
    [
      'R-292 a backup that nobody made',
      { backupName: 'none' },
      'default',
      'Error retrieving backup: can\'t find backup velero/none: Backup.velero.io "none" not found',
    ],
    [
      'a backup without its archive',
      { backupName: 'without-archive' },
      'default',
      /^backup without-archive: backups\/without-archive\/without-archive\.tar\.gz is missing in /,
    ],
    [
      'a backup whose description is damaged',
      { backupName: 'broken-description' },
      'default',
      /backups\/broken-description\/velero-backup\.json/,
    ],
    [
      'R-309 a storage location that the worker does not know',
      { backupName: 'good' },
      'nowhere',
      'backup storage location "nowhere" is not configured at this worker, which knows: default',
    ],
    [
      'R-314 resource modifiers that are not in the cluster',
      { backupName: 'good', resourceModifier: { kind: 'ConfigMap', name: 'absent' } },
      'default',
      'failed to get resource modifiers configmap velero/absent',
    ],
    [
      'R-316 resource modifiers that cannot be read, whatever the case of their kind',
      { backupName: 'good', resourceModifier: { kind: 'cOnFiGmAp', name: 'not-yaml' } },
      'default',
      /^Error in parsing resource modifiers provided in configmap velero\/not-yaml: /,
    ],
  ])('%s: FailedValidation, nothing is changed', async (_, spec, storageLocation, text) => {
    const name = `invalid-${randomUUID().slice(0, 8)}`;
    const handle = await environment.restores.start({ name, spec }, { storageLocation });
    const refused = await refusal(handle.result());

    expect(refused).toMatchObject({ type: 'RestoreValidationFailed' });
    expect(refused).toMatchObject({
      validationErrors: [typeof text === 'string' ? text : expect.stringMatching(text)],
    });
    expect(await environment.restores.get(name)).toMatchObject({ phase: 'FailedValidation' });
    expect(await namespaceVersions()).toEqual(before);
    expect(await readdir(join(environment.bucket, RESTORES_FOLDER))).not.toContain(name);
  });

  it('R-315: with resource modifiers that can be read it is carried out, and they are applied', async () => {
    const resourceModifier = { kind: 'ConfigMap', name: 'labelling' };
    const namespaceMapping = { wanted: 'wanted-modified' };
    const ended = await restore(environment, { backupName: 'good', resourceModifier, namespaceMapping });

    expect(ended.status.phase).toBe('Completed');
    const live = await environment.cluster.live(configMap('wanted-modified', 'settings'));
    expect(getString(live, ['metadata', 'labels', 'modified'])).toBe('yes');
    before = await namespaceVersions();
  });

  it('a namespace that is mapped to no name: the client does not even start it', async () => {
    const namespaceMapping = { wanted: 'Not_a_name' };
    const spec = { backupName: 'good', namespaceMapping };
    const refused = await refusal(startRestore(environment, spec, { name: 'badly-mapped' }));

    expect(refused).toMatchObject({ type: 'RestoreValidationFailed' });
    expect(refused.message).toContain('Not_a_name');
    expect((await refusal(environment.restores.get('badly-mapped'))).type).toBe('RestoreNotFound');
  });

  it('a namespace that is mapped to no name, started by another client: FailedValidation', async () => {
    const input: RestoreInput = {
      cluster: 'default',
      restore: {
        name: 'badly-mapped',
        namespace: 'velero',
        uid: randomUUID(),
        spec: { backupName: 'good', namespaceMapping: { wanted: 'Not_a_name' } },
      },
      storageLocation: 'default',
      options: defaultRestoreOptions,
      useSearchAttributes: true,
    };
    const executing = environment.temporal.workflow.execute('restore', {
      taskQueue: taskQueueFor('default'),
      workflowId: restoreWorkflowId('default', 'velero', 'badly-mapped'),
      args: [input],
    });
    const failure: unknown = await executing.catch((error: unknown) => error);

    if (!(failure instanceof WorkflowFailedError)) throw new Error('expected the workflow to fail');
    const { cause } = failure;
    expect(cause).toBeInstanceOf(ApplicationFailure);
    expect(cause).toMatchObject({ type: 'FailedValidation', nonRetryable: true });
    expect(cause).toMatchObject({ details: [{ validationErrors: [expect.stringContaining('Not_a_name')] }] });
    expect(await namespaceVersions()).toEqual(before);
  });

  it('a name whose files are in the bucket: FailedValidation, and the files stay', async () => {
    await restore(environment, { backupName: 'good', namespaceMapping: { wanted: 'wanted-first' } }, { name: 'taken' });
    const after = await namespaceVersions();
    // Another Velero namespace is another workflow id; the bucket knows names only.
    const others = new RestoreClient({ client: environment.temporal, veleroNamespace: 'elsewhere' });
    const namespaceMapping = { wanted: 'wanted-second' };
    const handle = await others.start({ name: 'taken', spec: { backupName: 'good', namespaceMapping } });
    const refused = await refusal(handle.result());

    expect(refused).toMatchObject({
      type: 'RestoreValidationFailed',
      validationErrors: [
        expect.stringMatching(
          /^a restore named "taken" has left its files in .*: choose another name, or delete that restore first$/,
        ),
      ],
    });
    expect(await namespaceVersions()).toEqual(after);
  });

  it('R-304: an archive that is none: Failed, with files that say so, and nothing is changed', async () => {
    const { bucket } = environment;
    const known = await namespaceVersions();
    await makeBackup(bucket, 'no-archive', []);
    await writeFile(join(bucket, backupFileKey('no-archive', 'contents')), 'this is no archive');
    const ended = await restore(environment, { backupName: 'no-archive' });

    expect(ended.error).toMatchObject({ type: 'RestoreFailed' });
    expect(ended.status.phase).toBe('Failed');
    expect(ended.status.failureReason).toContain('no-archive.tar.gz');
    expect(ended.status.completionTimestamp).toMatch(TIME);
    expect(ended.results.errors).toEqual({ velero: [ended.status.failureReason] });
    expect(await namespaceVersions()).toEqual(known);
  });
});

describe('after all of them', () => {
  it('no object is left with the manager of an unfinished create', async () => {
    expect(await environment.cluster.objectsManagedBy(/^durable-restore:/)).toEqual([]);
  });

  it('workflow histories replay and are small', async () => {
    await expectSoundHistories(environment);
  });
});
