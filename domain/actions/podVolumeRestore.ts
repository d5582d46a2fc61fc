import { getArray, getObject, getString, isObject, type JsonObject, setIn, withoutKeys } from '../json.ts';
import { podVolumesOf } from '../volumes/podVolumes.ts';
import { type RestoreItemAction, type RestoreItemActionInput, updated } from './action.ts';
import { ActionError } from './actionError.ts';
import { readList, readString } from './itemFields.ts';
import { readPluginConfig } from './pluginConfig.ts';
import { waitContainerResources, waitContainerSecurity } from './waitContainer.ts';

const NAME = 'velero.io/pod-volume-restore';
const WAIT_CONTAINER = 'restore-wait';
const WAIT_CONTAINERS: readonly string[] = [WAIT_CONTAINER, 'restic-wait'];
const DEFAULT_COMMAND = '/velero-restore-helper';
const INIT_CONTAINERS = ['spec', 'initContainers'];

/**
 * Lets a pod wait in an init container until node agents have brought back its volumes, and drops the one of an earlier restore (spec item-actions.md §5.12). The
 * helper's image is that of the Velero server in Velero's namespace, or the one of the plugin ConfigMap. Where filters leave claims or volumes out nothing will be
 * brought back, and the pod does not wait; in Velero it does, for good.
 * @throws ActionError where neither gives an image.
 */
export const podVolumeRestoreAction: RestoreItemAction = {
  name: NAME,
  appliesTo: { includedResources: ['pods'] },
  async execute(input) {
    const { item, itemFromBackup, objects } = input;
    const pod = withoutWaitContainers(item);
    const namespace = readString(itemFromBackup, ['metadata', 'namespace']) ?? '';
    const volumes = objects === undefined ? [] : podVolumesOf(pod, namespace, await objects.podVolumeBackups());
    if (objects === undefined || volumes.length === 0) return updated(pod);
    const config = await readPluginConfig(input, NAME);
    const container: JsonObject = {
      name: WAIT_CONTAINER,
      image: await imageOf(config['image'] ?? '', input),
      command: [config['command'] === undefined || config['command'] === '' ? DEFAULT_COMMAND : config['command']],
      // The node agent knows the restore by its owner's uid.
      args: [readString(await objects.owner(), ['uid']) ?? ''],
      env: [fieldVariable('POD_NAMESPACE', 'metadata.namespace'), fieldVariable('POD_NAME', 'metadata.name')],
      volumeMounts: volumes.map(({ volume }) => ({ name: volume, mountPath: `/restores/${volume}` })),
      resources: waitContainerResources(config),
      securityContext: waitContainerSecurity(config, pod),
    };
    return updated(setIn(pod, INIT_CONTAINERS, [container, ...(getArray(pod, INIT_CONTAINERS) ?? [])]));
  },
};

function withoutWaitContainers(pod: JsonObject): JsonObject {
  const containers = readList(pod, INIT_CONTAINERS) ?? [];
  const kept = containers.filter((one) => !WAIT_CONTAINERS.includes(getString(one, ['name']) ?? ''));
  if (kept.length === containers.length) return pod;
  if (kept.length > 0) return setIn(pod, INIT_CONTAINERS, kept);
  return { ...pod, spec: withoutKeys(getObject(pod, ['spec']) ?? {}, ['initContainers']) };
}

function fieldVariable(name: string, fieldPath: string): JsonObject {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

/** A name without a registry does not count; one without a tag gets the tag of the server, as in Velero. */
async function imageOf(configured: string, { restore, cluster }: RestoreItemActionInput): Promise<string> {
  const last = configured.split('/').at(-1) ?? '';
  if (configured.includes('/') && last.includes(':')) return configured;
  const server = await cluster.get('deployments.apps', restore.namespace, 'velero');
  const [first] = getArray(server, ['spec', 'template', 'spec', 'containers']) ?? [];
  const serverImage = (isObject(first) ? readString(first, ['image']) : undefined) ?? '';
  if (configured.includes('/')) return `${configured}:${tagOf(serverImage)}`;
  if (serverImage !== '') return serverImage;
  throw new ActionError(
    'VolumeDataMissing',
    `the pod has volumes to be restored by a node agent, and there is no Deployment ${restore.namespace}/velero whose image its helper could take: name one in the plugin ConfigMap of ${NAME} (image: <registry>/<name>:<tag>)`,
  );
}

function tagOf(image: string): string {
  const last = image.split('/').at(-1) ?? '';
  const colon = last.indexOf(':');
  return colon < 0 ? 'latest' : last.slice(colon + 1).replace(/@.*$/, '');
}
