import { setTimeout as sleep } from 'node:timers/promises';
import { getString, type JsonObject } from '../../domain/json.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import type { ApiResource } from '../../domain/kubernetes/resourceTable.ts';

/** How long a kind may be unknown: its definition may have been created a moment ago. */
const KIND_DEADLINE_MS = 15_000;

/**
 * Creates an object as `kubectl create` would.
 * @throws Error where the API server does not know its kind or refuses it
 */
export async function createObject(kubernetes: KubernetesApi, object: JsonObject, fieldManager: string): Promise<void> {
  const { group, version, resource, namespaced } = await resourceOf(kubernetes, object);
  const namespace = namespaced ? (getString(object, ['metadata', 'namespace']) ?? 'default') : undefined;
  const created = await kubernetes.create({ group, version, resource, namespace }, object, { fieldManager });
  if (!created.ok) throw new Error(`creating ${describe(object)}: ${created.message}`);
}

function describe(object: JsonObject): string {
  const parts = [getString(object, ['metadata', 'namespace']), getString(object, ['metadata', 'name'])];
  return `${getString(object, ['kind']) ?? '?'} ${parts.filter((part) => part !== undefined).join('/')}`;
}

async function resourceOf(kubernetes: KubernetesApi, object: JsonObject): Promise<ApiResource> {
  const apiVersion = getString(object, ['apiVersion']) ?? '';
  const kind = getString(object, ['kind']) ?? '';
  const [first = '', second] = apiVersion.split('/', 2);
  const [group, version] = second === undefined ? ['', first] : [first, second];
  const deadline = Date.now() + KIND_DEADLINE_MS;
  let refresh = false;
  for (;;) {
    const found = (await kubernetes.discover({ refresh })).forKind(group, version, kind);
    if (found !== undefined) return found;
    if (Date.now() > deadline)
      throw new Error(`creating ${describe(object)}: the API server does not serve ${apiVersion}`);
    if (refresh) await sleep(300);
    refresh = true;
  }
}
