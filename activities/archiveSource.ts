import type { BackupArchive } from '../adapters/storage/backupArchive.ts';
import type { ArchiveItem } from '../domain/backup/archiveEntry.ts';
import { type BackupItem, itemPath, type PlanSource, type ReadItem } from '../domain/plan/planSource.ts';

/** The archive writes cluster scope as an empty namespace. */
function toArchive({ groupResource, namespace, name }: BackupItem): ArchiveItem {
  return { groupResource, namespace: namespace ?? '', name };
}

function fromArchive({ groupResource, namespace, name }: ArchiveItem): BackupItem {
  return { groupResource, namespace: namespace === '' ? undefined : namespace, name };
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

  has({ groupResource, namespace, name }: BackupItem): boolean {
    return this.archive.has(groupResource, namespace ?? '', name);
  }

  readText({ groupResource, namespace, name }: BackupItem): Promise<string> {
    return this.archive.readText(groupResource, namespace ?? '', name);
  }

  async *readItems(items: readonly BackupItem[]): AsyncIterable<ReadItem> {
    for await (const { item: found, text, error } of this.archive.readItems(items.map(toArchive))) {
      const item = fromArchive(found);
      if (text !== undefined) yield { item, text };
      else yield { item, error: `error decoding "${itemPath(item)}": ${error.message}` };
    }
  }
}
