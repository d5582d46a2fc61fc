import type { BackupArchive } from '../adapters/storage/backupArchive.ts';
import type { ArchiveItem, SourceVersions } from '../domain/backup/archiveEntry.ts';
import { type BackupItem, itemPath, type PlanSource, type ReadItem } from '../domain/plan/planSource.ts';

/** The archive writes cluster scope as an empty namespace. */
function toArchive({ groupResource, namespace, name, versionDirectory }: BackupItem): ArchiveItem {
  return {
    groupResource,
    namespace: namespace ?? '',
    name,
    ...(versionDirectory === undefined ? {} : { versionDirectory }),
  };
}

function fromArchive({ namespace, ...item }: ArchiveItem): BackupItem {
  return { ...item, namespace: namespace === '' ? undefined : namespace };
}

/** A fetched backup as the planner and the item activities read it. */
export class ArchiveSource implements PlanSource {
  private readonly archive: BackupArchive;

  constructor(archive: BackupArchive) {
    this.archive = archive;
  }

  get hasResources(): boolean {
    return this.archive.hasResources;
  }

  get warnings(): readonly string[] {
    return this.archive.warnings;
  }

  *entries(): Iterable<BackupItem> {
    for (const item of this.archive.entries()) yield fromArchive(item);
  }

  has({ groupResource, namespace, name, versionDirectory }: BackupItem): boolean {
    return this.archive.has(groupResource, namespace ?? '', name, versionDirectory);
  }

  /** In which versions the backup holds a resource. */
  versions(groupResource: string): SourceVersions {
    return this.archive.versions(groupResource);
  }

  readText({ groupResource, namespace, name, versionDirectory }: BackupItem): Promise<string> {
    return this.archive.readText(groupResource, namespace ?? '', name, versionDirectory);
  }

  async *readItems(items: readonly BackupItem[]): AsyncIterable<ReadItem> {
    for await (const { item: found, text, error } of this.archive.readItems(items.map(toArchive))) {
      const item = fromArchive(found);
      if (text !== undefined) yield { item, text };
      else yield { item, error: `error decoding "${itemPath(item)}": ${error.message}` };
    }
  }
}
