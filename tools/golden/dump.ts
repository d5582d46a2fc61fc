import { setTimeout as sleep } from 'node:timers/promises';
import { getString, type JsonObject } from '../../domain/json.ts';
import { renderJson } from '../../domain/jsonText.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import { itemsOf } from '../../domain/kubernetes/itemsOf.ts';
import type { ApiResource, ResourceTable } from '../../domain/kubernetes/resourceTable.ts';

const LEFT_OUT_RESOURCES: ReadonlySet<string> = new Set(['events', 'leases', 'componentstatuses']);
const LEFT_OUT_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease', 'velero']);
const VELERO_GROUP = 'velero.io';

/**
 * Every object of every listable resource, in the preferred version of its group, sorted: what `after.json.gz` of a
 * golden case holds (golden README, "What is here").
 * @throws Error where a list cannot be had
 */
export async function dumpCluster(kubernetes: KubernetesApi): Promise<JsonObject[]> {
  const table = await kubernetes.discover({ refresh: true });
  const lists = await Promise.all(listable(table).map((resource) => listAll(kubernetes, resource)));
  return lists
    .flat()
    .filter((object) => !LEFT_OUT_NAMESPACES.has(getString(object, ['metadata', 'namespace']) ?? ''))
    .sort((a, b) => compareTexts(sortKey(a), sortKey(b)));
}

/**
 * A dump of a cluster at rest: controllers still fill in token Secrets, ServiceAccounts and statuses when a restore has ended.
 * @param deadlineMs after which a cluster that keeps changing is dumped as it is
 */
export async function dumpAtRest(kubernetes: KubernetesApi, deadlineMs = 20_000): Promise<JsonObject[]> {
  const deadline = Date.now() + deadlineMs;
  let last = await dumpCluster(kubernetes);
  for (;;) {
    await sleep(700);
    const next = await dumpCluster(kubernetes);
    if (fingerprint(next) === fingerprint(last) || Date.now() > deadline) return next;
    last = next;
  }
}

/** Text by which two dumps of one cluster can be told apart. The API server tidies IPAddresses whenever it likes. */
export function fingerprint(objects: readonly JsonObject[]): string {
  return objects
    .filter(({ kind }) => kind !== 'IPAddress')
    .map(renderJson)
    .join('\n');
}

/** Each resource once, in the first version of its group's order that has it. */
function listable({ groups, resources }: ResourceTable): ApiResource[] {
  const chosen = new Map<string, ApiResource>();
  const rank = (one: ApiResource): number =>
    groups.find(({ group }) => group === one.group)?.versions.indexOf(one.version) ?? 0;
  for (const one of resources) {
    if (!one.verbs.includes('list') || LEFT_OUT_RESOURCES.has(one.resource)) continue;
    if (one.group === VELERO_GROUP) continue;
    const key = `${one.group}/${one.resource}`;
    const other = chosen.get(key);
    if (other === undefined || rank(one) < rank(other)) chosen.set(key, one);
  }
  return [...chosen.values()];
}

async function listAll(kubernetes: KubernetesApi, resource: ApiResource): Promise<JsonObject[]> {
  const { group, version, resource: plural } = resource;
  for (let attempt = 1; ; attempt++) {
    const listed = await kubernetes.list({ group, version, resource: plural });
    if (listed.ok) return itemsOf(listed.object);
    // A restarted API server reads custom resources anew and answers 429 until it has (local-cluster notes).
    if (listed.status !== 429 || attempt === 20) throw new Error(`listing ${plural}.${group}: ${listed.message}`);
    await sleep(500);
  }
}

function sortKey(object: JsonObject): string[] {
  const paths = [['apiVersion'], ['kind'], ['metadata', 'namespace'], ['metadata', 'name']];
  return paths.map((path) => getString(object, path) ?? '');
}

function compareTexts(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at < 0) return 0;
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}
