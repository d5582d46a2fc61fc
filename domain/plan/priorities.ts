/** Velero's restore order: what comes first and what comes last; the rest goes between them (spec restore-pipeline.md §8). */
export interface ResourcePriorities {
  readonly high: readonly string[];
  readonly low: readonly string[];
}

export const defaultResourcePriorities: ResourcePriorities = {
  high: [
    'customresourcedefinitions',
    'namespaces',
    'storageclasses',
    'volumesnapshotclass.snapshot.storage.k8s.io',
    'volumesnapshotcontents.snapshot.storage.k8s.io',
    'volumesnapshots.snapshot.storage.k8s.io',
    'datauploads.velero.io',
    'persistentvolumes',
    'persistentvolumeclaims',
    'clusterroles',
    'roles',
    'serviceaccounts',
    'clusterrolebindings',
    'rolebindings',
    'secrets',
    'configmaps',
    'limitranges',
    'priorityclasses',
    'pods',
    'replicasets.apps',
    'clusterclasses.cluster.x-k8s.io',
    'endpoints',
    'services',
  ],
  low: [
    'clusterbootstraps.run.tanzu.vmware.com',
    'clusters.cluster.x-k8s.io',
    'clusterresourcesets.addons.cluster.x-k8s.io',
    'apps.kappctrl.k14s.io',
    'packageinstalls.packaging.carvel.dev',
  ],
};

export class ResourcePrioritiesError extends Error {
  readonly type = 'InvalidResourcePriorities';
}

/**
 * Reads the value of Velero's `--restore-resource-priorities`: a comma list in which a single `-` divides the resources that
 * come first from those that come last. Only the halves that are given replace those of `defaults`.
 * @throws ResourcePrioritiesError for a second `-`.
 */
export function parseResourcePriorities(
  text: string,
  defaults: ResourcePriorities = defaultResourcePriorities,
): ResourcePriorities {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const divider = names.indexOf('-');
  if (divider !== names.lastIndexOf('-')) {
    throw new ResourcePrioritiesError(
      `resource priorities: expected at most one "-" between the first and the last resources, got ${JSON.stringify(text)}`,
    );
  }
  const high = divider < 0 ? names : names.slice(0, divider);
  const low = divider < 0 ? [] : names.slice(divider + 1);
  return { high: high.length > 0 ? high : defaults.high, low: low.length > 0 ? low : defaults.low };
}

/** The counterpart of {@link parseResourcePriorities}. */
export function formatResourcePriorities({ high, low }: ResourcePriorities): string {
  return [...high, ...(low.length > 0 ? ['-', ...low] : [])].join(',');
}

/**
 * All resources in restore order: high, then the backup's others by the alphabet, then low. Entries are named as written; the
 * caller resolves them and passes over what it has seen.
 */
export function orderResources(priorities: ResourcePriorities, backupResources: Iterable<string>): string[] {
  const listed = new Set([...priorities.high, ...priorities.low]);
  const others = [...new Set(backupResources)].filter((resource) => !listed.has(resource));
  return [...new Set([...priorities.high, ...others.sort(), ...priorities.low])];
}
