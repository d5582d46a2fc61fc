import type { ActionObjects } from '../../domain/actions/actionObjects.ts';
import { ItemError } from '../../domain/item/itemError.ts';
import type { ItemContext } from '../../domain/item/prepareItem.ts';
import { getString, type JsonObject } from '../../domain/json.ts';
import type { PlanEntry } from '../../domain/plan/planEntry.ts';
import type { Message, Outcome } from '../../domain/results/outcome.ts';
import { POD_VOLUME_RESTORES, podVolumeRestore } from '../../domain/volumes/podVolumeRestore.ts';
import { podVolumesOf, volumeOfPod } from '../../domain/volumes/podVolumes.ts';

type Result = Omit<Outcome, 'index' | 'at'>;

/**
 * Asks the node agents for the volumes of a pod that was just created (spec restore-pipeline.md §21, R-100, R-101). They are awaited beside the other items; what goes
 * wrong is an error of the restore. Doing it again changes nothing.
 * @param live the pod as it was created; undefined where this restore did not.
 */
export async function withPodVolumes(
  { restore, backup, objects }: Pick<ItemContext, 'restore' | 'backup' | 'objects'>,
  { groupResource, namespace = '' }: Pick<PlanEntry, 'groupResource' | 'namespace'>,
  live: JsonObject | undefined,
  result: Result,
): Promise<Result> {
  if (live === undefined || objects === undefined || groupResource !== 'pods' || result.action !== 'created')
    return result;
  const volumes = podVolumesOf(live, namespace, await objects.podVolumeBackups());
  if (volumes.length === 0) return result;
  const messages: Message[] = [];
  const pod = `${getString(live, ['metadata', 'namespace']) ?? ''}/${getString(live, ['metadata', 'name']) ?? ''}`;
  try {
    await checkNodeAgent(objects, restore.namespace, pod);
    const owner = await objects.owner();
    for (const volume of volumes) {
      const claim = await claimOf(objects, live, volume.volume);
      const options = { owner, sourceNamespace: namespace, claim };
      const wanted = podVolumeRestore(restore, backup, live, volume, options);
      await objects.create(POD_VOLUME_RESTORES, restore.namespace, wanted);
    }
  } catch (error) {
    if (!(error instanceof ItemError)) throw error;
    messages.push({ level: 'error', scope: 'velero', text: error.message });
  }
  return messages.length === 0 ? result : { ...result, messages: [...(result.messages ?? []), ...messages] };
}

async function checkNodeAgent(objects: ActionObjects, namespace: string, pod: string): Promise<void> {
  if ((await objects.get('daemonsets.apps', namespace, 'node-agent')) !== undefined) return;
  throw new ItemError(
    `error to check node agent status: daemonset not found: pod ${pod} has volumes to be restored by Velero's node agent, and there is no DaemonSet ${namespace}/node-agent`,
  );
}

async function claimOf(objects: ActionObjects, pod: JsonObject, volume: string): Promise<JsonObject | undefined> {
  const name = getString(volumeOfPod(pod, volume), ['persistentVolumeClaim', 'claimName']);
  if (name === undefined) return undefined;
  const namespace = getString(pod, ['metadata', 'namespace']);
  const claim = await objects.get('persistentvolumeclaims', namespace, name);
  if (claim !== undefined) return claim;
  throw new ItemError(
    `error getting persistent volume claim for volume: persistentvolumeclaims ${JSON.stringify(name)} not found`,
  );
}
