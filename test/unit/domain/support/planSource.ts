import { getString, type JsonObject } from '../../../../domain/json.ts';
import { renderJson } from '../../../../domain/jsonText.ts';
import { formatGroupResource, parseApiVersion } from '../../../../domain/kubernetes/groupResource.ts';
import type { ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';
import { type BackupItem, itemPath, type PlanSource, type ReadItem } from '../../../../domain/plan/planSource.ts';
import { servedTable } from './table.ts';

/** Where an object lies in a backup. */
export function backupItemOf(object: JsonObject, table: ResourceTable = servedTable): BackupItem {
  const { group, version } = parseApiVersion(getString(object, ['apiVersion']) ?? '');
  const kind = getString(object, ['kind']) ?? '';
  const resource = table.forKind(group, version, kind)?.resource ?? `${kind.toLowerCase()}s`;
  return {
    groupResource: formatGroupResource({ group, resource }),
    namespace: getString(object, ['metadata', 'namespace']),
    name: getString(object, ['metadata', 'name']) ?? '',
  };
}

export interface SourceOptions {
  readonly hasResources?: boolean;
  readonly warnings?: readonly string[];
  /** Files whose content is given as text, or that cannot be read. */
  readonly files?: readonly ReadItem[];
  /** The order in which items are listed and read; the contract leaves the latter to the source. */
  readonly arrange?: <T>(items: readonly T[]) => T[];
}

/** A backup in memory. */
export function planSource(objects: readonly JsonObject[], options: SourceOptions = {}): PlanSource {
  const arrange = options.arrange ?? (<T>(items: readonly T[]): T[] => [...items]);
  const reads: ReadItem[] = [
    ...objects.map((object) => ({ item: backupItemOf(object), text: renderJson(object) })),
    ...(options.files ?? []),
  ];
  const byPath = new Map(reads.map((read) => [itemPath(read.item), read]));
  const sorted = [...byPath.keys()]
    .sort()
    .flatMap((path) => byPath.get(path)?.item ?? [])
    .filter(({ versionDirectory }) => versionDirectory === undefined);
  return {
    hasResources: options.hasResources ?? true,
    warnings: options.warnings ?? [],
    entries: () => arrange(sorted),
    has: (item) => byPath.has(itemPath(item)),
    readItems: (items) => read(byPath, arrange(items)),
  };
}

async function* read(byPath: ReadonlyMap<string, ReadItem>, items: readonly BackupItem[]): AsyncGenerator<ReadItem> {
  for (const item of items) {
    const found = await Promise.resolve(byPath.get(itemPath(item)));
    if (found === undefined) throw new Error(`the planner reads ${itemPath(item)}, which is not in the backup`);
    yield found;
  }
}
