import { getArray, getString, type Json, type JsonObject, setIn } from '../json.ts';
import { initContainerFromAnnotations } from './annotationHooks.ts';
import type { ResourceHook, SelectablePod } from './specHooks.ts';
import { containerProblem, NO_CONTAINER } from './validateHooks.ts';

/** The container that holds a pod back until its volumes are restored. */
const RESTORE_WAIT = 'restore-wait';

/** A container of an init hook that cannot be one; fails the pod. */
export class InitHookError extends Error {
  readonly type = 'InitHook';
}

export interface InitHooks {
  /** Of the pod in the backup. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly target: SelectablePod;
  readonly resourceHooks: readonly ResourceHook[];
  readonly restoreUid: string;
}

/**
 * The pod with the init containers of its hooks: behind `restore-wait`, which fills the volumes, and before the pod's own
 * (spec hooks.md §6). Those of its annotations, otherwise those of the Restore that apply to it.
 * @throws InitHookError naming hook, pod and field.
 */
export function addInitContainers(
  pod: JsonObject,
  { annotations, target, resourceHooks, restoreUid }: InitHooks,
): JsonObject {
  const annotated = initContainerFromAnnotations(annotations, restoreUid);
  const added = annotated === undefined ? fromSpec(pod, target, resourceHooks) : [annotated];
  if (added.length === 0) return pod;
  const existing = getArray(pod, ['spec', 'initContainers']) ?? [];
  const waits = getString(existing[0], ['name']) === RESTORE_WAIT;
  const [before, after] = waits ? [existing.slice(0, 1), existing.slice(1)] : [[], existing];
  return setIn(pod, ['spec', 'initContainers'], [...before, ...added, ...after]);
}

function fromSpec(pod: JsonObject, target: SelectablePod, resourceHooks: readonly ResourceHook[]): Json[] {
  return resourceHooks
    .filter((resource) => resource.appliesTo(target))
    .flatMap(({ name, initContainers }) => initContainers.map((container) => checked(pod, name, container)));
}

function checked(pod: JsonObject, hook: string, container: Json): Json {
  const problem = containerProblem(container);
  if (problem === undefined) return container;
  // Velero's own text stands alone there, so that it is found again.
  if (problem === NO_CONTAINER) throw new InitHookError(problem);
  const path = `${getString(pod, ['metadata', 'namespace']) ?? ''}/${getString(pod, ['metadata', 'name']) ?? ''}`;
  throw new InitHookError(`invalid init container in restore hook ${JSON.stringify(hook)} for pod ${path}: ${problem}`);
}
