import { randomUUID } from 'node:crypto';
import type { BigIntStats, Dirent } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ObjectInfo, type ObjectStore, ObjectStoreError } from '../../domain/backup/objectStore.ts';
import type { DirectoryConfig } from '../../domain/backup/storageConfig.ts';
import { collectIfPresent } from './collect.ts';
import { directoryStoreError } from './directoryStoreError.ts';
import { errorCode } from './errorParts.ts';

const READ_CHUNK_BYTES = 1024 * 1024;
/** Unfinished writes; never listed. */
const TEMPORARY_PREFIX = '.durable-restore-tmp-';
/** A folder may be removed by a `delete` between its making and the first file in it. */
const PUT_ATTEMPTS = 5;

/** Gives a finished temporary file its name. */
type Publish = (temporary: string, path: string) => Promise<void>;

/** What was to be created is there. */
class AlreadyThere extends Error {}

function isTemporary(name: string): boolean {
  return name.startsWith(TEMPORARY_PREFIX);
}

/** The order of whole keys: a folder sorts as its name with `/`, so that `a-b` comes before `a/b`. */
function compareEntries(left: Dirent, right: Dirent): number {
  return Buffer.compare(Buffer.from(sortName(left)), Buffer.from(sortName(right)));
}

function sortName(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}

/**
 * An object store in a directory: the layout of a bucket as plain files. Files are made with mode 0600, directories with 0700.
 * The directory itself must exist: making it could hide a share that is not mounted.
 */
export class DirectoryStore implements ObjectStore {
  readonly description: string;
  private readonly bucket: string;
  private readonly root: string;

  constructor({ path, prefix }: DirectoryConfig) {
    this.bucket = path;
    this.root = join(path, prefix);
    this.description = prefix === '' ? `directory ${path}` : `directory ${path}, prefix ${prefix.slice(0, -1)}`;
  }

  /** @throws ObjectStoreError `NoSuchBucket` where the directory does not exist or is none. */
  async checkBucket(): Promise<void> {
    const found = await stat(this.bucket).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
      throw directoryStoreError(error, this.description);
    });
    if (found?.isDirectory() !== true) {
      throw new ObjectStoreError('NoSuchBucket', `${this.description}: there is no such directory`);
    }
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    const path = this.pathOf(key);
    try {
      const found = await stat(path, { bigint: true });
      return found.isFile() ? objectInfo(key, found) : undefined;
    } catch (error) {
      const mapped = this.errorOf(error, key);
      if (mapped.type !== 'NotFound') throw mapped;
      await this.checkBucket();
      return undefined;
    }
  }

  async *read(key: string, options: { signal?: AbortSignal } = {}): AsyncIterable<Uint8Array> {
    const handle = await this.openForReading(key);
    try {
      for (;;) {
        options.signal?.throwIfAborted();
        const buffer = Buffer.allocUnsafe(READ_CHUNK_BYTES);
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, null).catch((error: unknown) => {
          throw this.errorOf(error, key);
        });
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  async get(key: string, options: { maxBytes?: number } = {}): Promise<Uint8Array | undefined> {
    return collectIfPresent(this.read(key), this.what(key), options.maxBytes);
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    await this.writeAs(key, content, rename);
  }

  async create(key: string, content: Uint8Array): Promise<boolean> {
    try {
      // A second name for the file fails where the name is taken; then the first one goes.
      await this.writeAs(key, content, async (temporary, path) => {
        await link(temporary, path).catch((error: unknown) => {
          throw errorCode(error) === 'EEXIST' ? new AlreadyThere() : error;
        });
        await unlink(temporary);
      });
      return true;
    } catch (error) {
      if (error instanceof AlreadyThere) return false;
      throw error;
    }
  }

  private async writeAs(key: string, content: Uint8Array, publish: Publish): Promise<void> {
    const path = this.pathOf(key);
    await this.checkBucket();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.write(path, content, publish);
        return;
      } catch (error) {
        if (error instanceof AlreadyThere) throw error;
        if (errorCode(error) === 'ENOENT' && attempt < PUT_ATTEMPTS) continue;
        throw this.errorOf(error, key);
      }
    }
  }

  async *list(prefix: string): AsyncIterable<ObjectInfo> {
    const slash = prefix.lastIndexOf('/');
    yield* this.walk(prefix.slice(0, slash + 1), prefix);
  }

  async listFolders(prefix: string): Promise<string[]> {
    const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
    const folders: string[] = [];
    for (const entry of await this.entriesOf(folder)) {
      if (await this.isFolder(folder, entry)) folders.push(entry.name);
    }
    return folders;
  }

  async delete(key: string): Promise<void> {
    const path = this.pathOf(key);
    try {
      await unlink(path);
    } catch (error) {
      const mapped = this.errorOf(error, key);
      if (mapped.type !== 'NotFound') throw mapped;
      await this.checkBucket();
      return;
    }
    await this.removeEmptyFolders(dirname(path));
  }

  private what(key: string): string {
    return `${this.description}: ${JSON.stringify(key)}`;
  }

  private errorOf(error: unknown, key: string): ObjectStoreError {
    return directoryStoreError(error, this.what(key));
  }

  /** Refuses whatever could lead out of the directory. */
  private pathOf(key: string): string {
    const segments = key.split('/');
    const odd = segments.some(
      (segment) => segment === '' || segment === '.' || segment === '..' || isTemporary(segment),
    );
    if (odd || /[\\\0]/.test(key)) {
      throw new ObjectStoreError('InvalidConfiguration', `${this.what(key)}: not a key, expected names joined by "/"`);
    }
    return join(this.root, ...segments);
  }

  private async openForReading(key: string): Promise<FileHandle> {
    const path = this.pathOf(key);
    let handle: FileHandle;
    try {
      handle = await open(path, 'r');
    } catch (error) {
      const mapped = this.errorOf(error, key);
      if (mapped.type === 'NotFound') await this.checkBucket();
      throw mapped;
    }
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw new ObjectStoreError('NotFound', `${this.what(key)}: no such object`);
  }

  private async write(path: string, content: Uint8Array, publish: Publish): Promise<void> {
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, `${TEMPORARY_PREFIX}${randomUUID()}`);
    try {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await publish(temporary, path);
      await syncDirectory(folder);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
  }

  private async *walk(folder: string, prefix: string): AsyncIterable<ObjectInfo> {
    for (const entry of await this.entriesOf(folder)) {
      const key = `${folder}${entry.name}`;
      if (entry.isDirectory()) {
        const below = `${key}/`;
        if (below.startsWith(prefix) || prefix.startsWith(below)) yield* this.walk(below, prefix);
        continue;
      }
      if (!key.startsWith(prefix)) continue;
      const info = await this.head(key);
      if (info !== undefined) yield info;
    }
  }

  private async entriesOf(folder: string): Promise<Dirent[]> {
    const path = folder === '' ? this.root : this.pathOf(folder.slice(0, -1));
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.filter((entry) => !isTemporary(entry.name)).sort(compareEntries);
    } catch (error) {
      const mapped = this.errorOf(error, folder);
      if (mapped.type !== 'NotFound') throw mapped;
      await this.checkBucket();
      return [];
    }
  }

  /** A backup may be linked into the directory: a link to a directory counts. */
  private async isFolder(folder: string, entry: Dirent): Promise<boolean> {
    if (!entry.isSymbolicLink()) return entry.isDirectory();
    const target = await stat(this.pathOf(`${folder}${entry.name}`)).catch(() => undefined);
    return target?.isDirectory() ?? false;
  }

  /** A bucket has no empty folders. */
  private async removeEmptyFolders(folder: string): Promise<void> {
    for (let path = folder; path !== this.root && path.startsWith(this.root); path = dirname(path)) {
      try {
        await rmdir(path);
      } catch {
        return;
      }
    }
  }
}

/** Makes a rename last over a power failure; not every file system can. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** A new file has a new inode, so two writes within one tick of the clock still differ. */
function objectInfo(key: string, { size, mtimeNs, ino }: BigIntStats): ObjectInfo {
  return { key, size: Number(size), etag: `${mtimeNs.toString(16)}-${size.toString(16)}-${ino.toString(16)}` };
}
