import { getArray, getString, getStringMap, type JsonObject } from '../json.ts';
import { execHookFromAnnotations } from './annotationHooks.ts';
import type { ExecHook, NumberedHook } from './hook.ts';
import { hooksByContainer } from './hook.ts';
import type { ResourceHook } from './specHooks.ts';

/** What one pod gets. */
export interface SelectedHooks {
  readonly hooks: readonly NumberedHook[];
  readonly warnings: readonly string[];
}

/**
 * The exec hooks of a restored pod (spec hooks.md §3, §7): those of its annotations, otherwise those of the Restore that apply to it;
 * container by container in the order in which containers are first named, each container's hooks in the order of the spec. A hook
 * without a container is for the pod's first one. Hooks of containers that the pod lacks are there too: they fail later.
 * @param live the pod as it was created, webhooks included.
 * @param annotations of the pod in the backup.
 */
export function selectExecHooks(
  live: JsonObject,
  annotations: Readonly<Record<string, string>>,
  resourceHooks: readonly ResourceHook[],
): SelectedHooks {
  const [first] = getArray(live, ['spec', 'containers']) ?? [];
  const firstContainer = getString(first, ['name']);
  if (firstContainer === undefined) return { hooks: [], warnings: [] };
  const annotated = execHookFromAnnotations(annotations);
  const chosen = annotated === undefined ? fromSpec(live, resourceHooks) : [annotated.hook];
  const named = chosen.map((hook) => (hook.container === '' ? { ...hook, container: firstContainer } : hook));
  const grouped = [...hooksByContainer(named).values()].flat();
  return {
    hooks: grouped.map((hook, number) => ({ ...hook, number })),
    warnings: annotated?.warnings ?? [],
  };
}

function fromSpec(live: JsonObject, resourceHooks: readonly ResourceHook[]): ExecHook[] {
  const pod = {
    namespace: getString(live, ['metadata', 'namespace']) ?? '',
    labels: getStringMap(live, ['metadata', 'labels']),
  };
  return resourceHooks.filter((resource) => resource.appliesTo(pod)).flatMap(({ execs }) => execs);
}
