import type { JsonObject } from '../../domain/json.ts';
import { BUSYBOX_IMAGE } from '../../tools/servers/node/containerd.ts';

/** A container that runs `command` in a shell; without one it waits for ever. */
export function container(name: string, command = 'while true; do sleep 1; done', more: JsonObject = {}): JsonObject {
  return {
    name,
    image: BUSYBOX_IMAGE,
    imagePullPolicy: 'Never',
    command: ['/bin/sh', '-c', command],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    ...more,
  };
}

/** A container whose image is nowhere: it never comes up. */
export function stuckContainer(name: string): JsonObject {
  return { ...container(name), image: 'localhost/nowhere:1' };
}

export interface PodOptions {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly initContainers?: JsonObject[];
  readonly spec?: JsonObject;
}

/** A pod as a backup holds it, small enough for a kubelet that shares two cores with the rest. */
export function pod(
  namespace: string,
  name: string,
  containers: readonly JsonObject[] = [container('main')],
  { labels = {}, annotations = {}, initContainers, spec = {} }: PodOptions = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, annotations },
    spec: {
      hostNetwork: true,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [...containers],
      ...(initContainers === undefined ? {} : { initContainers }),
      ...spec,
    },
  };
}

/** An exec hook of the Restore. */
export function execHook(command: string, more: JsonObject = {}): JsonObject {
  return { exec: { command: ['/bin/sh', '-c', command], ...more } };
}

/** `spec.hooks` with one resource hook for each name, which selects the pods with label `app` of that name. */
export function hooksFor(byApp: Record<string, readonly JsonObject[]>): JsonObject {
  return {
    resources: Object.entries(byApp).map(([app, postHooks]) => ({
      name: `${app}-hook`,
      labelSelector: { matchLabels: { app } },
      postHooks: [...postHooks],
    })),
  };
}

/** Annotations of an exec hook, by their short names. */
export function execAnnotations(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [`post.hook.restore.velero.io/${key}`, value]),
  );
}
