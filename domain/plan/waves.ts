import { parseGroupResource } from '../kubernetes/groupResource.ts';
import type { ResourceTable } from '../kubernetes/resourceTable.ts';
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

/**
 * The six waves between Velero's two lists, where Velero goes through the alphabet and some of that order is load-bearing
 * (design §2): ReplicaSets and Pods find what they need, quotas count what is there, webhooks do not judge what is restored.
 */
const MIDDLE_WAVES: readonly { readonly name: string; readonly has: (resource: string, group: string) => boolean }[] = [
  {
    name: 'middle: API services and classes',
    has: (resource) => ['apiservices', 'ingressclasses', 'runtimeclasses', 'csidrivers'].includes(resource),
  },
  { name: 'middle: controller revisions', has: (resource) => resource === 'controllerrevisions' },
  { name: 'middle: resource quotas', has: (resource, group) => resource === 'resourcequotas' && group === '' },
  { name: 'middle: admission', has: (_resource, group) => group === 'admissionregistration.k8s.io' },
  { name: 'middle: built-in kinds', has: (_resource, group) => BUILT_IN_GROUPS.has(group) },
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
  const { group, resource } = parseGroupResource(groupResource);
  const wave = MIDDLE_WAVES.find(({ has }) => has(resource, group));
  return wave?.name ?? 'middle: custom resources';
}

export interface WaveResources {
  readonly name: string;
  /** Group-resources in Velero's order. */
  readonly resources: readonly string[];
}

/**
 * Which resources are restored together, in order. Each resource of the two priority lists is a wave of its own; what lies
 * between the lists is six waves, or with `strict` one wave for each resource by the alphabet.
 */
export function waveResources(
  priorities: ResourcePriorities,
  backupResources: Iterable<string>,
  table: ResourceTable,
  order: 'waves' | 'strict' = 'waves',
): WaveResources[] {
  const inBackup = new Set(backupResources);
  const listed = new Set([...priorities.high, ...priorities.low].map((name) => table.resolveName(name)));
  const waves = new Map<string, string[]>();
  const seen = new Set<string>();
  let middlePlaced = false;

  for (const name of orderResources(priorities, inBackup)) {
    const resource = inBackup.has(name) ? name : table.resolveName(name);
    if (seen.has(resource)) continue;
    seen.add(resource);
    if (listed.has(resource) || order === 'strict') {
      waves.set(resource, [resource]);
      continue;
    }
    if (!middlePlaced) {
      // A map keeps insertion order: the middle waves stand here, before the low list.
      for (const wave of MIDDLE_ORDER) waves.set(wave, []);
      middlePlaced = true;
    }
    waves.get(middleWaveOf(resource))?.push(resource);
  }
  return [...waves].filter(([, resources]) => resources.length > 0).map(([name, resources]) => ({ name, resources }));
}
