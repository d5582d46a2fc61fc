import type { RestoreRecord } from '../domain/contract.ts';
import { getString } from '../domain/json.ts';
import type { ResourceTable } from '../domain/kubernetes/resourceTable.ts';
import {
  choosesVersions,
  chooseVersionDirectory,
  parseVersionPriorities,
  VERSION_PRIORITIES_CONFIG_MAP,
  VERSION_PRIORITIES_KEY,
} from '../domain/plan/apiVersions.ts';
import type { ArchiveSource } from './archiveSource.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { throwUnlessRefused } from './infrastructureFault.ts';

export type VersionDirectories =
  /** Undefined where versions are not chosen. */
  | { readonly directoryOf: ((groupResource: string) => string | undefined) | undefined }
  /** Why the restore can restore nothing. */
  | { readonly error: string };

/**
 * Which version of each resource is restored, with the feature EnableAPIGroupVersions (spec backup-format.md §6). The user's ranking is
 * read from the ConfigMap in the Restore's namespace, where there is one.
 * @throws InfrastructureFault, KubernetesUnreachable where the API server does not say whether it is there.
 */
export async function versionDirectories(
  { kubernetes }: Pick<ActivityDependencies, 'kubernetes'>,
  { options, backup, restore }: RestoreRecord,
  source: Pick<ArchiveSource, 'versions'>,
  table: ResourceTable,
): Promise<VersionDirectories> {
  if (!choosesVersions(options.features, backup.formatVersion)) return { directoryOf: undefined };
  const { namespace } = restore;
  const name = VERSION_PRIORITIES_CONFIG_MAP;
  const result = await kubernetes.get({ group: '', version: 'v1', resource: 'configmaps', namespace, name });
  if (!result.ok && result.status !== 404) {
    throwUnlessRefused(result);
    return { error: `choosing API version to restore: retrieve config map ${namespace}/${name}: ${result.message}` };
  }
  const text = result.ok ? getString(result.object, ['data', VERSION_PRIORITIES_KEY]) : undefined;
  const priorities = parseVersionPriorities(text ?? '');
  const chosen = new Map<string, string | undefined>();
  return {
    directoryOf: (groupResource) => {
      if (!chosen.has(groupResource)) {
        const versions = source.versions(groupResource);
        chosen.set(groupResource, chooseVersionDirectory(groupResource, versions, table, priorities));
      }
      return chosen.get(groupResource);
    },
  };
}
