import { parseItem } from '../backup/parseItem.ts';
import { formatGroupResource } from '../kubernetes/groupResource.ts';
import type { ResourceTable } from '../kubernetes/resourceTable.ts';
import { resourcesOfDefinition } from './backupResources.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from './draft.ts';
import { itemPath, type PlanSource } from './planSource.ts';

/**
 * The target's resources and those that the backup's own definitions will add: what the names in a Restore's filters may mean
 * (spec restore-pipeline.md §32 W8).
 */
export async function tableWithBackup(
  source: Pick<PlanSource, 'entries' | 'readItems'>,
  table: ResourceTable,
): Promise<ResourceTable> {
  const definitions = [...source.entries()].filter((item) => item.groupResource === CUSTOM_RESOURCE_DEFINITIONS);
  const found = [];
  for await (const read of source.readItems(definitions)) {
    if (!('text' in read)) continue;
    try {
      found.push(...resourcesOfDefinition(parseItem(read.text, itemPath(read.item))));
    } catch {
      // An unreadable definition is reported where it is chosen to be restored.
    }
  }
  // Where two definitions share a short name, it means the first.
  found.sort((a, b) => (formatGroupResource(a) < formatGroupResource(b) ? -1 : 1));
  return table.withResources(found);
}
