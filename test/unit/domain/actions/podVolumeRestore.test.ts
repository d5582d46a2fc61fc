import { describe, expect, it } from '@jest/globals';
import { podVolumeRestoreAction } from '../../../../domain/actions/podVolumeRestore.ts';
import { getArray, getIn, type JsonObject, setIn } from '../../../../domain/json.ts';
import { item } from '../support/items.ts';
import { MemoryObjects, pluginConfigMap, runAction } from './runAction.ts';

const NAME = 'velero.io/pod-volume-restore';

const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  item('v1', 'Pod', 'ns-1/web', { metadata, spec: { containers: [{ name: 'main' }], ...spec } });

const backupOf = (
  volume: string,
  content: { pod?: string; namespace?: string; snapshotID?: string } = {},
): JsonObject =>
  item('velero.io/v1', 'PodVolumeBackup', `velero/${volume}`, {
    spec: {
      pod: { name: content.pod ?? 'web', namespace: content.namespace ?? 'ns-1' },
      volume,
      uploaderType: 'kopia',
    },
    status: { snapshotID: content.snapshotID ?? 'k1' },
  });

const server = item('apps/v1', 'Deployment', 'velero/velero', {
  spec: { template: { spec: { containers: [{ image: 'registry.example.com:5000/velero/velero:v1.18.3' }] } } },
});
const cluster = (config?: Record<string, string>): Record<string, JsonObject[]> => ({
  'deployments.apps velero': [server],
  ...(config === undefined ? {} : { 'configmaps velero': [pluginConfigMap(NAME, config)] }),
});

async function initContainers(
  one: JsonObject,
  backups: JsonObject[],
  config?: Record<string, string>,
): Promise<unknown[]> {
  const { item: restored } = await runAction(podVolumeRestoreAction, one, {
    objects: new MemoryObjects(backups),
    cluster: cluster(config),
  });
  return getArray(restored, ['spec', 'initContainers']) ?? [];
}

async function waitContainer(one: JsonObject, config?: Record<string, string>): Promise<JsonObject> {
  return (await initContainers(one, [backupOf('files')], config))[0] as JsonObject;
}

describe(NAME, () => {
  it('lets a pod with pod volume backups wait', async () => {
    expect(await initContainers(pod({ initContainers: [{ name: 'own' }] }), [backupOf('b'), backupOf('a')])).toEqual([
      {
        name: 'restore-wait',
        image: 'registry.example.com:5000/velero/velero:v1.18.3',
        command: ['/velero-restore-helper'],
        args: ['owner-uid'],
        env: [
          { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
        volumeMounts: [
          { name: 'a', mountPath: '/restores/a' },
          { name: 'b', mountPath: '/restores/b' },
        ],
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '100m', memory: '128Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          seccompProfile: { type: 'RuntimeDefault' },
          runAsUser: 1000,
          runAsNonRoot: true,
        },
      },
      { name: 'own' },
    ]);
  });

  it.each<[string, JsonObject, JsonObject[]]>([
    ['no backups', pod(), []],
    ['backups of another pod', pod(), [backupOf('a', { pod: 'other' })]],
    ['backups of another namespace', pod(), [backupOf('a', { namespace: 'ns-2' })]],
    ['a backup without a snapshot', pod(), [backupOf('a', { snapshotID: '' })]],
    ['a projected volume', pod({ volumes: [{ name: 'a', projected: {} }] }), [backupOf('a')]],
    ['a downwardAPI volume', pod({ volumes: [{ name: 'a', downwardAPI: {} }] }), [backupOf('a')]],
  ])('leaves a pod as it is: %s', async (_, one, backups) => {
    expect(
      (await runAction(podVolumeRestoreAction, one, { objects: new MemoryObjects(backups), cluster: cluster() })).item,
    ).toEqual(one);
  });

  it('looks for the namespace of the backup, whatever the mapping', async () => {
    const mapped = setIn(pod(), ['metadata', 'namespace'], 'mapped');
    const context = { itemFromBackup: pod(), objects: new MemoryObjects([backupOf('a')]), cluster: cluster() };

    expect(
      getArray((await runAction(podVolumeRestoreAction, mapped, context)).item, ['spec', 'initContainers']),
    ).toHaveLength(1);
  });

  it.each([
    ['alone', [{ name: 'restore-wait' }], undefined],
    ['of restic times, among others', [{ name: 'restic-wait' }, { name: 'own' }], [{ name: 'own' }]],
  ])('drops the wait of an earlier restore: %s', async (_, before, after) => {
    const { item: restored } = await runAction(podVolumeRestoreAction, pod({ initContainers: before }), {
      objects: new MemoryObjects(),
    });

    expect(getIn(restored, ['spec', 'initContainers'])).toEqual(after);
  });

  it('takes volumes from annotations only where there are no backups', async () => {
    const annotated = pod({}, { annotations: { 'snapshot.velero.io/old': 's1', 'snapshot.velero.io/': 's2' } });
    const mounts = async (backups: JsonObject[]): Promise<unknown> =>
      getIn((await initContainers(annotated, backups))[0] as JsonObject, ['volumeMounts']);

    expect(await mounts([])).toEqual([
      { name: '', mountPath: '/restores/' },
      { name: 'old', mountPath: '/restores/old' },
    ]);
    expect(await mounts([backupOf('new')])).toEqual([{ name: 'new', mountPath: '/restores/new' }]);
  });

  it.each([
    ['a whole name', 'r.example.com/helper:1', 'r.example.com/helper:1'],
    ['a registry with a port', 'r.example.com:5000/helper', 'r.example.com:5000/helper:v1.18.3'],
    ['no tag', 'r.example.com/x/helper', 'r.example.com/x/helper:v1.18.3'],
    ['no registry', 'helper:1', 'registry.example.com:5000/velero/velero:v1.18.3'],
  ])('takes the image from its ConfigMap: %s', async (_, image, expected) => {
    expect((await waitContainer(pod(), { image }))['image']).toBe(expected);
  });

  it('says where an image could come from where there is none', async () => {
    const context = { objects: new MemoryObjects([backupOf('a')]) };

    await expect(runAction(podVolumeRestoreAction, pod(), context)).rejects.toThrow(
      'there is no Deployment velero/velero whose image',
    );
  });

  it.each<[string, Record<string, string>, object]>([
    [
      'some',
      { cpuRequest: '50m', memLimit: '1Gi' },
      { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '100m', memory: '1Gi' } },
    ],
    [
      'zero leaves one out',
      { cpuLimit: '0', memRequest: '0' },
      { requests: { cpu: '100m' }, limits: { memory: '128Mi' } },
    ],
    [
      'no quantity means all defaults',
      { cpuRequest: 'much', memLimit: '1Gi' },
      { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '100m', memory: '128Mi' } },
    ],
    [
      'more than the limit means all defaults',
      { memRequest: '2Gi' },
      { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '100m', memory: '128Mi' } },
    ],
  ])('takes resources from its ConfigMap: %s', async (_, config, resources) => {
    expect((await waitContainer(pod(), config))['resources']).toEqual(resources);
  });

  it.each<[string, JsonObject, Record<string, string> | undefined, object]>([
    [
      'its ConfigMap',
      pod(),
      { secCtxRunAsUser: '7', secCtx: 'runAsUser: 8\nreadOnlyRootFilesystem: true\n' },
      { runAsUser: 8, readOnlyRootFilesystem: true },
    ],
    [
      'the first container',
      pod({ containers: [{ name: 'main', securityContext: { runAsUser: 5 } }] }),
      undefined,
      { runAsUser: 5 },
    ],
    [
      'the first container where the ConfigMap cannot be read',
      pod({ containers: [{ name: 'main', securityContext: { runAsUser: 5 } }] }),
      { secCtxRunAsUser: 'me' },
      { runAsUser: 5 },
    ],
  ])('takes the security context of %s', async (_, one, config, expected) => {
    expect((await waitContainer(one, config))['securityContext']).toEqual(expected);
  });

  it.each<[string, JsonObject, object, boolean]>([
    ['user and group', { runAsUser: 7, runAsGroup: 8 }, { runAsUser: 7, runAsGroup: 8, runAsNonRoot: true }, true],
    ['root', { runAsUser: 0 }, { runAsUser: 0 }, false],
  ])('runs as the pod does: %s', async (_, securityContext, expected, hasNonRoot) => {
    const found = (await waitContainer(pod({ securityContext })))['securityContext'];

    expect(found).toMatchObject({ ...expected, allowPrivilegeEscalation: false });
    expect(Object.hasOwn(found as object, 'runAsNonRoot')).toBe(hasNonRoot);
  });
});
