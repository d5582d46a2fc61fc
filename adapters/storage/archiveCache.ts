import { createHash } from 'node:crypto';
import { backupFileKey } from '../../domain/backup/layout.ts';
import { type ObjectInfo, type ObjectStore, ObjectStoreError } from '../../domain/backup/objectStore.ts';
import { ArchiveError } from './archiveError.ts';
import { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from './archiveLimits.ts';
import { BackupArchive } from './backupArchive.ts';
import { CacheDirectory } from './cacheDirectory.ts';
import { SharedTask } from './sharedTask.ts';
import { unpackArchive } from './unpackArchive.ts';
import { UnpackedArchive } from './unpackedArchive.ts';

export interface ArchiveCacheLog {
  info(message: string): void;
  warn(message: string): void;
}

export interface ArchiveCacheOptions {
  /** Of this worker alone or shared by workers of one machine; made with mode 0700 where it is missing. */
  readonly directory: string;
  readonly limits?: Partial<ArchiveLimits>;
  readonly log?: ArchiveCacheLog;
}

/** How far a download is. */
export interface ArchiveProgress {
  /** Compressed bytes read, and in all. */
  readonly bytes: number;
  readonly totalBytes: number;
  readonly items: number;
}

export interface OpenArchiveOptions {
  /** Called while the archive is fetched, by this caller or another; not where it is there already. */
  readonly onProgress?: (progress: ArchiveProgress) => void;
  /** Ends this caller's waiting; the download goes on while others wait for it. */
  readonly signal?: AbortSignal;
  /** The content to get; where it is cached the store is not asked. Default: what the store has now. */
  readonly etag?: string;
}

interface Loaded {
  readonly id: string;
  readonly etag: string;
  readonly archive: UnpackedArchive;
  users: number;
}

interface Source {
  readonly store: ObjectStore;
  readonly backupName: string;
  readonly key: string;
  readonly etag: string;
  readonly id: string;
}

const IDLE_ARCHIVES = 2;

function hash(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

function whatOf({ store, key }: Source): string {
  return `${store.description}: "${key}"`;
}

/**
 * Unpacked backups on the local disk, keyed by store, backup and ETag (design §2 "A cold worker"). Each is fetched once, however many
 * ask for it at the same time, and stays for later restores while there is room.
 */
export class ArchiveCache {
  private readonly cache: CacheDirectory;
  private readonly limits: ArchiveLimits;
  private readonly log: ArchiveCacheLog | undefined;
  /** In order of last use. */
  private readonly loaded = new Map<string, Loaded>();
  /** Archives that nobody uses at the moment but whose index stays in memory: activities come and go. */
  private idleArchives = IDLE_ARCHIVES;
  private readonly tasks = new Map<string, SharedTask<Loaded, ArchiveProgress>>();

  constructor({ directory, limits, log }: ArchiveCacheOptions) {
    this.cache = new CacheDirectory(directory);
    this.limits = { ...DEFAULT_ARCHIVE_LIMITS, ...limits };
    this.log = log;
  }

  /**
   * Opens a backup, fetching it first where this machine does not have it.
   * @throws ObjectStoreError `NotFound` where the backup has no tarball, or what else the store throws; ArchiveError where the
   *   tarball cannot be used (types at `ArchiveErrorType`)
   */
  async open(store: ObjectStore, backupName: string, options: OpenArchiveOptions = {}): Promise<BackupArchive> {
    const key = backupFileKey(backupName, 'contents');
    const etag = options.etag ?? (await contentsOf(store, backupName, key)).etag;
    const id = `${hash(`${store.description}\0${backupName}`, 32)}-${hash(etag, 16)}`;
    const loaded = this.loaded.get(id) ?? (await this.load({ store, backupName, key, etag, id }, options));
    return this.lease(loaded);
  }

  /** Closes the files of archives that nobody uses; those in use close with their last user. */
  async close(): Promise<void> {
    this.idleArchives = 0;
    for (const loaded of [...this.loaded.values()]) if (loaded.users === 0) await this.unload(loaded);
  }

  private lease(loaded: Loaded): BackupArchive {
    loaded.users += 1;
    this.loaded.delete(loaded.id);
    this.loaded.set(loaded.id, loaded);
    return new BackupArchive(loaded.etag, loaded.archive, () => {
      this.release(loaded);
    });
  }

  private release(loaded: Loaded): void {
    loaded.users -= 1;
    const idle = [...this.loaded.values()].filter(({ users }) => users === 0);
    for (const old of idle.slice(0, Math.max(0, idle.length - this.idleArchives))) {
      this.unload(old).catch(() => undefined);
    }
  }

  private async unload(loaded: Loaded): Promise<void> {
    this.loaded.delete(loaded.id);
    await loaded.archive.close();
  }

  private load(source: Source, { onProgress, signal }: OpenArchiveOptions): Promise<Loaded> {
    const running = this.tasks.get(source.id);
    if (running?.alive === true) return running.wait(onProgress, signal);
    const task = new SharedTask<Loaded, ArchiveProgress>(async (aborted, progress) => {
      try {
        const archive =
          (await UnpackedArchive.open(this.cache.pathOf(source.id))) ?? (await this.fetch(source, aborted, progress));
        await this.cache.touch(source.id);
        return this.keep(source, archive);
      } finally {
        if (this.tasks.get(source.id) === task) this.tasks.delete(source.id);
      }
    });
    this.tasks.set(source.id, task);
    return task.wait(onProgress, signal);
  }

  /** Counts as in use until those who wait for it have taken it. */
  private keep({ id, etag }: Source, archive: UnpackedArchive): Loaded {
    const loaded: Loaded = { id, etag, archive, users: 1 };
    this.loaded.set(id, loaded);
    setImmediate(() => {
      this.release(loaded);
    });
    return loaded;
  }

  private async fetch(
    source: Source,
    signal: AbortSignal,
    onProgress: (progress: ArchiveProgress) => void,
  ): Promise<UnpackedArchive> {
    await this.cache.removeLeftovers();
    await this.cache.remove(source.id);
    const started = performance.now();
    try {
      await this.unpack(source, signal, onProgress);
    } catch (error) {
      if (!(error instanceof ArchiveError) || error.type !== 'CacheFull') throw error;
      if ((await this.makeRoom(source, 0)) === 0) throw error;
      this.log?.warn(`${error.message}; archives that are not in use were removed, trying again`);
      await this.unpack(source, signal, onProgress);
    }
    const archive = await UnpackedArchive.open(this.cache.pathOf(source.id));
    if (archive === undefined) {
      throw new ArchiveError('CacheUnusable', `archive cache ${this.cache.path}: ${source.id} is gone or damaged`);
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    this.log?.info(`unpacked ${whatOf(source)}: ${archive.index.length} entries in ${seconds} s`);
    await this.makeRoom(source, this.limits.cacheBytes);
    return archive;
  }

  private async unpack(
    source: Source,
    signal: AbortSignal,
    onProgress: (progress: ArchiveProgress) => void,
  ): Promise<void> {
    const { store, backupName, key, etag } = source;
    const before = await contentsOf(store, backupName, key);
    if (before.etag !== etag) {
      throw new ArchiveError('BackupChanged', `${whatOf(source)}: the backup was replaced since the restore began`);
    }
    const temporary = await this.cache.makeTemporary();
    try {
      let [bytes, items] = [0, 0];
      async function* counted(): AsyncIterable<Uint8Array> {
        for await (const chunk of store.read(key, { signal })) {
          bytes += chunk.length;
          onProgress({ bytes, totalBytes: before.size, items });
          yield chunk;
        }
      }
      await unpackArchive({
        source: counted(),
        what: whatOf(source),
        directory: this.cache.pathOf(temporary),
        limits: this.limits,
        onItems: (count) => {
          items = count;
        },
      });
      await this.checkUnchanged(source);
      await this.cache.publish(temporary, source.id);
    } finally {
      await this.cache.removeTemporary(temporary);
    }
  }

  /** The content is kept under the ETag that was asked for, so it must be the content of that ETag. */
  private async checkUnchanged(source: Source): Promise<void> {
    const after = await contentsOf(source.store, source.backupName, source.key);
    if (after.etag === source.etag) return;
    throw new ObjectStoreError('StoreUnavailable', `${whatOf(source)}: replaced while it was read`);
  }

  /**
   * Removes archives until the rest fits: older contents of the same backup first, then the least recently used. What is in use
   * in this process stays; other processes keep reading what they have open. Returns how many were removed.
   */
  private async makeRoom(source: Source, room: number): Promise<number> {
    const entries = await this.cache.entries();
    const sameBackup = `${source.id.split('-')[0] ?? ''}-`;
    const older = entries.filter(({ id }) => id.startsWith(sameBackup));
    const candidates = [...older, ...entries.filter((entry) => !older.includes(entry))];
    let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    let removed = 0;
    for (const entry of candidates) {
      if (bytes <= room) break;
      const loaded = this.loaded.get(entry.id);
      if (entry.id === source.id || this.tasks.has(entry.id) || (loaded !== undefined && loaded.users > 0)) continue;
      if (loaded !== undefined) await this.unload(loaded);
      await this.cache.remove(entry.id);
      bytes -= entry.bytes;
      removed += 1;
    }
    return removed;
  }
}

async function contentsOf(store: ObjectStore, backupName: string, key: string): Promise<ObjectInfo> {
  const found = await store.head(key);
  if (found !== undefined) return found;
  throw new ObjectStoreError('NotFound', `backup ${JSON.stringify(backupName)}: no "${key}" in ${store.description}`);
}
