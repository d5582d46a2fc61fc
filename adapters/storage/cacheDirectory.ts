import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ArchiveError } from './archiveError.ts';
import { errorCode } from './errorParts.ts';
import { DATA_FILE, INDEX_FILE } from './unpackArchive.ts';

const ENTRY_NAME = /^[0-9a-f]{32}-[0-9a-f]{16}$/;
const TEMPORARY = '.tmp-';
/** After this long without a write an unfinished download of another machine is taken for dead. */
const STALE_MS = 24 * 60 * 60 * 1000;
/** The same for a process that this machine does not know: it may live in another container of the same name. */
const STALE_HERE_MS = 60 * 1000;

/** What this process is making, in all its caches. */
const ownTemporaries = new Set<string>();

interface CacheEntry {
  readonly id: string;
  readonly bytes: number;
  readonly lastUsed: number;
}

function temporaryOwner(name: string): { host: string; pid: number } | undefined {
  const match = /^\.tmp-(\d+)-[0-9a-f-]{36}-(.*)$/.exec(name);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { pid: Number(match[1]), host: match[2] };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** The directory of the archive cache: one directory an archive, made whole elsewhere and then renamed. */
export class CacheDirectory {
  constructor(readonly path: string) {}

  pathOf(id: string): string {
    return join(this.path, id);
  }

  /** An empty directory to unpack into. @throws ArchiveError `CacheUnusable` */
  async makeTemporary(): Promise<string> {
    const name = `${TEMPORARY}${process.pid}-${randomUUID()}-${hostname()}`;
    ownTemporaries.add(name);
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
      await mkdir(join(this.path, name), { mode: 0o700 });
    } catch (error) {
      ownTemporaries.delete(name);
      throw this.unusable(error);
    }
    return name;
  }

  async removeTemporary(name: string): Promise<void> {
    await rm(join(this.path, name), { recursive: true, force: true });
    ownTemporaries.delete(name);
  }

  /** Makes a finished temporary directory the archive `id`; one that another process made meanwhile stays. */
  async publish(temporary: string, id: string): Promise<void> {
    try {
      await rename(join(this.path, temporary), this.pathOf(id));
    } catch (error) {
      if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw this.unusable(error);
    }
  }

  /** Notes that an archive was used now. */
  async touch(id: string): Promise<void> {
    const now = new Date();
    // Another process may have removed it: what is open stays readable.
    await utimes(this.pathOf(id), now, now).catch(() => undefined);
  }

  /** Takes an archive away at once, then deletes it. */
  async remove(id: string): Promise<void> {
    const name = `${TEMPORARY}${process.pid}-${randomUUID()}-${hostname()}`;
    try {
      await rename(this.pathOf(id), join(this.path, name));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw this.unusable(error);
    }
    await rm(join(this.path, name), { recursive: true, force: true });
  }

  /** All archives, least recently used first. */
  async entries(): Promise<CacheEntry[]> {
    const names = await this.names();
    const entries = await Promise.all(names.filter((name) => ENTRY_NAME.test(name)).map((id) => this.entry(id)));
    return entries
      .filter((entry) => entry !== undefined)
      .sort((left, right) => left.lastUsed - right.lastUsed || (left.id < right.id ? -1 : 1));
  }

  /** Removes what processes that died have left unfinished. */
  async removeLeftovers(): Promise<void> {
    for (const name of await this.names()) {
      if (await this.isLeftover(name)) await rm(join(this.path, name), { recursive: true, force: true });
    }
  }

  private async names(): Promise<string[]> {
    return readdir(this.path).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw this.unusable(error);
    });
  }

  private async entry(id: string): Promise<CacheEntry | undefined> {
    try {
      const directory = await lstat(this.pathOf(id));
      const files = await Promise.all([DATA_FILE, INDEX_FILE].map((name) => stat(join(this.pathOf(id), name))));
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      return { id, bytes, lastUsed: directory.mtimeMs };
    } catch {
      return undefined;
    }
  }

  private async isLeftover(name: string): Promise<boolean> {
    const owner = temporaryOwner(name);
    if (owner === undefined || ownTemporaries.has(name)) return false;
    const here = owner.host === hostname();
    // A restarted container often has the same pid again, but not our list of temporaries.
    if (here && owner.pid !== process.pid && isAlive(owner.pid)) return false;
    const path = join(this.path, name);
    const written = await stat(join(path, DATA_FILE)).catch(() => stat(path).catch(() => undefined));
    return written !== undefined && Date.now() - written.mtimeMs > (here ? STALE_HERE_MS : STALE_MS);
  }

  private unusable(error: unknown): ArchiveError {
    const code = errorCode(error) ?? 'unknown error';
    const type = code === 'ENOSPC' || code === 'EDQUOT' ? 'CacheFull' : 'CacheUnusable';
    return new ArchiveError(type, `archive cache ${this.path}: cannot be written (${code})`);
  }
}
