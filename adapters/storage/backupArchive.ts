import { type ArchiveItem, itemPath, type SourceVersions, sourceVersions } from '../../domain/backup/archiveEntry.ts';
import { ArchiveError } from './archiveError.ts';
import type { UnpackedArchive } from './unpackedArchive.ts';

/** An item with its text, or with why it cannot be read. */
export type ArchiveItemContent =
  | { readonly item: ArchiveItem; readonly text: string; readonly error?: undefined }
  | { readonly item: ArchiveItem; readonly text?: undefined; readonly error: ArchiveError };

function notFound(item: ArchiveItem): ArchiveError {
  return new ArchiveError('EntryNotFound', `${itemPath(item)}: no such file in the backup`);
}

function itemAt(groupResource: string, namespace: string, name: string, versionDirectory?: string): ArchiveItem {
  const item = { groupResource, namespace, name };
  return versionDirectory === undefined ? item : { ...item, versionDirectory };
}

/**
 * The items of one backup. Got from `ArchiveCache.open`, to be closed after use; what it reads from is shared by all who have
 * the same backup open. `groupResource` is the folder's text, e.g. `pods` or `deployments.apps`; the namespace of
 * cluster-scoped items is empty.
 */
export class BackupArchive {
  private closed = false;

  constructor(
    /** Of the tarball; give it to `ArchiveCache.open` to be sure to get the same content again. */
    readonly etag: string,
    private readonly archive: UnpackedArchive,
    private readonly release: () => void,
  ) {}

  /** What was odd in the tarball, as sentences for the restore's warnings; never content of items. */
  get warnings(): readonly string[] {
    return this.archive.index.summary.warnings;
  }

  /** False for a backup of nothing: Velero then warns `zero items to be restored` (spec backup-format.md §5.2). */
  get hasResources(): boolean {
    return this.archive.index.summary.hasResources;
  }

  /** Items of the unversioned paths, sorted by resource, namespace and name (bytewise). */
  entries(): Iterable<ArchiveItem> {
    return this.archive.index.unversioned();
  }

  /** Whether the backup has the item at its unversioned path, or in a version folder. */
  has(groupResource: string, namespace: string, name: string, versionDirectory?: string): boolean {
    return this.archive.find(itemAt(groupResource, namespace, name, versionDirectory)) >= 0;
  }

  /** In which versions the backup holds a resource (spec backup-format.md §6). */
  versions(groupResource: string): SourceVersions {
    const directories = this.archive.index.summary.versionDirectories;
    return sourceVersions(Object.hasOwn(directories, groupResource) ? (directories[groupResource] ?? []) : []);
  }

  /**
   * Text of an item, to be given to `parseItem` with `itemPath`.
   * @throws ArchiveError `EntryNotFound`, `CacheUnusable`
   */
  async readText(groupResource: string, namespace: string, name: string, versionDirectory?: string): Promise<string> {
    this.checkOpen();
    const item = itemAt(groupResource, namespace, name, versionDirectory);
    const row = this.archive.find(item);
    if (row < 0) throw notFound(item);
    return this.archive.readRow(row);
  }

  /**
   * Reads many items in the order in which they lie in the file, not in the order given. Holds about 4 MiB of content at a
   * time and a few bytes for each item. An item that is not in the backup comes with an error.
   * @throws ArchiveError `CacheUnusable`
   */
  async *readItems(items: Iterable<ArchiveItem>): AsyncIterable<ArchiveItemContent> {
    const found: ArchiveItem[] = [];
    const rows: number[] = [];
    for (const item of items) {
      const row = this.archive.find(item);
      if (row < 0) {
        yield { item, error: notFound(item) };
        continue;
      }
      found.push(item);
      rows.push(row);
    }
    this.checkOpen();
    for await (const { position, text } of this.archive.readRows(Int32Array.from(rows))) {
      const item = found[position];
      if (item !== undefined) yield { item, text };
    }
  }

  /** Lets go of the archive; calling it again does nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.release();
  }

  private checkOpen(): void {
    if (this.closed) throw new ArchiveError('CacheUnusable', 'the backup was closed before it was read');
  }
}
