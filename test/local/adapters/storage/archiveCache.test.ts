import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ArchiveCache,
  type ArchiveCacheOptions,
  type ArchiveProgress,
} from '../../../../adapters/storage/archiveCache.ts';
import type { BackupArchive } from '../../../../adapters/storage/backupArchive.ts';
import { DirectoryStore } from '../../../../adapters/storage/directoryStore.ts';
import { backupFileKey } from '../../../../domain/backup/layout.ts';
import type { ObjectInfo, ObjectStore } from '../../../../domain/backup/objectStore.ts';
import { stored, type TarEntry, tarball } from './tarball.ts';

let root: string;
let cacheDirectory: string;
let store: CountingStore;
const caches: ArchiveCache[] = [];

/** A directory store that counts what it is asked and can hold back its data. */
class CountingStore extends DirectoryStore implements ObjectStore {
  reads = 0;
  heads = 0;
  gate: Promise<void> = Promise.resolve();
  ended = 0;

  override head(key: string): Promise<ObjectInfo | undefined> {
    this.heads += 1;
    return super.head(key);
  }

  override async *read(key: string, options: { signal?: AbortSignal } = {}): AsyncIterable<Uint8Array> {
    this.reads += 1;
    try {
      await this.gate;
      options.signal?.throwIfAborted();
      yield* super.read(key, options);
    } finally {
      this.ended += 1;
    }
  }
}

function newCache(options: Partial<ArchiveCacheOptions> = {}): ArchiveCache {
  const cache = new ArchiveCache({ directory: cacheDirectory, ...options });
  caches.push(cache);
  return cache;
}

async function putBackup(name: string, entries: readonly TarEntry[]): Promise<void> {
  await store.put(backupFileKey(name, 'contents'), await tarball(entries));
}

function configMaps(count: number, size = 10): TarEntry[] {
  return Array.from({ length: count }, (_x, i) =>
    stored('configmaps', 'a', `cm-${String(i).padStart(5, '0')}`, {
      kind: 'ConfigMap',
      data: { i, x: 'x'.repeat(size) },
    }),
  ).flat();
}

function names(archive: BackupArchive): string[] {
  return [...archive.entries()].map(({ groupResource, namespace, name }) => `${groupResource}/${namespace}/${name}`);
}

async function archivesOnDisk(): Promise<string[]> {
  return (await readdir(cacheDirectory)).filter((name) => !name.startsWith('.')).sort();
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'archive-cache-'));
  cacheDirectory = join(root, 'cache');
  await mkdir(join(root, 'bucket'));
  store = new CountingStore({ path: join(root, 'bucket'), prefix: '' });
});

afterEach(async () => {
  for (const cache of caches.splice(0)) await cache.close();
  await rm(root, { recursive: true, force: true });
});

describe('reading', () => {
  it('R-431 R-438 gives the items of the unversioned paths in order, and their texts', async () => {
    await putBackup('b', [
      { name: 'metadata/version', content: '1.1.0\n' },
      ...stored('pods', 'ns-2', 'b', { kind: 'Pod', n: 1 }),
      ...stored('deployments.apps', 'ns-1', 'a', { kind: 'Deployment', n: 2 }),
      ...stored('pods', 'ns-1', 'c', { kind: 'Pod', n: 3 }),
      ...stored('namespaces', '', 'ns-1', { kind: 'Namespace', n: 4 }),
      ...stored('pods', 'ns-1', 'B', { kind: 'Pod', n: 5 }),
    ]);
    const archive = await newCache().open(store, 'b');
    expect(names(archive)).toEqual([
      'deployments.apps/ns-1/a',
      'namespaces//ns-1',
      'pods/ns-1/B',
      'pods/ns-1/c',
      'pods/ns-2/b',
    ]);
    expect(archive.hasResources).toBe(true);
    expect(archive.warnings).toEqual([]);
    expect(await archive.readText('pods', 'ns-1', 'c')).toBe('{"kind":"Pod","n":3}');
    expect(await archive.readText('namespaces', '', 'ns-1')).toBe('{"kind":"Namespace","n":4}');
    expect(archive.has('pods', 'ns-1', 'c')).toBe(true);
    expect(archive.has('pods', 'ns-1', 'C')).toBe(false);
    expect(archive.has('pods', 'ns-1', 'c', 'v1-preferredversion')).toBe(true);
    expect(archive.has('pods', 'ns-1', 'c', 'v1')).toBe(false);
    archive.close();
  });

  it('R-434 R-440 reads other versions and says which there are', async () => {
    await putBackup('b', [
      ...stored('widgets.example.com', 'a', 'w', { kind: 'Widget', v: 'v2' }, 'v2'),
      { name: 'resources/widgets.example.com/v1beta1/namespaces/a/w.json', content: '{"kind":"Widget","v":"v1beta1"}' },
      { name: 'resources/widgets.example.com/v1/namespaces/a/w.json', content: '{"kind":"Widget","v":"v1"}' },
    ]);
    const archive = await newCache().open(store, 'b');
    expect(archive.versions('widgets.example.com')).toEqual({ preferred: 'v2', versions: ['v1', 'v1beta1', 'v2'] });
    expect(archive.versions('constructor')).toEqual({ preferred: '', versions: [] });
    expect(await archive.readText('widgets.example.com', 'a', 'w')).toBe('{"kind":"Widget","v":"v2"}');
    expect(await archive.readText('widgets.example.com', 'a', 'w', 'v1beta1')).toBe('{"kind":"Widget","v":"v1beta1"}');
    expect(names(archive)).toEqual(['widgets.example.com/a/w']);
    archive.close();
  });

  it('reads an item that is missing as an error that names its path', async () => {
    await putBackup('b', stored('pods', 'a', 'x', { kind: 'Pod' }));
    const archive = await newCache().open(store, 'b');
    const expected = {
      type: 'EntryNotFound',
      message: 'resources/pods/v2/namespaces/a/x.json: no such file in the backup',
    };
    await expect(archive.readText('pods', 'a', 'x', 'v2')).rejects.toMatchObject(expected);
    const items = [
      { groupResource: 'pods', namespace: 'a', name: 'x', versionDirectory: 'v2' },
      { groupResource: 'pods', namespace: 'a', name: 'x' },
    ];
    const read = [];
    for await (const content of archive.readItems(items)) read.push(content);
    expect(read).toEqual([
      { item: items[0], error: expect.objectContaining(expected) },
      { item: items[1], text: '{"kind":"Pod"}' },
    ]);
    archive.close();
  });

  it('reads many items of very different sizes in one go', async () => {
    const sizes = [1, 5_000_000, 10, 3_000_000, 3_000_000, 0, 700, 9_000_000, 1];
    const entries = sizes.map((size, i) => ({ name: `resources/a/cluster/${i}.json`, content: `${i}`.repeat(size) }));
    await putBackup('b', [...entries].reverse());
    const archive = await newCache().open(store, 'b');
    const whole = new Map<string, boolean>();
    for await (const { item, text } of archive.readItems(archive.entries())) {
      whole.set(item.name, text === item.name.repeat(sizes[Number(item.name)] ?? -1));
    }
    expect([...whole].sort()).toEqual(sizes.map((_size, i) => [String(i), true]));
    archive.close();
  });

  it('R-429 R-430 R-432 R-437 tells an empty backup from one without resources', async () => {
    await putBackup('empty', []);
    await putBackup('only-version', [{ name: 'metadata/version', content: '1.1.0\n' }]);
    await putBackup('empty-directory', [{ name: 'resources/', type: 'directory' }]);
    const cache = newCache();
    for (const [name, hasResources] of [
      ['empty', false],
      ['only-version', false],
      ['empty-directory', true],
    ] as const) {
      const archive = await cache.open(store, name);
      expect([name, archive.hasResources, names(archive)]).toEqual([name, hasResources, []]);
      archive.close();
    }
  });

  it('cannot be read after it was closed', async () => {
    await putBackup('b', stored('pods', 'a', 'x', { kind: 'Pod' }));
    const archive = await newCache().open(store, 'b');
    archive.close();
    archive.close();
    await expect(archive.readText('pods', 'a', 'x')).rejects.toMatchObject({ type: 'CacheUnusable' });
  });
});

describe('fetching once', () => {
  it('shares one download among all who ask at the same time, and reports to each', async () => {
    await putBackup('b', configMaps(50));
    const cache = newCache();
    const seen: ArchiveProgress[][] = Array.from({ length: 10 }, () => []);
    const archives = await Promise.all(
      seen.map((list) => cache.open(store, 'b', { onProgress: (progress) => list.push(progress) })),
    );
    expect(store.reads).toBe(1);
    const size = (await store.head(backupFileKey('b', 'contents')))!.size;
    expect(seen.every((list) => list.at(-1)?.bytes === size && list.at(-1)?.totalBytes === size)).toBe(true);
    expect(new Set(archives).size).toBe(10);
    for (const archive of archives.slice(1)) archive.close();
    expect(await archives[0]!.readText('configmaps', 'a', 'cm-00007')).toContain('"i":7');
    archives[0]!.close();
  });

  it('uses what is on the disk after a restart', async () => {
    await putBackup('b', configMaps(5));
    const first = newCache();
    (await first.open(store, 'b')).close();
    await first.close();
    const archive = await newCache().open(store, 'b');
    expect(store.reads).toBe(1);
    expect(names(archive)).toHaveLength(5);
    archive.close();
  });

  it('does not ask the store for a known ETag that is cached', async () => {
    await putBackup('b', configMaps(1));
    const cache = newCache();
    const { etag, close } = await cache.open(store, 'b').then((archive) => {
      archive.close();
      return { etag: archive.etag, close: () => cache.close() };
    });
    await close();
    const heads = store.heads;
    const archive = await newCache().open(store, 'b', { etag });
    expect(store.heads).toBe(heads);
    archive.close();
  });

  it('refuses another content than the one asked for', async () => {
    await putBackup('b', configMaps(1));
    const archive = await newCache().open(store, 'b');
    archive.close();
    await putBackup('b', configMaps(2));
    await rm(cacheDirectory, { recursive: true });
    await expect(newCache().open(store, 'b', { etag: archive.etag })).rejects.toMatchObject({ type: 'BackupChanged' });
  });

  it('fetches a backup anew when it was replaced, and keeps reading the old one where it is open', async () => {
    await putBackup('b', configMaps(1));
    const cache = newCache();
    const old = await cache.open(store, 'b');
    await putBackup('b', configMaps(2));
    const current = await cache.open(store, 'b');
    expect([names(old).length, names(current).length]).toEqual([1, 2]);
    expect(await old.readText('configmaps', 'a', 'cm-00000')).toContain('"i":0');
    old.close();
    current.close();
  });

  it('publishes nothing when the backup is replaced in the middle', async () => {
    await putBackup('b', configMaps(1));
    let release: () => void = () => undefined;
    store.gate = new Promise((resolve) => {
      release = resolve;
    });
    const opening = newCache().open(store, 'b');
    while (store.reads === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await putBackup('b', configMaps(2));
    release();
    await expect(opening).rejects.toMatchObject({ type: 'StoreUnavailable', retryable: true });
    expect(await readdir(cacheDirectory)).toEqual([]);
  });

  it('goes on for the others when one gives up, and stops when all do', async () => {
    await putBackup('b', configMaps(3));
    let release: () => void = () => undefined;
    store.gate = new Promise((resolve) => {
      release = resolve;
    });
    const cache = newCache();
    const controllers = [new AbortController(), new AbortController(), new AbortController()];
    const [first, second, third] = controllers.map(({ signal }) => cache.open(store, 'b', { signal }));
    while (store.reads === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controllers[0]!.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    release();
    (await second!).close();
    (await third!).close();

    await cache.close();
    await rm(cacheDirectory, { recursive: true });
    store.gate = new Promise((resolve) => {
      release = resolve;
    });
    const alone = new AbortController();
    const last = cache.open(store, 'b', { signal: alone.signal });
    while (store.reads === 1) await new Promise((resolve) => setTimeout(resolve, 5));
    alone.abort(new Error('enough'));
    await expect(last).rejects.toThrow('enough');
    const again = cache.open(store, 'b');
    release();
    (await again).close();
    expect(store.reads).toBe(3);
    expect(store.ended).toBe(3);
    expect((await readdir(cacheDirectory)).length).toBe(1);
  });

  it('lets two processes fetch at the same time', async () => {
    await putBackup('b', configMaps(3));
    const archives = await Promise.all([newCache().open(store, 'b'), newCache().open(store, 'b')]);
    expect(archives.map((archive) => names(archive).length)).toEqual([3, 3]);
    expect(await readdir(cacheDirectory)).toHaveLength(1);
    for (const archive of archives) archive.close();
  });

  it('says that there is no such backup, and where', async () => {
    await expect(newCache().open(store, 'missing')).rejects.toMatchObject({
      type: 'NotFound',
      message: `backup "missing": no "backups/missing/missing.tar.gz" in directory ${join(root, 'bucket')}`,
    });
  });
});

describe('on the disk', () => {
  it('is closed to other users', async () => {
    await putBackup('b', configMaps(1));
    (await newCache().open(store, 'b')).close();
    const [id] = await archivesOnDisk();
    const modes = await Promise.all(
      ['', id!, join(id!, 'data'), join(id!, 'index')].map(
        async (name) => (await stat(join(cacheDirectory, name))).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
  });

  it('holds an item once, though the tarball has it twice', async () => {
    await putBackup('b', configMaps(10, 1000));
    (await newCache().open(store, 'b')).close();
    const [id] = await archivesOnDisk();
    const data = await readFile(join(cacheDirectory, id!, 'data'), 'utf8');
    expect(data.match(/"kind":"ConfigMap"/g)).toHaveLength(10);
  });

  it.each<[string, (path: string) => Promise<void>]>([
    ['a data file that is cut off', (path) => writeFile(join(path, 'data'), 'x')],
    ['a damaged index', (path) => writeFile(join(path, 'index'), '{"format":"durable-restore-index-1","rows":9}\n')],
    ['an index of another format', (path) => writeFile(join(path, 'index'), '{"format":"x"}\n')],
    ['a missing index', (path) => rm(join(path, 'index'))],
  ])('is fetched anew with %s', async (_title, damage) => {
    await putBackup('b', configMaps(2));
    const first = newCache();
    (await first.open(store, 'b')).close();
    await first.close();
    const [id] = await archivesOnDisk();
    await damage(join(cacheDirectory, id!));
    const archive = await newCache().open(store, 'b');
    expect(store.reads).toBe(2);
    expect(await archive.readText('configmaps', 'a', 'cm-00001')).toContain('"i":1');
    archive.close();
  });

  it('removes what a process that died left unfinished, and nothing else', async () => {
    const uuid = '00000000-0000-4000-8000-000000000000';
    const dead = `.tmp-999999999-${uuid}-${hostname()}`;
    const young = `.tmp-999999998-${uuid}-${hostname()}`;
    const elsewhere = `.tmp-1-${uuid}-another-host`;
    const past = new Date(Date.now() - 3_600_000);
    for (const name of [dead, young, elsewhere]) {
      await mkdir(join(cacheDirectory, name), { recursive: true });
      await writeFile(join(cacheDirectory, name, 'data'), 'x');
    }
    for (const name of [dead, elsewhere]) await utimes(join(cacheDirectory, name, 'data'), past, past);
    await putBackup('b', configMaps(1));
    (await newCache().open(store, 'b')).close();
    expect((await readdir(cacheDirectory)).filter((name) => name.startsWith('.')).sort()).toEqual(
      [elsewhere, young].sort(),
    );
  });
});

describe('room', () => {
  async function open(cache: ArchiveCache, name: string): Promise<BackupArchive> {
    const archive = await cache.open(store, name);
    // The order of use is the order of times on the disk.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return archive;
  }

  it('removes the least recently used archives, but none in use', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await putBackup(name, configMaps(1, 100_000));
    const cache = newCache({ limits: { cacheBytes: 250_000 } });
    const a = await open(cache, 'a');
    (await open(cache, 'b')).close();
    (await open(cache, 'c')).close();
    expect(await archivesOnDisk()).toHaveLength(2);
    (await open(cache, 'd')).close();
    expect(await archivesOnDisk()).toHaveLength(2);
    expect(await a.readText('configmaps', 'a', 'cm-00000')).toContain('"i":0');
    const reads = store.reads;
    (await cache.open(store, 'a')).close();
    (await cache.open(store, 'd')).close();
    expect(store.reads).toBe(reads);
    (await cache.open(store, 'b')).close();
    expect(store.reads).toBe(reads + 1);
    a.close();
  });

  it('removes older contents of the same backup first', async () => {
    await putBackup('other', configMaps(1, 100_000));
    await putBackup('b', configMaps(1, 100_000));
    const cache = newCache({ limits: { cacheBytes: 250_000 } });
    (await open(cache, 'other')).close();
    (await open(cache, 'b')).close();
    await putBackup('b', configMaps(1, 100_001));
    (await open(cache, 'b')).close();
    const reads = store.reads;
    (await open(cache, 'other')).close();
    expect(store.reads).toBe(reads);
    expect(await archivesOnDisk()).toHaveLength(2);
  });

  it('keeps an archive that is larger than the room while it is in use', async () => {
    await putBackup('b', configMaps(1, 100_000));
    const archive = await newCache({ limits: { cacheBytes: 1 } }).open(store, 'b');
    expect(await archive.readText('configmaps', 'a', 'cm-00000')).toContain('"i":0');
    archive.close();
  });
});
