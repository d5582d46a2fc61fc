import { PREFERRED_VERSION_SUFFIX, type SourceVersions } from '../backup/archiveEntry.ts';
import { sortVersions } from '../go/versionPriority.ts';
import { parseGroupResource } from '../kubernetes/groupResource.ts';
import type { ResourceTable } from '../kubernetes/resourceTable.ts';

/** The ConfigMap in the Velero namespace by which a user ranks versions. */
export const VERSION_PRIORITIES_CONFIG_MAP = 'enableapigroupversions';
export const VERSION_PRIORITIES_KEY = 'restoreResourcesVersionPriority';

/** Versions that a user wants for a `resource.group`, the best first. */
export type VersionPriorities = ReadonlyMap<string, readonly string[]>;

/**
 * Reads lines such as `deployments.apps=v1,v1beta2`. Blanks do not count, and what is no such line is left out, as in Velero (spec
 * backup-format.md §6).
 */
export function parseVersionPriorities(text: string): VersionPriorities {
  const priorities = new Map<string, readonly string[]>();
  for (const line of text.replaceAll(' ', '').split('\n')) {
    const [resource = '', versions = '', ...more] = line.trim().split('=');
    if (resource !== '' && versions !== '' && more.length === 0) priorities.set(resource, versions.split(','));
  }
  return priorities;
}

/** Backups of this format and later ones hold every item a second time, in a folder of its version. */
const WITH_VERSIONS = '1.1.0';

/** Whether the versions of a backup are chosen from: the feature EnableAPIGroupVersions is on and the backup has them. */
export function choosesVersions(features: readonly string[], formatVersion: string | undefined): boolean {
  // Velero compares the texts.
  return features.includes('EnableAPIGroupVersions') && (formatVersion ?? '') >= WITH_VERSIONS;
}

/**
 * The folder of a resource from which its items are read: the first version that the user wants and both sides have, else the one that
 * the target prefers, else the one that the source preferred, else the best that both have, each if the other side has it too; where
 * there is none or the target does not know the group, the one that the source preferred (spec backup-format.md §6).
 * @returns undefined for a backup that holds the resource in no version folder
 */
export function chooseVersionDirectory(
  groupResource: string,
  source: SourceVersions,
  table: ResourceTable,
  priorities: VersionPriorities,
): string | undefined {
  const chosen = chooseVersion(groupResource, source, table, priorities);
  if (!source.versions.includes(chosen)) return undefined;
  return chosen === source.preferred ? `${chosen}${PREFERRED_VERSION_SUFFIX}` : chosen;
}

function chooseVersion(
  groupResource: string,
  source: SourceVersions,
  table: ResourceTable,
  priorities: VersionPriorities,
): string {
  const { group } = parseGroupResource(groupResource);
  const served = table.groups.find((one) => one.group === group)?.versions;
  if (served === undefined) return source.preferred;
  const inBoth = (version: string | undefined): version is string =>
    version !== undefined && source.versions.includes(version) && served.includes(version);

  const wanted = (priorities.get(groupResource) ?? []).find(inBoth);
  if (wanted !== undefined) return wanted;
  const [targetPreferred] = served;
  if (inBoth(targetPreferred)) return targetPreferred;
  if (inBoth(source.preferred)) return source.preferred;
  const [, ...others] = sortVersions(source.versions);
  const [, ...servedOthers] = sortVersions(served);
  return others.find((version) => servedOthers.includes(version)) ?? source.preferred;
}
