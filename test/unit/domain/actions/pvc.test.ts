import { describe, expect, it } from '@jest/globals';
import { pvcAction } from '../../../../domain/actions/pvc.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

function claim(annotations: JsonObject | undefined, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'data', ...(annotations === undefined ? {} : { annotations }) },
    spec,
  };
}

describe('velero.io/pvc', () => {
  it.each([
    'pv.kubernetes.io/bind-completed',
    'pv.kubernetes.io/bound-by-controller',
    'volume.kubernetes.io/storage-provisioner',
    'volume.beta.kubernetes.io/storage-provisioner',
    'volume.kubernetes.io/selected-node',
    'velero.io/volume-snapshot-name',
    'velero.io/data-upload-name',
  ])('removes the annotation %s and keeps others', async (annotation) => {
    const output = await runAction(pvcAction, claim({ [annotation]: 'yes', 'example.com/team': 'shop' }));
    expect(output.item).toEqual(claim({ 'example.com/team': 'shop' }));
  });

  it('leaves out annotations where none is left', async () => {
    const output = await runAction(pvcAction, claim({ 'pv.kubernetes.io/bind-completed': 'yes' }));
    expect(output.item).toEqual(claim(undefined));
  });

  it('has nothing to do with a node mapping: the selected node always goes', async () => {
    const config: JsonObject = {
      metadata: {
        name: 'nodes',
        labels: { 'velero.io/plugin-config': '', 'velero.io/change-pvc-node-selector': 'RestoreItemAction' },
      },
      data: { n1: 'n2' },
    };
    const output = await runAction(pvcAction, claim({ 'volume.kubernetes.io/selected-node': 'n1' }), {
      cluster: { 'configmaps velero': [config] },
    });
    expect(output.item).toEqual(claim(undefined));
  });

  it('asks for the volume of the claim in the backup, whose status the item has lost', async () => {
    const item = claim(undefined, { volumeName: 'vol-1' });
    const output = await runAction(pvcAction, item, { itemFromBackup: { ...item, status: { phase: 'Bound' } } });
    expect(output.additionalItems).toEqual([
      { group: '', resource: 'persistentvolumes', namespace: '', name: 'vol-1' },
    ]);
    expect(output.item).toEqual(item);
  });

  it.each([
    ['not bound', { spec: { volumeName: 'vol-1' }, status: { phase: 'Pending' } }],
    ['without volume name', { spec: {}, status: { phase: 'Bound' } }],
  ])('asks for nothing for a claim %s', async (_, itemFromBackup) => {
    expect((await runAction(pvcAction, claim(undefined), { itemFromBackup })).additionalItems).toEqual([]);
  });

  it('refuses annotations that are no object', async () => {
    await expect(runAction(pvcAction, { metadata: { annotations: ['a'] } })).rejects.toThrow(
      'metadata.annotations: expected an object, found a list',
    );
  });
});
