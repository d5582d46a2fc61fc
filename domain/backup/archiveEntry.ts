/**
 * Names inside a backup's tarball (spec backup-format.md §4, §5): what an entry is, told from its name alone.
 */

/** Where an item lies in a backup. `groupResource` is the folder's text, see domain/kubernetes/groupResource.ts. */
export interface ArchiveItem {
  readonly groupResource: string;
  /** Empty for cluster-scoped items. */
  readonly namespace: string;
  readonly name: string;
  /** Name of the version folder (`v1`, `v1-preferredversion`); undefined for the unversioned path. */
  readonly versionDirectory?: string;
}

export type ArchiveEntryKind =
  | { readonly kind: 'item'; readonly item: ArchiveItem; readonly versionDirectory: string }
  /** Not an item and not used; `odd` where Velero warns that something lies where nothing should. */
  | { readonly kind: 'other'; readonly odd: boolean }
  /** The archive must not be used at all. */
  | { readonly kind: 'refused'; readonly reason: string };

const ROOT = 'resources';
const CLUSTER = 'cluster';
const NAMESPACES = 'namespaces';
/** Behind the version that the backup's cluster preferred, in the name of its folder. */
export const PREFERRED_VERSION_SUFFIX = '-preferredversion';
const ITEM_SUFFIX = '.json';

const OTHER: ArchiveEntryKind = { kind: 'other', odd: false };
const ODD: ArchiveEntryKind = { kind: 'other', odd: true };

function refused(reason: string): ArchiveEntryKind {
  return { kind: 'refused', reason };
}

/** Segments of an entry name, or the reason why it is refused. `.` segments say nothing and are dropped, as Velero does. */
function splitName(name: string): string[] | string {
  if (name === '') return 'the name is empty';
  if (name.includes('\0')) return 'the name contains a NUL character';
  if (name.includes('\\')) return 'the name contains a backslash';
  if (name.startsWith('/')) return 'the name is absolute';
  const segments = name.split('/');
  if (segments.includes('..')) return 'escapes target directory: the name has a ".." segment';
  if (segments.includes('')) return 'the name has an empty segment';
  return segments.filter((segment) => segment !== '.');
}

function itemOf(groupResource: string, versionDirectory: string, namespace: string, file: string): ArchiveEntryKind {
  // Velero lists a file without the suffix as an item and then fails to open `<name>.json`; nothing writes such a file.
  if (!file.endsWith(ITEM_SUFFIX) || file === ITEM_SUFFIX) return ODD;
  const name = file.slice(0, -ITEM_SUFFIX.length);
  const item =
    versionDirectory === '' ? { groupResource, namespace, name } : { groupResource, namespace, name, versionDirectory };
  return { kind: 'item', item, versionDirectory };
}

function classifyScope(groupResource: string, versionDirectory: string, scope: readonly string[]): ArchiveEntryKind {
  const [first, second, third, ...deeper] = scope;
  if (second === undefined) {
    if (versionDirectory !== '') return ODD;
    return refused(`"${ROOT}/${groupResource}/${String(first)}" is a file, expected a directory`);
  }
  if (first === CLUSTER) return third === undefined ? itemOf(groupResource, versionDirectory, '', second) : ODD;
  if (third === undefined || deeper.length > 0) return ODD;
  return itemOf(groupResource, versionDirectory, second, third);
}

/**
 * Classifies a regular file of the tarball by its name.
 *
 * Stricter than Velero's extractor: absolute names, `..` and empty segments, backslashes and NUL are refused wherever they
 * would lead. A file in place of a folder that must be read (`resources`, `cluster`, `namespaces`) is refused too, as it
 * fails Velero's whole parse.
 */
export function classifyEntry(name: string): ArchiveEntryKind {
  const segments = splitName(name);
  if (typeof segments === 'string') return refused(segments);
  const [root, groupResource, ...rest] = segments;
  if (root !== ROOT) return OTHER;
  if (groupResource === undefined) return refused(`"${ROOT}" is a file, expected a directory`);
  const [scopeOrVersion, ...deeper] = rest;
  if (scopeOrVersion === undefined) return ODD;
  if (scopeOrVersion === CLUSTER || scopeOrVersion === NAMESPACES) return classifyScope(groupResource, '', rest);
  const scope = deeper[0];
  if (scope !== CLUSTER && scope !== NAMESPACES) return ODD;
  return classifyScope(groupResource, scopeOrVersion, deeper);
}

/** Whether a name, of a file or a directory, shows that the archive has a `resources` directory. */
export function isBelowResources(name: string): boolean {
  const segments = splitName(name.replace(/\/+$/, ''));
  return typeof segments !== 'string' && segments[0] === ROOT;
}

/** Why a directory entry is refused, or undefined: the same rules as for files, but a trailing `/` is usual. */
export function refusedDirectory(name: string): string | undefined {
  const segments = splitName(name.endsWith('/') ? name.slice(0, -1) : name);
  return typeof segments === 'string' ? segments : undefined;
}

/** Path of an item relative to the archive's root, as error messages give it. */
export function itemPath({ groupResource, namespace, name, versionDirectory }: ArchiveItem): string {
  const version = versionDirectory === undefined ? '' : `${versionDirectory}/`;
  const scope = namespace === '' ? CLUSTER : `${NAMESPACES}/${namespace}`;
  return `${ROOT}/${groupResource}/${version}${scope}/${name}${ITEM_SUFFIX}`;
}

/** The versions in which a backup holds a resource (spec backup-format.md §6). */
export interface SourceVersions {
  /** Without the `-preferredversion` suffix; empty where no folder carries it. */
  readonly preferred: string;
  /** All versions, the preferred one among them, without suffix, in folder order. */
  readonly versions: readonly string[];
}

/** Reads version folder names: a name containing `-preferredversion` loses that text and becomes the preferred version, the last one wins. */
export function sourceVersions(versionDirectories: readonly string[]): SourceVersions {
  let preferred = '';
  const versions: string[] = [];
  for (const directory of versionDirectories) {
    const version = directory.replace(PREFERRED_VERSION_SUFFIX, '');
    if (version !== directory) preferred = version;
    versions.push(version);
  }
  return { preferred, versions };
}
