import { describe, expect, it } from '@jest/globals';
import { podAction } from '../../../../domain/actions/pod.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

function pod(spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'shop', name: 'web' }, spec };
}

const TOKEN = { name: 'web-token-x7x', secret: { secretName: 'web-token-x7x' } };
const DATA = { name: 'data', emptyDir: {} };
const PROJECTED = { name: 'kube-api-access-4f', projected: { sources: [] } };
const mount = (name: string): JsonObject => ({ name, mountPath: `/${name}` });

describe('velero.io/pod', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['nodeName and priority go', { nodeName: 'n1', priority: 5, schedulerName: 's' }, { schedulerName: 's' }],
    ['priority 0 goes', { priority: 0 }, {}],
    ['priorityClassName stays', { priorityClassName: 'urgent' }, { priorityClassName: 'urgent' }],
    [
      'token volumes of the service account go, projected tokens stay',
      { serviceAccountName: 'web', volumes: [TOKEN, DATA, PROJECTED] },
      { serviceAccountName: 'web', volumes: [DATA, PROJECTED] },
    ],
    [
      'token volumes of other accounts stay',
      { serviceAccountName: 'other', volumes: [TOKEN] },
      { serviceAccountName: 'other', volumes: [TOKEN] },
    ],
    [
      'without a service account the prefix is -token-',
      { volumes: [TOKEN, { name: '-token-abc', emptyDir: {} }] },
      { volumes: [TOKEN] },
    ],
    [
      'the old field serviceAccount does not count',
      { serviceAccount: 'web', volumes: [TOKEN] },
      { serviceAccount: 'web', volumes: [TOKEN] },
    ],
    [
      'a list of volumes that becomes empty is left out',
      { serviceAccountName: 'web', volumes: [TOKEN] },
      { serviceAccountName: 'web' },
    ],
    ['a list of volumes that was empty stays', { volumes: [] }, { volumes: [] }],
    [
      'mounts of token volumes go in containers and init containers',
      {
        serviceAccountName: 'web',
        volumes: [DATA, TOKEN],
        containers: [
          { name: 'a', volumeMounts: [mount('data'), mount('web-token-x7x')] },
          { name: 'b', volumeMounts: [mount('web-token-x7x')] },
          { name: 'c' },
        ],
        initContainers: [{ name: 'i', image: 'x', volumeMounts: [mount('web-token-x7x'), mount('data')] }],
      },
      {
        serviceAccountName: 'web',
        volumes: [DATA],
        containers: [{ name: 'a', volumeMounts: [mount('data')] }, { name: 'b' }, { name: 'c' }],
        initContainers: [{ name: 'i', image: 'x', volumeMounts: [mount('data')] }],
      },
    ],
    [
      'mounts go even without such a volume',
      {
        serviceAccountName: 'web',
        containers: [{ name: 'a', volumeMounts: [mount('web-token-gone'), mount('data')] }],
      },
      { serviceAccountName: 'web', containers: [{ name: 'a', volumeMounts: [mount('data')] }] },
    ],
    [
      'fields nobody knows stay',
      { nodeName: 'n1', notYetInvented: { deep: [1, 2] } },
      { notYetInvented: { deep: [1, 2] } },
    ],
  ])('%s', async (_, spec, expected) => {
    const output = await runAction(podAction, pod(spec));
    expect(output.item).toEqual(pod(expected));
    expect(output.skipRestore).toBe(false);
  });

  it('asks for the priority class', async () => {
    const output = await runAction(podAction, pod({ priorityClassName: 'urgent' }));
    expect(output.additionalItems).toEqual([
      { group: 'scheduling.k8s.io', resource: 'priorityclasses', namespace: '', name: 'urgent' },
    ]);
  });

  it('asks for nothing without a priority class', async () => {
    expect((await runAction(podAction, pod({ priority: 3 }))).additionalItems).toEqual([]);
  });

  it('accepts a pod without spec', async () => {
    const item: JsonObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
    expect((await runAction(podAction, item)).item).toEqual(item);
  });

  it.each<[JsonObject, string]>([
    [{ serviceAccountName: ['web'] }, 'spec.serviceAccountName: expected a string, found a list'],
    [{ volumes: {} }, 'spec.volumes: expected a list, found an object'],
    [{ volumes: [DATA, { name: 4 }] }, 'spec.volumes[1].name: expected a string, found a number'],
    [
      { containers: [{}, { volumeMounts: [true] }] },
      'spec.containers[1].volumeMounts[0]: expected an object, found a boolean',
    ],
    [{ initContainers: ['x'] }, 'spec.initContainers[0]: expected an object, found a string'],
    [{ priorityClassName: 1 }, 'spec.priorityClassName: expected a string, found a number'],
  ])('refuses %j', async (spec, message) => {
    await expect(runAction(podAction, pod(spec))).rejects.toThrow(message);
  });
});
