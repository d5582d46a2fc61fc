/** What an error of a hook means for the other hooks of the restore (spec hooks.md §8): nothing, or the end of all of them. */
export type OnError = 'Continue' | 'Fail';

/** Velero's default for `execTimeout`. */
export const DEFAULT_EXEC_TIMEOUT_MS = 30_000;

/** Velero's name for the hook of a pod's annotations. */
export const ANNOTATION_HOOK_NAME = '<from-annotation>';

/** A command that is to run in a container of a restored pod. */
export interface ExecHook {
  /** Name of the resource hook, or {@link ANNOTATION_HOOK_NAME}. */
  readonly name: string;
  readonly source: 'annotation' | 'spec';
  /** Position in the resource hook's `postHooks`; 0 for annotations. */
  readonly index: number;
  readonly container: string;
  readonly command: readonly string[];
  readonly onError: OnError;
  readonly execTimeoutMs: number;
  /** From the pod's creation; undefined waits as long as the restore's own limit. */
  readonly waitTimeoutMs?: number | undefined;
  /** Wait for the container's readiness; otherwise it only has to run. */
  readonly waitForReady: boolean;
}

/** A hook of a pod, with its place among the pod's hooks: its identity in the work store. */
export interface NumberedHook extends ExecHook {
  readonly number: number;
}

/** What the restore has to do in one restored pod; lies in the work store, because commands may be long and private. */
export interface PodHooks {
  readonly namespace: string;
  readonly name: string;
  /** Of the pod that this restore created: one that takes its place gets no hooks. */
  readonly uid: string;
  /** The worker's clock when the pod was created, RFC 3339: waits count from here. */
  readonly createdAt: string;
  /** In the order in which they run, those of a container together. */
  readonly hooks: readonly NumberedHook[];
  /** What was wrong with annotations, beside the hook that they describe. */
  readonly warnings: readonly string[];
}

/** The hooks by container, in order: a container's hooks run one after another when it is up. */
export function hooksByContainer<T extends ExecHook>(hooks: readonly T[]): Map<string, T[]> {
  const containers = new Map<string, T[]>();
  for (const hook of hooks) containers.set(hook.container, [...(containers.get(hook.container) ?? []), hook]);
  return containers;
}

/** `shop/db-0`. */
export function podPath({ namespace, name }: Pick<PodHooks, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
