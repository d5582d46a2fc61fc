import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { backupFileKey, restoreFileKey } from '../../domain/backup/layout.ts';
import { parseStorageLocations } from '../../domain/backup/storageLocation.ts';
import { getStringMap, type JsonObject } from '../../domain/json.ts';
import { ensurePrograms } from '../../tools/servers/ensure.ts';
import { makeBackup } from '../integration/support/backupBucket.ts';
import { type Environment, startEnvironment } from '../integration/support/environment.ts';
import { expectSoundHistories } from '../integration/support/histories.ts';
import { configMap, definition, namespace, secret } from '../integration/support/objects.ts';
import { endOf, outcomeOf, restore, startRestore } from '../integration/support/restore.ts';
import { until } from '../workflow/support/gate.ts';
import { processesOf } from './support/processes.ts';

jest.setTimeout(300_000);

let environment: Environment;
let directory: string;
let program: string;

beforeAll(async () => {
  const programs = await ensurePrograms(['test-plugin']);
  directory = await mkdtemp(join(tmpdir(), 'plugin-restores-'));
  process.env['TEST_PLUGIN_DIRECTORY'] = directory;
  const pluginDirectory = join(directory, 'plugins');
  await mkdir(pluginDirectory);
  program = join(pluginDirectory, 'test-plugin');
  await copyFile(programs['test-plugin'], program);
  const remote = {
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: { name: 'remote' },
    spec: {
      provider: 'test.example.com/files',
      objectStorage: { bucket: 'remote', prefix: 'velero' },
      config: { directory: join(directory, 'files') },
    },
  };
  const moreLocations = parseStorageLocations(JSON.stringify(remote), 'the tests');
  environment = await startEnvironment({ pluginDirectory, moreLocations });
}, 1_800_000);

afterAll(async () => {
  await environment.stop();
  expect(await processesOf(program)).toEqual([]);
  await rm(directory, { recursive: true, force: true });
});

/** A ConfigMap that the plugin's action of that version is for. */
function told(
  namespace: string,
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  version = 'v2',
): JsonObject {
  const all = Object.entries(annotations).map(([key, value]) => [`test.example.com/${key}`, value]);
  const metadata = {
    name,
    namespace,
    labels: { 'test-plugin': version },
    annotations: Object.fromEntries(all) as JsonObject,
  };
  return configMap(namespace, name, { metadata });
}

async function labels(object: JsonObject): Promise<Record<string, string>> {
  return getStringMap(await environment.cluster.live(object), ['metadata', 'labels']);
}

async function executions(name: string): Promise<number> {
  return Number(await readFile(join(directory, `executed-${name}`), 'utf8'));
}

describe('restores with the actions of a plugin directory', () => {
  it('R-062, R-066 run each action for its items: version 1 and 2, by resource and label', async () => {
    const one = told('labels', 'one', {}, 'v1');
    const two = told('labels', 'two');
    const other = configMap('labels', 'other');
    await makeBackup(environment.bucket, 'labels', [one, two, other]);
    const ended = await restore(environment, { backupName: 'labels' });
    expect(ended.results).toEqual({ warnings: {}, errors: {} });
    expect(await labels(one)).toMatchObject({ v1: 'yes' });
    expect(await labels(two)).toMatchObject({ v2: 'yes' });
    expect(await labels(other)).not.toHaveProperty('v1');
    expect(await labels(other)).not.toHaveProperty('v2');
  });

  it('R-072 restore additional items first and wait until the plugin says that they are ready', async () => {
    const parent = told('waits', 'parent', {
      additional: '|secrets|waits|ready-after-3-key |secrets|waits|missing',
      wait: '1m',
    });
    await makeBackup(environment.bucket, 'waits', [parent, secret('waits', 'ready-after-3-key')]);
    const ended = await restore(environment, { backupName: 'waits' });
    expect(outcomeOf(ended, 'ConfigMap', 'parent')).toMatchObject({
      action: 'created',
      messages: [{ level: 'warning', text: expect.stringContaining('secrets/namespaces/waits/missing.json') }],
    });
    const asked = (await readFile(join(directory, 'asked'), 'utf8'))
      .split('\n')
      .filter((line) => line.startsWith(ended.name));
    expect(asked).toEqual(Array.from({ length: 4 }, () => `${ended.name} ready-after-3-key`));
    expect(await executions('parent')).toBe(1);
  });

  it('take the timeout of the plugin, and restore the item all the same', async () => {
    const parent = told('late', 'late-parent', { additional: '|secrets|late|never-key', wait: '3s' });
    await makeBackup(environment.bucket, 'late', [parent, secret('late', 'never-key')]);
    const ended = await restore(environment, { backupName: 'late' });
    expect(outcomeOf(ended, 'ConfigMap', 'late-parent')).toMatchObject({
      action: 'created',
      messages: [{ level: 'error', text: 'additional items for configmaps/late/late-parent are not ready to use' }],
    });
    expect(ended.status.phase).toBe('PartiallyFailed');
  });

  it('name action and cause where an item cannot be prepared', async () => {
    await makeBackup(environment.bucket, 'fails', [
      told('fails', 'error', { error: 'no good' }),
      told('fails', 'dies', { 'crash-at-call': 'every' }),
      told('fails', 'fine'),
    ]);
    const ended = await restore(environment, { backupName: 'fails' });
    expect(ended.results.errors).toEqual({
      namespaces: {
        fails: [
          'error preparing configmaps/fails/dies: plugin test-plugin died (exit code 7) during Execute, 3 times in a row',
          'error preparing configmaps/fails/error: rpc error: code = Unknown desc = no good',
        ],
      },
    });
    expect(outcomeOf(ended, 'ConfigMap', 'fine').action).toBe('created');
  });

  it.each([
    ['while it executes', { sleep: '1s' }, 'executed-killed'],
    [
      'while it is asked whether items are ready',
      { additional: '|secrets|killed|ready-after-6-key', wait: '1m' },
      'asked-ready-after-6-key',
    ],
  ])('survive the death of the plugin %s', async (title, annotations, sign) => {
    const backup = `killed-${String(title.length)}`;
    const item = told('killed', 'killed', annotations);
    await makeBackup(environment.bucket, backup, [item, secret('killed', 'ready-after-6-key')]);
    await rm(join(directory, sign), { force: true });
    const handle = await startRestore(environment, { backupName: backup, existingResourcePolicy: 'update' });
    await until(
      'the plugin was asked',
      async () => (await readFile(join(directory, sign), 'utf8').catch(() => '')) !== '',
    );
    for (const pid of await processesOf(program)) process.kill(pid, 'SIGKILL');
    const ended = await endOf(environment, handle);
    expect(ended.results.errors).toEqual({});
    expect(await labels(item)).toMatchObject({ v2: 'yes' });
  });

  it('read a backup from a location whose provider is a plugin, and leave their files there', async () => {
    const bucket = join(directory, 'files', 'remote', 'velero');
    const many = Array.from({ length: 100 }, (_, index) => configMap('remote', `item-${String(index)}`));
    await makeBackup(bucket, 'remote', [...many, told('remote', 'labelled'), secret('remote', 'key')]);
    const spec = { backupName: 'remote' };
    const handle = await environment.restores.start({ name: 'remote', spec }, { storageLocation: 'remote' });
    expect(await handle.result()).toMatchObject({
      status: { phase: 'Completed' },
      counters: { created: 103, failed: 0 },
    });
    const results = await readFile(join(bucket, restoreFileKey('remote', 'results')));
    expect(JSON.parse(gunzipSync(results).toString('utf8'))).toEqual({ warnings: {}, errors: {} });
    expect(await labels(told('remote', 'labelled'))).toMatchObject({ v2: 'yes' });
  });

  it('make volumes from native snapshots through the VolumeSnapshotter of the location, with its credentials', async () => {
    const location: JsonObject = {
      apiVersion: 'velero.io/v1',
      kind: 'VolumeSnapshotLocation',
      metadata: { name: 'disks', namespace: 'velero' },
      spec: {
        provider: 'test.example.com/volumes',
        config: { region: 'r' },
        credential: { name: 'cloud-credentials', key: 'password' },
      },
    };
    const { cluster } = environment;
    await cluster.create(definition({ group: 'velero.io', kind: 'VolumeSnapshotLocation' }), namespace('velero'));
    await cluster.create(secret('velero', 'cloud-credentials'));
    await until('the definition is served', async () =>
      (await cluster.api.discover({ refresh: true })).groups.some(({ group }) => group === 'velero.io'),
    );
    await until('the location is there', () =>
      cluster.create(location).then(
        () => true,
        () => false,
      ),
    );

    const volume: JsonObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'volume-1' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        claimRef: { namespace: 'snapshots', name: 'data' },
        csi: { driver: 'example.com', volumeHandle: 'old' },
        persistentVolumeReclaimPolicy: 'Retain',
      },
    };
    await makeBackup(environment.bucket, 'snapshots', [volume]);
    const snapshot = {
      spec: {
        backupName: 'snapshots',
        location: 'disks',
        persistentVolumeName: 'volume-1',
        volumeType: 'ssd',
        volumeAZ: 'zone-a',
      },
      status: { providerSnapshotID: 'snap-7', phase: 'Completed' },
    };
    const file = join(environment.bucket, backupFileKey('snapshots', 'volumeSnapshots'));
    await writeFile(file, gzipSync(JSON.stringify([snapshot])));
    const ended = await restore(environment, { backupName: 'snapshots' });
    expect(ended.results).toEqual({ warnings: {}, errors: {} });
    expect(await cluster.live(volume)).toMatchObject({ spec: { csi: { volumeHandle: 'volume-of-snap-7' } } });
    const [init, create] = (await readFile(join(directory, 'volumes'), 'utf8')).split('\n');
    expect(init).toMatch(/^init map\[credentialsFile:\S+ region:r\]$/);
    expect(create).toBe('create snap-7 ssd zone-a');
  });

  it('show the log of the plugin in that of the worker', async () => {
    await makeBackup(environment.bucket, 'logs', [told('logs', 'talkative', { log: 'yes' })]);
    await restore(environment, { backupName: 'logs' });
    await until('the log came', () => environment.log().includes('erred'));
    expect(environment.log()).toMatch(/ warn warned .*pluginName=test-plugin/);
  });

  it('leave histories that replay and hold no item', async () => {
    await expectSoundHistories(environment);
  });
});
