import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ArchiveCache } from '../../../../adapters/storage/archiveCache.ts';
import type { ArchiveLimits } from '../../../../adapters/storage/archiveLimits.ts';
import type { BackupArchive } from '../../../../adapters/storage/backupArchive.ts';
import { DirectoryStore } from '../../../../adapters/storage/directoryStore.ts';
import { stored, type TarEntry, tar, tarball } from './tarball.ts';

const POD: TarEntry = { name: 'resources/pods/namespaces/a/x.json', content: '{"kind":"Pod"}' };

let root: string;
let store: DirectoryStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'unpack-'));
  store = new DirectoryStore({ path: root, prefix: '' });
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function open(content: Uint8Array, limits: Partial<ArchiveLimits> = {}): Promise<BackupArchive> {
  await store.put('backups/b/b.tar.gz', content);
  const cache = new ArchiveCache({ directory: join(root, 'cache'), limits });
  const archive = await cache.open(store, 'b');
  archive.close();
  await cache.close();
  return archive;
}

async function expectRefusal(opening: Promise<unknown>, type: string, message: RegExp | string): Promise<void> {
  await expect(opening).rejects.toMatchObject({
    name: 'ArchiveError',
    type,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
  // Nothing half is left.
  expect(await readdir(join(root, 'cache'))).toEqual([]);
}

/** Bytes that gzip cannot make much smaller. */
function noise(length: number): string {
  let state = 1;
  let text = '';
  while (text.length < length) {
    state = (state * 48271) % 2147483647;
    text += state.toString(36);
  }
  return text.slice(0, length);
}

describe('damaged archives', () => {
  const what = /^directory .*: "backups\/b\/b\.tar\.gz": /;

  it.each<[string, Uint8Array]>([
    ['R-436 text', Buffer.from('this is not gzip')],
    ['zlib data', deflateSync('x')],
    ['an uncompressed tar', Buffer.alloc(1024)],
    ['gzip of something else', gzipSync('x'.repeat(2000))],
  ])('refuses %s', async (_title, content) => {
    await expectRefusal(open(content), 'NotAnArchive', what);
  });

  it('refuses nothing at all', async () => {
    await expectRefusal(open(new Uint8Array()), 'TruncatedArchive', /the archive ends too early$/);
  });

  it.each([0.999, 0.9, 0.5, 0.1])('refuses gzip data cut off at %d of its length', async (part) => {
    const whole = await tarball([POD, { name: 'resources/pods/namespaces/a/y.json', content: noise(100_000) }]);
    await expectRefusal(
      open(whole.subarray(0, Math.floor(whole.length * part))),
      'TruncatedArchive',
      /the archive ends too early$/,
    );
  });

  it('refuses a tar cut off inside an entry', async () => {
    const whole = await tar([{ ...POD, content: 'x'.repeat(2000) }]);
    await expectRefusal(open(gzipSync(whole.subarray(0, 1500))), 'TruncatedArchive', /ends too early/);
  });

  it('refuses a tar cut off inside a header', async () => {
    const whole = await tar([POD, POD]);
    await expectRefusal(open(gzipSync(whole.subarray(0, 1300))), 'TruncatedArchive', /ends too early/);
  });

  it('accepts a tar without its end marker, as Go does', async () => {
    const whole = await tar([POD]);
    expect((await open(gzipSync(whole.subarray(0, 1024)))).has('pods', 'a', 'x')).toBe(true);
  });

  it('refuses a flipped bit in the compressed data', async () => {
    const content = await tarball([{ ...POD, content: noise(50_000) }]);
    const middle = Math.floor(content.length / 2);
    content[middle] = (content[middle] ?? 0) ^ 0xff;
    await expect(open(content)).rejects.toMatchObject({ type: expect.stringMatching(/NotAnArchive|TruncatedArchive/) });
  });

  it('refuses a tar with a damaged header', async () => {
    const content = await tar([POD, POD]);
    content[1024 + 150] = 0x41;
    await expectRefusal(open(gzipSync(content)), 'NotAnArchive', /not a tar archive, or damaged/);
  });

  it('reads gzip data in several members', async () => {
    const content = await tar([POD]);
    const members = Buffer.concat([gzipSync(content.subarray(0, 700)), gzipSync(content.subarray(700))]);
    expect((await open(members)).has('pods', 'a', 'x')).toBe(true);
  });
});

describe('refused entries', () => {
  it.each<[string, TarEntry, RegExp]>([
    ['R-439 ../', { name: '../evil.json' }, /invalid archive path "\.\.\/evil\.json": escapes target directory/],
    ['.. inside', { name: 'resources/pods/../../../evil' }, /escapes target directory/],
    ['absolute', { name: '/etc/passwd' }, /invalid archive path "\/etc\/passwd": the name is absolute/],
    ['backslash', { name: 'resources\\..\\evil' }, /backslash/],
    ['empty segment', { name: 'resources//pods' }, /empty segment/],
    ['R-439 directory', { name: '../evil/', type: 'directory' }, /escapes target directory/],
    ['resources as a file', { name: 'resources' }, /"resources" is a file/],
  ])('%s', async (_title, entry, message) => {
    await expectRefusal(open(await tarball([POD, entry])), 'InvalidEntryName', message);
  });

  it.each<[string, TarEntry, string]>([
    [
      'symbolic link',
      { name: 'resources/pods/namespaces/a/y.json', type: 'symlink', linkname: '/etc/passwd' },
      'a symlink',
    ],
    ['hard link', { name: 'resources/pods/namespaces/a/y.json', type: 'link', linkname: 'x.json' }, 'a link'],
    ['device', { name: 'dev', type: 'character-device' }, 'a character-device'],
    ['block device', { name: 'dev', type: 'block-device' }, 'a block-device'],
    ['pipe', { name: 'pipe', type: 'fifo' }, 'a fifo'],
  ])('%s', async (_title, entry, problem) => {
    const message = `directory ${root}: "backups/b/b.tar.gz": invalid archive path "${entry.name}": ${problem}, expected only files and directories`;
    await expectRefusal(open(await tarball([POD, entry])), 'UnsupportedEntry', message);
  });
});

describe('limits', () => {
  it('refuses an item beyond its limit, and accepts one at it', async () => {
    const content = await tarball([{ ...POD, content: 'x'.repeat(1000) }]);
    expect((await open(content, { itemBytes: 1000 })).has('pods', 'a', 'x')).toBe(true);
    await rm(join(root, 'cache'), { recursive: true });
    await expectRefusal(
      open(content, { itemBytes: 999 }),
      'EntryTooLarge',
      /"resources\/pods\/namespaces\/a\/x\.json" has 1000 bytes, the limit for an item is 999$/,
    );
  });

  it('refuses an archive beyond its limit', async () => {
    const content = await tarball(
      Array.from({ length: 20 }, (_x, i) => ({ name: `resources/a/cluster/${i}.json`, content: 'x'.repeat(1000) })),
    );
    await expectRefusal(
      open(content, { archiveBytes: 20_000 }),
      'ArchiveTooLarge',
      /larger than the limit of 20000 bytes$/,
    );
  });

  it('refuses a small file that unzips to a large one', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(60_000);
    await expectRefusal(open(bomb, { archiveBytes: 1024 * 1024 }), 'ArchiveTooLarge', /larger than the limit/);
  });

  it('refuses too many items', async () => {
    const content = await tarball(stored('pods', 'a', 'x', { kind: 'Pod' }));
    await expectRefusal(open(content, { items: 1 }), 'ArchiveTooLarge', /more than the limit of 1 items$/);
  });
});

describe('odd but usable archives', () => {
  it('reads long names, in the PAX form of Go', async () => {
    const name = 'n'.repeat(200);
    const namespace = 's'.repeat(63);
    const archive = await open(
      await tarball(stored('widgets.very.long.group.example.com', namespace, name, { kind: 'W' })),
    );
    expect([...archive.entries()]).toEqual([{ groupResource: 'widgets.very.long.group.example.com', namespace, name }]);
  });

  it('reads names that are not ASCII, in the order of their bytes', async () => {
    // UTF-16 would sort the last two the other way round.
    const names = ['a', 'é', '\uFF5A', '\u{1F600}'];
    const archive = await open(
      await tarball([...names].reverse().flatMap((name) => stored('x', '', name, { kind: 'X' }))),
    );
    expect([...archive.entries()].map(({ name }) => name)).toEqual(names);
    expect(names.every((name) => archive.has('x', '', name))).toBe(true);
  });

  it('uses the last of several entries of one name, and says so', async () => {
    await store.put(
      'backups/b/b.tar.gz',
      await tarball([
        { ...POD, content: '1' },
        { name: 'resources/pods/namespaces/a/y.json' },
        { ...POD, content: '2' },
        { ...POD, content: '3' },
      ]),
    );
    const cache = new ArchiveCache({ directory: join(root, 'cache') });
    const archive = await cache.open(store, 'b');
    expect(await archive.readText('pods', 'a', 'x')).toBe('3');
    expect([...archive.entries()]).toHaveLength(2);
    expect(archive.warnings).toEqual([
      'entries that are in the backup more than once, the last one is used: "resources/pods/namespaces/a/x.json", "resources/pods/namespaces/a/x.json"',
    ]);
    archive.close();
    await cache.close();
  });

  it('ignores what is no item, and warns of the first ten', async () => {
    const odd = Array.from({ length: 12 }, (_x, i) => ({ name: `resources/README-${i}` }));
    const archive = await open(await tarball([...odd, POD, { name: 'metadata/version' }, { name: 'other/file' }]));
    expect([...archive.entries()]).toHaveLength(1);
    expect(archive.warnings).toEqual([
      expect.stringMatching(/^entries that are no items, ignored: "resources\/README-0", .* and 2 more$/),
    ]);
  });

  it('reads an archive that was packed by hand, with directories and ./', async () => {
    const archive = await open(
      await tarball([
        { name: './', type: 'directory' },
        { name: './resources/', type: 'directory' },
        { name: './resources/pods/namespaces/a/', type: 'directory' },
        { name: './resources/pods/namespaces/a/x.json', content: '{}' },
      ]),
    );
    expect([...archive.entries()]).toEqual([{ groupResource: 'pods', namespace: 'a', name: 'x' }]);
    expect(archive.warnings).toEqual([]);
  });

  it('says what stands in the way of the cache directory', async () => {
    await writeFile(join(root, 'cache'), 'a file');
    await store.put('backups/b/b.tar.gz', await tarball([POD]));
    const cache = new ArchiveCache({ directory: join(root, 'cache') });
    await expect(cache.open(store, 'b')).rejects.toMatchObject({
      type: 'CacheUnusable',
      message: expect.stringContaining(`archive cache ${join(root, 'cache')}: `),
    });
  });
});
