import { parseGroupResource } from '../kubernetes/groupResource.ts';
import type { ResourceTable } from '../kubernetes/resourceTable.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from './draft.ts';
import { orderResources, type ResourcePriorities } from './priorities.ts';

/** The API groups that the API server brings itself; whatever lies in another group is a custom or aggregated resource. */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'extensions',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

const API_SERVICES_AND_CLASSES: ReadonlySet<string> = new Set([
  'apiservices.apiregistration.k8s.io',
  'csidrivers.storage.k8s.io',
  'ingressclasses.networking.k8s.io',
  'runtimeclasses.node.k8s.io',
]);

function groupOf(groupResource: string): string {
  return parseGroupResource(groupResource).group;
}

/**
 * The six waves between Velero's two lists, where Velero goes through the alphabet and some of that order is load-bearing
 * (design §2): ReplicaSets and Pods find what they need, quotas count what is there, webhooks do not judge what is restored.
 */
const MIDDLE_WAVES: readonly { readonly name: string; readonly has: (groupResource: string) => boolean }[] = [
  { name: 'middle: API services and classes', has: (groupResource) => API_SERVICES_AND_CLASSES.has(groupResource) },
  { name: 'middle: controller revisions', has: (groupResource) => groupResource === 'controllerrevisions.apps' },
  { name: 'middle: resource quotas', has: (groupResource) => groupResource === 'resourcequotas' },
  { name: 'middle: admission', has: (groupResource) => groupOf(groupResource) === 'admissionregistration.k8s.io' },
  { name: 'middle: built-in kinds', has: (groupResource) => BUILT_IN_GROUPS.has(groupOf(groupResource)) },
  { name: 'middle: custom resources', has: () => true },
];

/** The order in which {@link MIDDLE_WAVES} run: quotas and admission come after everything they would judge. */
const MIDDLE_ORDER: readonly string[] = [
  'middle: API services and classes',
  'middle: controller revisions',
  'middle: built-in kinds',
  'middle: custom resources',
  'middle: resource quotas',
  'middle: admission',
];

function middleWaveOf(groupResource: string): string {
  const wave = MIDDLE_WAVES.find(({ has }) => has(groupResource));
  return wave?.name ?? 'middle: custom resources';
}

export interface WaveResources {
  readonly name: string;
  /** Group-resources in Velero's order. */
  readonly resources: readonly string[];
}

/**
 * Which resources are restored together, in order. Definitions of custom resources, then namespaces come first whatever the
 * priorities say: Velero restores the former in a pass of their own and ensures the latter before the first item that needs
 * them (spec restore-pipeline.md §7 step 7, §10). Each resource of the two priority lists is a wave of its own; what lies between
 * the lists is six waves, or with `strict` one wave for each resource by the alphabet.
 */
export function waveResources(
  priorities: ResourcePriorities,
  backupResources: Iterable<string>,
  table: ResourceTable,
  order: 'waves' | 'strict' = 'waves',
): WaveResources[] {
  const inBackup = new Set(backupResources);
  const resolve = (name: string): string => (inBackup.has(name) ? name : table.resolveName(name));
  const first = [CUSTOM_RESOURCE_DEFINITIONS, 'namespaces'];
  const listed = new Set([...first, ...priorities.high, ...priorities.low].map(resolve));
  const others = [...inBackup].filter((resource) => !listed.has(resource));
  const waves = new Map<string, string[]>();

  for (const resource of [...first, ...orderResources(priorities, others).map(resolve)]) {
    if (listed.has(resource) || order === 'strict') {
      if (!waves.has(resource)) waves.set(resource, [resource]);
      continue;
    }
    // A map keeps insertion order: the middle waves stand here, before the low list.
    for (const wave of MIDDLE_ORDER) if (!waves.has(wave)) waves.set(wave, []);
    waves.get(middleWaveOf(resource))?.push(resource);
  }
  return [...waves].filter(([, resources]) => resources.length > 0).map(([name, resources]) => ({ name, resources }));
}
