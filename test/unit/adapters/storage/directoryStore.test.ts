import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DirectoryStore } from '../../../../adapters/storage/directoryStore.ts';
import type { ObjectStore } from '../../../../domain/backup/objectStore.ts';

let directory: string;
let store: DirectoryStore;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'directory-store-'));
  store = new DirectoryStore({ path: directory, prefix: '' });
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

async function keys(from: ObjectStore, prefix: string): Promise<string[]> {
  return (await all(from.list(prefix))).map(({ key }) => key);
}

async function text(from: ObjectStore, key: string): Promise<string | undefined> {
  const content = await from.get(key);
  return content === undefined ? undefined : Buffer.from(content).toString();
}

describe('DirectoryStore', () => {
  it('writes, reads, describes and deletes', async () => {
    await store.put('restores/r/a.json', Buffer.from('one'));
    expect(await text(store, 'restores/r/a.json')).toBe('one');
    expect(await store.head('restores/r/a.json')).toMatchObject({ key: 'restores/r/a.json', size: 3 });
    await store.delete('restores/r/a.json');
    expect(await store.get('restores/r/a.json')).toBeUndefined();
    expect(await store.head('restores/r/a.json')).toBeUndefined();
    await store.delete('restores/r/a.json');
  });

  it('creates an object once, whoever else tries', async () => {
    const tried = Array.from({ length: 8 }, (_, writer) => store.create('restores/r/a', Buffer.from(`${writer}`)));
    const won = (await Promise.all(tried)).indexOf(true);
    expect((await Promise.all(tried)).filter(Boolean)).toHaveLength(1);
    expect(await text(store, 'restores/r/a')).toBe(`${won}`);
    expect(await store.create('restores/r/a', Buffer.from('later'))).toBe(false);
    expect(await readdir(join(directory, 'restores/r'))).toEqual(['a']);
  });

  it('gives a new ETag for every content, also of the same length', async () => {
    const etags = new Set<string>();
    for (const content of ['aaa', 'bbb', 'ccc', 'aaa']) {
      await store.put('k', Buffer.from(content));
      etags.add((await store.head('k'))!.etag);
    }
    expect(etags.size).toBe(4);
  });

  it('keeps what it writes from other users', async () => {
    await store.put('restores/r/a', Buffer.from('x'));
    expect((await stat(join(directory, 'restores/r/a'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, 'restores/r'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, 'restores'))).mode & 0o777).toBe(0o700);
  });

  it('leaves nothing behind when it writes, and shows no unfinished file', async () => {
    await Promise.all(Array.from({ length: 20 }, (_x, i) => store.put('f/same', Buffer.from(String(i)))));
    expect(await readdir(join(directory, 'f'))).toEqual(['same']);
    await writeFile(join(directory, 'f', '.durable-restore-tmp-1'), 'half');
    expect(await keys(store, '')).toEqual(['f/same']);
  });

  it('reads the content that was there when it began', async () => {
    const large = Buffer.alloc(3 * 1024 * 1024, 'a');
    await store.put('k', large);
    const parts: Buffer[] = [];
    for await (const chunk of store.read('k')) {
      if (parts.length === 0) await store.put('k', Buffer.from('new'));
      parts.push(Buffer.from(chunk));
    }
    expect(Buffer.concat(parts).equals(large)).toBe(true);
  });

  it('lists keys in the order of a bucket', async () => {
    for (const key of ['a/b/c', 'a-b', 'a/z', 'b', 'a.c', 'é', 'a/b-c', 'z']) await store.put(key, Buffer.from('x'));
    const sorted = ['a-b', 'a.c', 'a/b-c', 'a/b/c', 'a/z', 'b', 'z', 'é'];
    expect(await keys(store, '')).toEqual(sorted);
    expect(await keys(store, 'a/')).toEqual(['a/b-c', 'a/b/c', 'a/z']);
    expect(await keys(store, 'a/b')).toEqual(['a/b-c', 'a/b/c']);
    expect(await keys(store, 'a')).toEqual(['a-b', 'a.c', 'a/b-c', 'a/b/c', 'a/z']);
    expect(await keys(store, 'nothing/here')).toEqual([]);
  });

  it('lists folders, and none that is empty after a delete', async () => {
    for (const key of ['backups/b/x', 'backups/a/x', 'backups/file']) await store.put(key, Buffer.from('x'));
    expect(await store.listFolders('backups/')).toEqual(['a', 'b']);
    expect(await store.listFolders('backups')).toEqual(['a', 'b']);
    expect(await store.listFolders('')).toEqual(['backups']);
    expect(await store.listFolders('restores/')).toEqual([]);
    await store.delete('backups/a/x');
    expect(await store.listFolders('backups/')).toEqual(['b']);
  });

  it('counts a linked folder', async () => {
    await mkdir(join(directory, 'backups'));
    const elsewhere = await mkdtemp(join(tmpdir(), 'directory-store-link-'));
    await symlink(elsewhere, join(directory, 'backups', 'linked'));
    await writeFile(join(elsewhere, 'velero-backup.json'), '{}');
    expect(await store.listFolders('backups/')).toEqual(['linked']);
    expect(await text(store, 'backups/linked/velero-backup.json')).toBe('{}');
    await rm(elsewhere, { recursive: true });
  });

  it('puts the prefix before every key', async () => {
    const below = new DirectoryStore({ path: directory, prefix: 'x/y/' });
    await below.put('backups/a', Buffer.from('1'));
    expect(await keys(store, '')).toEqual(['x/y/backups/a']);
    expect(await keys(below, '')).toEqual(['backups/a']);
    expect(below.description).toBe(`directory ${directory}, prefix x/y`);
  });

  it.each(['../x', 'a/../../x', '/etc/passwd', 'a//b', '', 'a/', './a', 'a\\b', 'a\0b', 'a/.durable-restore-tmp-x'])(
    'refuses the key %j',
    async (key) => {
      const refusal = expect.objectContaining({ type: 'InvalidConfiguration' });
      await expect(store.put(key, Buffer.from('x'))).rejects.toEqual(refusal);
      await expect(store.get(key)).rejects.toEqual(refusal);
      await expect(store.head(key)).rejects.toEqual(refusal);
      await expect(store.delete(key)).rejects.toEqual(refusal);
    },
  );

  it.each(['../', 'a/../../', '/'])('refuses to list below %j', async (prefix) => {
    await expect(keys(store, prefix)).rejects.toMatchObject({ type: 'InvalidConfiguration' });
    await expect(store.listFolders(prefix)).rejects.toMatchObject({ type: 'InvalidConfiguration' });
  });

  it('says NotFound at the first read', async () => {
    await expect(all(store.read('backups/b'))).rejects.toMatchObject({
      type: 'NotFound',
      message: `directory ${directory}: "backups/b": no such object (ENOENT)`,
    });
    await mkdir(join(directory, 'folder'));
    await expect(all(store.read('folder'))).rejects.toMatchObject({ type: 'NotFound' });
    expect(await store.head('folder')).toBeUndefined();
    expect(await store.get('folder')).toBeUndefined();
  });

  it('says NoSuchBucket where the directory is missing, and does not make it', async () => {
    await rm(directory, { recursive: true });
    const missing = { type: 'NoSuchBucket', message: `directory ${directory}: there is no such directory` };
    await expect(store.checkBucket()).rejects.toMatchObject(missing);
    await expect(store.put('a', Buffer.from('x'))).rejects.toMatchObject(missing);
    await expect(store.get('a')).rejects.toMatchObject(missing);
    await expect(store.head('a')).rejects.toMatchObject(missing);
    await expect(store.delete('a')).rejects.toMatchObject(missing);
    await expect(keys(store, '')).rejects.toMatchObject(missing);
    await expect(store.listFolders('')).rejects.toMatchObject(missing);
  });

  it('says NoSuchBucket where a file is in its place', async () => {
    await rm(directory, { recursive: true });
    await writeFile(directory, 'x');
    await expect(store.checkBucket()).rejects.toMatchObject({ type: 'NoSuchBucket' });
  });

  it('refuses to collect more than asked for', async () => {
    await store.put('k', Buffer.alloc(11));
    await expect(store.get('k', { maxBytes: 10 })).rejects.toThrow('"k": larger than the limit of 10 bytes');
    expect((await store.get('k', { maxBytes: 11 }))?.length).toBe(11);
  });

  it('stops when the signal says so', async () => {
    await store.put('k', Buffer.alloc(3 * 1024 * 1024));
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _chunk of store.read('k', { signal: controller.signal })) controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});
