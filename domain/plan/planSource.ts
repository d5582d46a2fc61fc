/** Where an item lies in a backup. */
export interface BackupItem {
  /** Folder name, e.g. `deployments.apps`. */
  readonly groupResource: string;
  /** Undefined for cluster-scoped items. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Folder of the version that is read; undefined for the unversioned path, where every item is. */
  readonly versionDirectory?: string | undefined;
}

export type ReadItem =
  | { readonly item: BackupItem; readonly text: string }
  | { readonly item: BackupItem; readonly error: string };

/** What the planner reads of a backup; `adapters/storage` implements it. */
export interface PlanSource {
  /** False for a tarball without `resources/`. */
  readonly hasResources: boolean;
  /** What was odd about the tarball, e.g. names that occur twice. */
  readonly warnings: readonly string[];
  /** Every item once, by its unversioned path, sorted by resource, namespace and name. */
  entries(): Iterable<BackupItem>;
  has(item: BackupItem): boolean;
  /** Reads many items in the order that costs least, which need not be the order given. */
  readItems(items: readonly BackupItem[]): AsyncIterable<ReadItem>;
}

/** Path of an item in the tarball, as messages name it (spec backup-format.md §4). */
export function itemPath({ groupResource, namespace, name, versionDirectory }: BackupItem): string {
  const folder = versionDirectory === undefined ? groupResource : `${groupResource}/${versionDirectory}`;
  return namespace === undefined
    ? `resources/${folder}/cluster/${name}.json`
    : `resources/${folder}/namespaces/${namespace}/${name}.json`;
}
