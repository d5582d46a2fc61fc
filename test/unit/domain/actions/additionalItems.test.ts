import { describe, expect, it } from '@jest/globals';
import { builtInAdditionalItems } from '../../../../domain/actions/additionalItems.ts';
import { addPvcFromPodAction } from '../../../../domain/actions/addPvcFromPod.ts';
import { podAction } from '../../../../domain/actions/pod.ts';
import { pvcAction } from '../../../../domain/actions/pvc.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

function pod(spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'shop', name: 'web' }, spec };
}

function claim(spec: JsonObject, status: Json): JsonObject {
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'shop', name: 'c' }, spec, status };
}

const CLAIM = (name: string) => ({ group: '', resource: 'persistentvolumeclaims', namespace: 'shop', name });
const CLASS = (name: string) => ({ group: 'scheduling.k8s.io', resource: 'priorityclasses', namespace: '', name });
const VOLUME = (name: string) => ({ group: '', resource: 'persistentvolumes', namespace: '', name });

describe('additional items of the built-in actions', () => {
  it.each<[string, string, JsonObject, unknown]>([
    ['a pod without volumes', 'pods', pod({}), []],
    ['a pod with an empty list of volumes', 'pods', pod({ volumes: [] }), []],
    [
      'only the claims among other volumes, in their order, repeats included',
      'pods',
      pod({
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', persistentVolumeClaim: { claimName: 'second' } },
          { name: 'c', hostPath: { path: '/tmp' } },
          { name: 'd', persistentVolumeClaim: { claimName: 'first' } },
          { name: 'e', persistentVolumeClaim: { claimName: 'second' } },
        ],
      }),
      [{ action: 'velero.io/add-pvc-from-pod', items: [CLAIM('second'), CLAIM('first'), CLAIM('second')] }],
    ],
    [
      'no claims of ephemeral volumes',
      'pods',
      pod({ volumes: [{ name: 'a', ephemeral: { volumeClaimTemplate: { spec: {} } } }] }),
      [],
    ],
    [
      'a priority class',
      'pods',
      pod({ priorityClassName: 'urgent' }),
      [{ action: 'velero.io/pod', items: [CLASS('urgent')] }],
    ],
    ['no priority class for an empty name', 'pods', pod({ priorityClassName: '' }), []],
    [
      'claims before the priority class',
      'pods',
      pod({ priorityClassName: 'urgent', volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'data' } }] }),
      [
        { action: 'velero.io/add-pvc-from-pod', items: [CLAIM('data')] },
        { action: 'velero.io/pod', items: [CLASS('urgent')] },
      ],
    ],
    ['nothing after a field of the wrong type', 'pods', pod({ priorityClassName: 'urgent', volumes: 'none' }), []],
    [
      'what comes before a field of the wrong type',
      'pods',
      pod({ priorityClassName: 7, volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'data' } }] }),
      [{ action: 'velero.io/add-pvc-from-pod', items: [CLAIM('data')] }],
    ],
    [
      'the volume of a bound claim',
      'persistentvolumeclaims',
      claim({ volumeName: 'vol-1' }, { phase: 'Bound' }),
      [{ action: 'velero.io/pvc', items: [VOLUME('vol-1')] }],
    ],
    [
      'no volume of a claim that is not bound',
      'persistentvolumeclaims',
      claim({ volumeName: 'v' }, { phase: 'Lost' }),
      [],
    ],
    ['no volume of a claim without status', 'persistentvolumeclaims', claim({ volumeName: 'v' }, null), []],
    ['no volume without a name', 'persistentvolumeclaims', claim({ volumeName: '' }, { phase: 'Bound' }), []],
    ['no volume where there is none', 'persistentvolumeclaims', claim({}, { phase: 'Bound' }), []],
    ['nothing for other resources', 'deployments.apps', pod({ priorityClassName: 'urgent' }), []],
    ['nothing for a resource named like a property of objects', 'constructor', pod({}), []],
  ])('%s', (_, groupResource, item, expected) => {
    expect(builtInAdditionalItems(groupResource, item)).toEqual(expected);
  });

  it.each([
    [
      'pods',
      pod({ priorityClassName: 'urgent', volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'data' } }] }),
    ],
    ['persistentvolumeclaims', claim({ volumeName: 'vol-1' }, { phase: 'Bound' })],
  ])('are those that the actions for %s return, whatever became of the item before', async (groupResource, item) => {
    const actions = groupResource === 'pods' ? [addPvcFromPodAction, podAction] : [pvcAction];
    const changed: JsonObject = { ...item, spec: {} };
    const returned = [];
    for (const action of actions) {
      const { additionalItems } = await runAction(action, changed, { itemFromBackup: item });
      returned.push({ action: action.name, items: additionalItems });
    }
    expect(returned).toEqual(builtInAdditionalItems(groupResource, item));
  });

  it('leaves the pod to later actions as it is', async () => {
    const item = pod({ volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'data' } }] });
    const output = await runAction(addPvcFromPodAction, item);
    expect(output.item).toBe(item);
    expect(output.skipRestore).toBe(false);
  });

  it('fails an item whose volumes cannot be read', async () => {
    await expect(runAction(addPvcFromPodAction, pod({ volumes: [{ persistentVolumeClaim: 'data' }] }))).rejects.toThrow(
      'spec.volumes[0].persistentVolumeClaim: expected an object, found a string',
    );
  });
});
