import { getArray, getIn, getString, isObject, type Json, type JsonObject } from '../../domain/json.ts';

/** What hooks look at of a pod; thousands of pods are kept at a time, and a whole one takes ten times as much memory. */
export function slimPod(pod: JsonObject): JsonObject {
  return {
    metadata: pick(pod, ['metadata'], ['name', 'namespace', 'uid', 'resourceVersion']),
    spec: {
      ...pick(pod, ['spec'], ['restartPolicy']),
      containers: list(pod, ['spec', 'containers'], ['name']),
      initContainers: list(pod, ['spec', 'initContainers'], ['name', 'restartPolicy']),
    },
    status: {
      ...pick(pod, ['status'], ['phase']),
      containerStatuses: list(pod, ['status', 'containerStatuses'], ['name', 'ready', 'state']),
      initContainerStatuses: list(pod, ['status', 'initContainerStatuses'], ['name', 'ready', 'state']),
    },
  };
}

function list(pod: JsonObject, path: readonly string[], keys: readonly string[]): Json[] {
  return (getArray(pod, [...path]) ?? []).map((entry) => pick(entry, [], keys));
}

function pick(value: Json, path: readonly string[], keys: readonly string[]): JsonObject {
  const object = getIn(value, [...path]);
  if (!isObject(object)) return {};
  return Object.fromEntries(keys.flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]]])));
}

/** `namespace/name`, the key under which a pod is followed. */
export function podKey(pod: JsonObject): string {
  return `${getString(pod, ['metadata', 'namespace']) ?? ''}/${getString(pod, ['metadata', 'name']) ?? ''}`;
}
