import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PluginRegistry } from '../../adapters/plugins/pluginRegistry.ts';
import type { ObjectStore } from '../../domain/backup/objectStore.ts';
import { readStorageLocation } from '../../domain/backup/storageLocation.ts';
import { getIn, type JsonObject } from '../../domain/json.ts';
import type { VolumeSnapshotLocation } from '../../domain/volumes/volumeSnapshotter.ts';
import { ensurePrograms } from '../../tools/servers/ensure.ts';
import { type S3Server, startS3Server } from '../../tools/servers/s3Server.ts';
import { PluginStores } from '../../worker/pluginStores.ts';

jest.setTimeout(300_000);

let directory: string;
let server: S3Server;
let registry: PluginRegistry;
let stores: PluginStores;

beforeAll(async () => {
  const programs = await ensurePrograms(['test-plugin', 'velero-plugin-for-aws']);
  directory = await mkdtemp(join(tmpdir(), 'plugin-stores-'));
  process.env['TEST_PLUGIN_DIRECTORY'] = directory;
  await mkdir(join(directory, 's3', 'bucket'), { recursive: true });
  server = await startS3Server({ directory: join(directory, 's3') });
  registry = await PluginRegistry.open({
    commands: [{ path: programs['test-plugin'] }, { path: programs['velero-plugin-for-aws'] }],
    log: () => undefined,
  });
  stores = new PluginStores(registry, (_namespace, { name, key }) =>
    Promise.resolve(name === 'cloud' && key === 'key' ? Buffer.from('open sesame') : undefined),
  );
}, 1_800_000);

afterAll(async () => {
  await registry.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

function storeOf(kind: string, prefix: string): Promise<ObjectStore> {
  if (kind === 'files') {
    const config = { directory: join(directory, 'files') };
    const location = { provider: 'test.example.com/files', objectStorage: { bucket: 'bucket', prefix }, config };
    return stores.openObjectStore(readStorageLocation(location, 'test'));
  }
  const credentialsFile = join(directory, 'credentials');
  const config = {
    s3Url: server.url,
    s3ForcePathStyle: 'true',
    region: 'us-east-1',
    credentialsFile,
    checksumAlgorithm: '',
  };
  const location = { provider: 'aws', objectStorage: { bucket: 'bucket', prefix }, config };
  return writeFile(credentialsFile, '[default]\naws_access_key_id=a\naws_secret_access_key=b\n', { mode: 0o600 }).then(
    () => stores.openObjectStore(readStorageLocation(location, 'test')),
  );
}

async function contentOf(store: ObjectStore, key: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.read(key)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe.each([
  ['velero-plugin-for-aws with a real S3 server', 'aws'],
  ['the test plugin', 'files'],
])('an object store through %s (plugin-protocol.md §6.5)', (_title, kind) => {
  it.each(['', 'some/prefix'])('writes, reads, lists and deletes below prefix %j', async (prefix) => {
    const store = await storeOf(kind, prefix);
    const large = Buffer.alloc(300_000, 'velero');
    await store.put('backups/one/velero-backup.json', Buffer.from('{"first":1}'));
    await store.put('backups/one/one.tar.gz', large);
    await store.put('backups/two/velero-backup.json', Buffer.from('{}'));

    expect((await contentOf(store, 'backups/one/one.tar.gz')).equals(large)).toBe(true);
    expect(await store.get('backups/one/velero-backup.json')).toEqual(Buffer.from('{"first":1}'));
    expect(await store.get('backups/three/velero-backup.json')).toBeUndefined();
    expect(await store.listFolders('backups/')).toEqual(['one', 'two']);
    const keys: string[] = [];
    for await (const { key } of store.list('backups/one/')) keys.push(key);
    expect(keys).toEqual(['backups/one/one.tar.gz', 'backups/one/velero-backup.json']);

    const before = await store.head('backups/one/one.tar.gz');
    expect(before).toMatchObject({ key: 'backups/one/one.tar.gz' });
    await store.put('backups/one/velero-backup.json', Buffer.from('{"first":2}'));
    expect((await store.head('backups/one/one.tar.gz'))?.etag).not.toBe(before?.etag);
    expect(await store.head('backups/one/missing')).toBeUndefined();

    expect(await store.create('restores/marker', Buffer.from('mine'))).toBe(true);
    expect(await store.create('restores/marker', Buffer.from('not mine'))).toBe(false);
    expect(await store.get('restores/marker')).toEqual(Buffer.from('mine'));
    await store.delete('restores/marker');
    await store.delete('restores/marker');
    expect(await store.head('restores/marker')).toBeUndefined();
  });

  it('tells of an object that is not there', async () => {
    const store = await storeOf(kind, '');
    await expect(contentOf(store, 'backups/none/none.tar.gz')).rejects.toMatchObject({
      type: 'NotFound',
      message: expect.stringContaining('backups/none/none.tar.gz: no such object'),
    });
  });
});

describe('an object store of the test plugin', () => {
  it('is read to its end although the plugin dies in the middle', async () => {
    const store = await storeOf('files', '');
    const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
    await store.put('backups/crash-one', content);
    expect((await contentOf(store, 'backups/crash-one')).equals(content)).toBe(true);
  });

  it('is given bucket, prefix and the file of its credentials, which only this user can read', async () => {
    const location = readStorageLocation(
      {
        provider: 'test.example.com/files',
        objectStorage: { bucket: 'b', prefix: 'p' },
        config: { directory },
        credential: { name: 'cloud', key: 'key' },
      },
      'test',
    );
    await stores.openObjectStore(location);
    expect(await readFile(join(directory, 'stores'), 'utf8')).toContain('init b p true\n');
    const files = (await readdir(registry.privateDirectory)).filter((name) => name.startsWith('credentials-'));
    const modes = await Promise.all(
      files.map(async (name) => (await stat(join(registry.privateDirectory, name))).mode & 0o777),
    );
    expect(modes).toEqual([0o600]);
    await expect(stores.openObjectStore({ ...location, credential: { name: 'cloud', key: 'other' } })).rejects.toThrow(
      /Secret velero\/cloud has no key "other"/,
    );
  });

  it('that refuses its configuration is an error that names plugin and bucket', async () => {
    const location = { provider: 'test.example.com/files', objectStorage: { bucket: 'b' }, config: {} };
    await expect(stores.openObjectStore(readStorageLocation(location, 'test'))).rejects.toMatchObject({
      type: 'InvalidConfiguration',
      message:
        'test.example.com/files bucket b: rpc error: code = Unknown desc = config.directory: expected a directory',
    });
  });
});

describe('a VolumeSnapshotter (plugin-protocol.md §6.6)', () => {
  const location: VolumeSnapshotLocation = {
    name: 'disks',
    namespace: 'velero',
    provider: 'test.example.com/volumes',
    config: { region: 'r' },
    credential: undefined,
  };
  const asked = async (): Promise<string[]> =>
    (await readFile(join(directory, 'volumes'), 'utf8')).split('\n').filter((line) => line !== '');

  it('makes a volume and writes its id into the PersistentVolume', async () => {
    const snapshotter = await stores.open(location);
    expect(await snapshotter.createVolumeFromSnapshot('snap-1', 'ssd', 'zone-a', 100n)).toBe('volume-of-snap-1');
    const volume: JsonObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: { csi: { driver: 'd' } },
    };
    expect(getIn(await snapshotter.setVolumeId(volume, 'volume-of-snap-1'), ['spec', 'csi'])).toEqual({
      driver: 'd',
      volumeHandle: 'volume-of-snap-1',
    });
    expect(await asked()).toEqual(['init map[region:r]', 'create snap-1 ssd zone-a']);
    await expect(snapshotter.createVolumeFromSnapshot('fails-2', '', '', undefined)).rejects.toThrow(
      'rpc error: code = Unknown desc = snapshot fails-2 is not there',
    );
  });

  it('is asked once although the plugin dies in the middle, and initialised again afterwards', async () => {
    const snapshotter = await stores.open(location);
    await expect(snapshotter.createVolumeFromSnapshot('crash-3', '', '', undefined)).rejects.toThrow(
      'plugin test-plugin died (exit code 7) during CreateVolumeFromSnapshot',
    );
    expect((await asked()).filter((line) => line.startsWith('create crash-3'))).toHaveLength(1);
    expect(await snapshotter.createVolumeFromSnapshot('snap-4', '', '', undefined)).toBe('volume-of-snap-4');
    expect((await asked()).filter((line) => line.startsWith('init'))).toHaveLength(2);
  });

  it('that is not there is told with what is', async () => {
    await expect(stores.open({ ...location, provider: 'gcp' })).rejects.toThrow(
      'unable to locate VolumeSnapshotter plugin named velero.io/gcp; this worker has: test.example.com/volumes, velero.io/aws',
    );
    await expect(stores.open({ ...location, config: { refuse: 'no such region' } })).rejects.toThrow('no such region');
  });
});
