import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pack } from 'tar-stream';
import { ArchiveCache } from '../../adapters/storage/archiveCache.ts';
import { openObjectStore } from '../../adapters/storage/openStore.ts';
import type { ObjectStore } from '../../domain/backup/objectStore.ts';
import { readStorageLocation } from '../../domain/backup/storageLocation.ts';
import { type S3Server, startS3Server } from '../../tools/servers/s3Server.ts';

// Several servers share the machine with this one.
jest.setTimeout(120_000);

let directory: string;
let server: S3Server;
let store: ObjectStore;
let credentialsFile: string;

function locationAt(url: string, bucket: string, prefix = ''): Promise<ObjectStore> {
  return openObjectStore(
    readStorageLocation(
      {
        provider: 'aws',
        objectStorage: { bucket, prefix },
        config: { s3Url: url, s3ForcePathStyle: 'true', region: 'us-east-1', credentialsFile },
      },
      'test',
    ),
  );
}

/** A connection in the middle that breaks after some bytes of each answer, as often as it is told. */
class BreakingProxy {
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
    private breaks: number,
    private readonly afterBytes: number,
  ) {}

  static async start(target: number, breaks: number, afterBytes: number): Promise<BreakingProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new BreakingProxy(server, target, breaks, afterBytes);
    server.on('connection', (socket) => {
      proxy.forward(socket);
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(client: Socket): void {
    this.connections += 1;
    const upstream = connect(this.target, '127.0.0.1');
    let passed = 0;
    let broken = false;
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      passed += chunk.length;
      client.write(chunk);
      if (broken || passed < this.afterBytes || this.breaks === 0) return;
      broken = true;
      this.breaks -= 1;
      // Bytes that are on their way arrive; then the connection is gone.
      setImmediate(() => {
        client.resetAndDestroy();
      });
    });
  }
}

async function keys(from: ObjectStore, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of from.list(prefix)) found.push(key);
  return found;
}

async function content(from: ObjectStore, key: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of from.read(key)) parts.push(chunk);
  return Buffer.concat(parts);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'object-store-test-'));
  const buckets = join(directory, 'buckets');
  await mkdir(join(buckets, 'velero'), { recursive: true });
  credentialsFile = join(directory, 'cloud');
  await writeFile(credentialsFile, '[default]\naws_access_key_id = any\naws_secret_access_key = any\n', {
    mode: 0o600,
  });
  // With rclone's 0s a dozen small writes into nested folders take a minute: it forgets its cache over and over.
  server = await startS3Server({ directory: buckets, extraFlags: ['--dir-cache-time=10ms'] });
  store = await locationAt(server.url, 'velero');
});

afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('an S3 bucket', () => {
  it('takes, gives, describes and deletes objects', async () => {
    await store.put('restores/r/one', Buffer.from('hello'));
    expect(String(await store.get('restores/r/one'))).toBe('hello');
    const first = await store.head('restores/r/one');
    expect(first).toMatchObject({ key: 'restores/r/one', size: 5 });
    await store.put('restores/r/one', Buffer.from('world'));
    const second = await store.head('restores/r/one');
    expect(second?.etag).not.toBe(first?.etag);
    await store.delete('restores/r/one');
    expect(await store.head('restores/r/one')).toBeUndefined();
    expect(await store.get('restores/r/one')).toBeUndefined();
    await store.delete('restores/r/one');
  });

  it('creates an object once, whoever else tries', async () => {
    expect(await store.create('restores/r/marker', Buffer.from('first'))).toBe(true);
    expect(await store.create('restores/r/marker', Buffer.from('second'))).toBe(false);
    expect(String(await store.get('restores/r/marker'))).toBe('first');
    await store.delete('restores/r/marker');
  });

  it('takes an empty object and a large one', async () => {
    const large = randomBytes(6 * 1024 * 1024);
    await store.put('restores/r/empty', new Uint8Array());
    await store.put('restores/r/large', large);
    expect((await store.get('restores/r/empty'))?.length).toBe(0);
    expect((await content(store, 'restores/r/large')).equals(large)).toBe(true);
    await expect(store.get('restores/r/large', { maxBytes: 1000 })).rejects.toThrow(
      'larger than the limit of 1000 bytes',
    );
  });

  it('lists keys and folders, below its prefix only', async () => {
    const below = await locationAt(server.url, 'velero', 'team/a');
    for (const key of ['backups/b/x', 'backups/a/x', 'backups/a-b/y', 'restores/r/z'])
      await below.put(key, Buffer.from('x'));
    expect(await keys(below, 'backups/')).toEqual(['backups/a-b/y', 'backups/a/x', 'backups/b/x']);
    expect(await below.listFolders('backups/')).toEqual(['a', 'a-b', 'b']);
    expect(await below.listFolders('')).toEqual(['backups', 'restores']);
    expect(await keys(below, 'nothing/')).toEqual([]);
    expect(await keys(store, 'team/a/restores/')).toEqual(['team/a/restores/r/z']);
    expect((await below.head('backups/a/x'))?.etag).toBe(await firstEtag(below, 'backups/a/'));
  });

  it('lists more than one page', async () => {
    const count = 1200;
    const folder = join(directory, 'buckets', 'velero', 'many');
    await mkdir(folder);
    for (let i = 0; i < count; i += 1) await writeFile(join(folder, String(i).padStart(5, '0')), '');
    const found = await keys(store, 'many/');
    expect(found).toHaveLength(count);
    expect(found).toEqual([...found].sort());
  });

  it('says what is missing', async () => {
    await expect(content(store, 'no/such/key')).rejects.toMatchObject({
      type: 'NotFound',
      message: expect.stringMatching(/^S3 bucket velero at http:.*: "no\/such\/key": .*\(HTTP 404, NoSuchKey\)$/),
    });
    const other = await locationAt(server.url, 'nobody');
    await expect(content(other, 'a')).rejects.toMatchObject({ type: 'NoSuchBucket' });
    await expect(other.get('a')).rejects.toMatchObject({ type: 'NoSuchBucket' });
    await expect(other.head('a')).rejects.toMatchObject({ type: 'NoSuchBucket' });
    await expect(other.put('a', Buffer.from('x'))).rejects.toMatchObject({ type: 'NoSuchBucket' });
    await expect(keys(other, '')).rejects.toMatchObject({ type: 'NoSuchBucket' });
    await expect(other.listFolders('backups/')).rejects.toMatchObject({ type: 'NoSuchBucket' });
  });
});

async function firstEtag(from: ObjectStore, prefix: string): Promise<string | undefined> {
  for await (const { etag } of from.list(prefix)) return etag;
  return undefined;
}

describe('a connection that breaks', () => {
  it('is resumed where it broke off', async () => {
    const large = randomBytes(5 * 1024 * 1024);
    await store.put('restores/r/broken', large);
    const proxy = await BreakingProxy.start(server.port, 3, 1024 * 1024);
    try {
      const through = await locationAt(proxy.url, 'velero');
      expect((await content(through, 'restores/r/broken')).equals(large)).toBe(true);
      expect(proxy.connections).toBe(4);
    } finally {
      await proxy.stop();
    }
  });

  it('does not spoil the unpacking of a backup', async () => {
    const archive = pack();
    const bytes = buffer(archive);
    const text = JSON.stringify({ kind: 'ConfigMap', data: { x: randomBytes(200_000).toString('base64') } });
    for (let i = 0; i < 30; i += 1)
      archive.entry({ name: `resources/configmaps/namespaces/a/${i}.json` }, `${text}${i}`);
    archive.finalize();
    await store.put('backups/broken/broken.tar.gz', gzipSync(await bytes));
    const proxy = await BreakingProxy.start(server.port, 2, 1024 * 1024);
    const cache = new ArchiveCache({ directory: join(directory, 'cache') });
    try {
      const opened = await cache.open(await locationAt(proxy.url, 'velero'), 'broken');
      expect([...opened.entries()]).toHaveLength(30);
      expect(await opened.readText('configmaps', 'a', '29')).toBe(`${text}29`);
      opened.close();
      expect(proxy.connections).toBeGreaterThan(2);
    } finally {
      await cache.close();
      await proxy.stop();
    }
  });

  it('is an error that can be tried again where the server is gone', async () => {
    const nowhere = await locationAt('http://127.0.0.1:1', 'velero');
    await expect(nowhere.head('a')).rejects.toMatchObject({ type: 'StoreUnavailable', retryable: true });
    await expect(nowhere.put('a', Buffer.from('x'))).rejects.toMatchObject({
      message: expect.stringContaining('S3 bucket velero at http://127.0.0.1:1: "a": '),
    });
  });
});
