import { getArray, getIn, getString, type Json, type JsonObject } from '../json.ts';
import { hooksByContainer, type NumberedHook, type PodHooks } from './hook.ts';

/** Names of the containers in which commands can run: the normal ones and sidecars, in the pod's order (spec hooks.md §9). */
export function execContainers(pod: JsonObject): string[] {
  const sidecars = (getArray(pod, ['spec', 'initContainers']) ?? []).filter(
    (container) => getString(container, ['restartPolicy']) === 'Always',
  );
  return [...(getArray(pod, ['spec', 'containers']) ?? []), ...sidecars].flatMap(
    (container) => getString(container, ['name']) ?? [],
  );
}

/** Whether a container runs or, with `waitForReady`, is ready (spec hooks.md §8). */
export function isContainerUp(pod: JsonObject, container: string, waitForReady: boolean): boolean {
  const status = containerStatus(pod, container);
  return waitForReady ? getIn(status, ['ready']) === true : getIn(status, ['state', 'running']) !== undefined;
}

/** A container that ended in a pod that does not start it again. */
function hasEndedForGood(pod: JsonObject, container: string): boolean {
  if (getString(pod, ['spec', 'restartPolicy']) !== 'Never') return false;
  return getIn(containerStatus(pod, container), ['state', 'terminated']) !== undefined;
}

function containerStatus(pod: JsonObject, container: string): Json | undefined {
  const statuses = ['containerStatuses', 'initContainerStatuses'].flatMap(
    (list) => getArray(pod, ['status', list]) ?? [],
  );
  return statuses.find((status) => getString(status, ['name']) === container);
}

/** Hooks that will not run, with the reason. */
export interface MissedHooks {
  readonly hooks: readonly NumberedHook[];
  readonly reason: string;
}

export interface WaitDecision {
  /** Containers whose hooks will not run. */
  readonly missed: readonly MissedHooks[];
  /** The container whose turn it is. */
  readonly up?: string | undefined;
  /** When to decide again, epoch milliseconds, where nothing changes before; undefined: never. */
  readonly until?: number | undefined;
}

export interface WaitInput {
  readonly pod: PodHooks;
  /** The pod as the API server has it now; undefined where there is none of that name. */
  readonly live: JsonObject | undefined;
  /** Containers whose hooks have run or were missed. */
  readonly ended: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** How long hooks without a waitTimeout wait, from the pod's creation; 0 = without limit. */
  readonly limitMs: number;
}

/** Velero's words for a wait that took too long. */
export const WAITED_TOO_LONG = 'context deadline exceeded';

/**
 * Which container's hooks come next, and which will never run (spec hooks.md §8): those of a pod that is gone, replaced or finished, of
 * containers that the pod lacks (HX-01) or that ended for good, and of those that were not up in time.
 */
export function decideWait(input: WaitInput): WaitDecision {
  const { pod, live, ended, now } = input;
  const left = [...hooksByContainer(pod.hooks)].filter(([container]) => !ended.includes(container));
  const end = goneReason(pod, live) ?? finishedReason(live);
  if (live === undefined || end !== undefined) {
    return { missed: left.map(([, hooks]) => ({ hooks, reason: end ?? '' })) };
  }
  const order = execContainers(live);
  const missed: MissedHooks[] = [];
  let until: number | undefined;
  let up: string | undefined;
  for (const [container, hooks] of left.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))) {
    if (!order.includes(container)) {
      missed.push({ hooks, reason: `the pod has no container ${container}` });
    } else if (
      isContainerUp(
        live,
        container,
        hooks.some(({ waitForReady }) => waitForReady),
      )
    ) {
      up ??= container;
    } else if (hasEndedForGood(live, container)) {
      missed.push({ hooks, reason: `container ${container} has ended and is not started again` });
    } else {
      const deadline = deadlineOf(input, hooks);
      if (deadline !== undefined && deadline <= now) missed.push({ hooks, reason: WAITED_TOO_LONG });
      else until = earliest(until, deadline);
    }
  }
  return { missed, up, until };
}

/** Until when the hook may start, epoch milliseconds; undefined without a limit. */
export function notAfter({ createdAt }: Pick<PodHooks, 'createdAt'>, hook: NumberedHook): number | undefined {
  return hook.waitTimeoutMs === undefined ? undefined : Date.parse(createdAt) + hook.waitTimeoutMs;
}

/** Why what is there under the pod's name is not the pod; undefined where it is. */
export function goneReason({ uid }: Pick<PodHooks, 'uid'>, live: JsonObject | undefined): string | undefined {
  if (live === undefined) return 'the pod was deleted';
  return getString(live, ['metadata', 'uid']) === uid ? undefined : 'the pod was replaced by another one of its name';
}

/** Said of a pod that will never run again; undefined of others. */
export function finishedReason(live: JsonObject | undefined): string | undefined {
  const phase = getString(live, ['status', 'phase']);
  return phase === 'Succeeded' || phase === 'Failed' ? `the pod has finished: phase ${phase}` : undefined;
}

/** A container is waited for as long as one of its hooks may still run. */
function deadlineOf({ pod, limitMs }: WaitInput, hooks: readonly NumberedHook[]): number | undefined {
  const limit = limitMs === 0 ? undefined : limitMs;
  const waits = hooks.map(({ waitTimeoutMs }) => waitTimeoutMs ?? limit);
  const longest = maxWait(waits);
  return longest === undefined ? undefined : Date.parse(pod.createdAt) + longest;
}

/** The longest of several waits; one without an end makes it endless. */
export function maxWait(waits: readonly (number | undefined)[]): number | undefined {
  if (waits.length === 0) return undefined;
  const finite = waits.filter((wait) => wait !== undefined);
  return finite.length < waits.length ? undefined : Math.max(...finite);
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
