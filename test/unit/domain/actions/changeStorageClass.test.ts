import { describe, expect, it } from '@jest/globals';
import { changeStorageClassAction } from '../../../../domain/actions/changeStorageClass.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { pluginConfigMap, runAction } from './runAction.ts';

const NAME = 'velero.io/change-storage-class';
const BETA = 'volume.beta.kubernetes.io/storage-class';

function item(kind: string, storageClassName?: string): JsonObject {
  return {
    kind,
    metadata: { name: 'x', annotations: { [BETA]: 'slow' } },
    spec: { accessModes: ['ReadWriteOnce'], ...(storageClassName === undefined ? {} : { storageClassName }) },
  };
}

function statefulSet(...classes: (string | undefined)[]): JsonObject {
  return {
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: {
      replicas: 2,
      volumeClaimTemplates: classes.map((name, index) => ({
        metadata: { name: `t${index}` },
        spec: name === undefined ? {} : { storageClassName: name },
      })),
    },
  };
}

function context(data: Record<string, string>) {
  return {
    cluster: {
      'configmaps velero': [pluginConfigMap(NAME, data)],
      'storageclasses.storage.k8s.io': ['fast', 'spare'].map((name) => ({ metadata: { name } })),
    },
  };
}

const MAPPING = { slow: 'fast', old: 'spare', gone: 'missing', nameless: '' };

describe('velero.io/change-storage-class', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a claim', item('PersistentVolumeClaim', 'slow'), item('PersistentVolumeClaim', 'fast')],
    ['a volume', item('PersistentVolume', 'slow'), item('PersistentVolume', 'fast')],
    [
      'a claim without class, whatever its beta annotation',
      item('PersistentVolumeClaim'),
      item('PersistentVolumeClaim'),
    ],
    ['a claim with an empty class', item('PersistentVolumeClaim', ''), item('PersistentVolumeClaim', '')],
    ['a claim whose class is not mapped', item('PersistentVolumeClaim', 'fast'), item('PersistentVolumeClaim', 'fast')],
    [
      'a claim whose class is named like a property of objects',
      item('PersistentVolumeClaim', 'constructor'),
      item('PersistentVolumeClaim', 'constructor'),
    ],
    ['a StatefulSet without templates', statefulSet(), statefulSet()],
    ['a StatefulSet with one', statefulSet('slow'), statefulSet('fast')],
    ['a StatefulSet with several of the same class', statefulSet('slow', 'slow'), statefulSet('fast', 'fast')],
    [
      'a StatefulSet with different, unmapped and missing classes',
      statefulSet('old', 'other', undefined, 'slow'),
      statefulSet('spare', 'other', undefined, 'fast'),
    ],
  ])('%s', async (_, before, after) => {
    expect((await runAction(changeStorageClassAction, before, context(MAPPING))).item).toEqual(after);
  });

  it.each([
    ['there is no ConfigMap', []],
    ['its data is empty', [pluginConfigMap(NAME, {})]],
    ['it is of another plugin', [pluginConfigMap('velero.io/change-image-name', MAPPING)]],
  ])('leaves the item alone where %s', async (_, configMaps) => {
    const before = item('PersistentVolumeClaim', 'slow');
    const output = await runAction(changeStorageClassAction, before, { cluster: { 'configmaps velero': configMaps } });
    expect(output.item).toEqual(before);
  });

  it.each<[string, JsonObject]>([
    ['PersistentVolume', item('PersistentVolume', 'gone')],
    ['PersistentVolumeClaim', item('PersistentVolumeClaim', 'gone')],
    ['StatefulSet', statefulSet('slow', 'gone')],
  ])('fails a %s that is mapped to a missing class', async (_, before) => {
    await expect(runAction(changeStorageClassAction, before, context(MAPPING))).rejects.toMatchObject({
      type: 'StorageClassMissing',
      message: 'error getting storage class missing from API: storageclasses.storage.k8s.io "missing" not found',
    });
  });

  it('fails an item that is mapped to a class without a name, and asks the API server for none', async () => {
    const run = runAction(changeStorageClassAction, item('PersistentVolumeClaim', 'nameless'), context(MAPPING));
    await expect(run).rejects.toThrow('error getting storage class  from API: resource name may not be empty');
  });

  it('refuses two ConfigMaps', async () => {
    const configMaps = [pluginConfigMap(NAME, MAPPING, 'one'), pluginConfigMap(NAME, {}, 'two')];
    const run = runAction(changeStorageClassAction, item('PersistentVolume', 'slow'), {
      cluster: { 'configmaps velero': configMaps },
    });
    await expect(run).rejects.toMatchObject({ type: 'PluginConfigAmbiguous' });
  });

  it.each<[JsonObject, string]>([
    [
      { kind: 'PersistentVolume', spec: { storageClassName: 1 } },
      'spec.storageClassName: expected a string, found a number',
    ],
    [
      { kind: 'StatefulSet', spec: { volumeClaimTemplates: [{ spec: { storageClassName: [] } }] } },
      'spec.volumeClaimTemplates[0].spec.storageClassName: expected a string, found a list',
    ],
  ])('refuses %j', async (before, message) => {
    await expect(runAction(changeStorageClassAction, before, context(MAPPING))).rejects.toThrow(message);
  });
});
