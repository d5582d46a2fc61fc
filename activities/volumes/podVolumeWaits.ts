import type { RestoreRecord } from '../../domain/contract.ts';
import { parseGoDuration } from '../../domain/go/duration.ts';
import { FIELD_MANAGER } from '../../domain/item/fieldManager.ts';
import { getString, type JsonObject } from '../../domain/json.ts';
import type { KubernetesApi, ResourceLocation } from '../../domain/kubernetes/api.ts';
import { itemsOf } from '../../domain/kubernetes/itemsOf.ts';
import { restoreNameSelector } from '../../domain/restore/labels.ts';
import type { Message } from '../../domain/results/outcome.ts';
import { describePodVolume, podVolumeEnd, runsNodeAgent } from '../../domain/volumes/podVolumeState.ts';
import { throwUnlessRefused } from '../infrastructureFault.ts';
import { inParallel } from '../inParallel.ts';
import type { VolumeWork } from './settleVolumes.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const RESTORES = { group: 'velero.io', version: 'v1', resource: 'podvolumerestores' };

/** Volumes of pods that node agents bring back; each has its own limit, and none holds up another. */
export class PodVolumeWaits implements VolumeWork {
  private readonly kubernetes: KubernetesApi;
  private readonly record: RestoreRecord;
  /** Those that ended, and those of pods on whose node no agent runs. */
  private readonly ended = new Set<string>();

  constructor(kubernetes: KubernetesApi, record: RestoreRecord) {
    this.kubernetes = kubernetes;
    this.record = record;
  }

  async look(messages: Message[]): Promise<readonly string[]> {
    const { restore } = this.record;
    if ((await this.kubernetes.discover()).resolve('podvolumerestores.velero.io') === undefined) return [];
    const labelSelector = restoreNameSelector(restore.name);
    const all = await this.list({ ...RESTORES, namespace: restore.namespace }, labelSelector, messages);
    const waiting: JsonObject[] = [];
    for (const one of all) {
      const name = getString(one, ['metadata', 'name']) ?? '';
      if (this.ended.has(name)) continue;
      const end = podVolumeEnd(one, Date.now(), this.timeoutMs());
      if (end === undefined) {
        waiting.push(one);
        continue;
      }
      this.ended.add(name);
      if (end.error !== undefined) messages.push(velero(end.error));
    }
    return this.withAgents(waiting, messages);
  }

  /** A pod on a node without an agent waits in vain. */
  private async withAgents(waiting: readonly JsonObject[], messages: Message[]): Promise<string[]> {
    if (waiting.length === 0) return [];
    const { namespace } = this.record.restore;
    const agents = await this.list({ ...PODS, namespace }, 'role=node-agent', messages);
    const awaited: string[] = [];
    const onNodes = await inParallel(waiting, async (one) => ({ one, node: await this.nodeOf(one) }));
    for (const { one, node } of onNodes) {
      if (node === undefined || runsNodeAgent(agents, node)) {
        awaited.push(describePodVolume(one));
        continue;
      }
      this.ended.add(getString(one, ['metadata', 'name']) ?? '');
      messages.push(velero(`node-agent pod is not running in node ${node}: ${describePodVolume(one)} is not restored`));
      await this.cancel(one);
    }
    return awaited;
  }

  /** Undefined while the pod is not scheduled. */
  private async nodeOf(podVolumeRestore: JsonObject): Promise<string | undefined> {
    const namespace = getString(podVolumeRestore, ['spec', 'pod', 'namespace']);
    const name = getString(podVolumeRestore, ['spec', 'pod', 'name']) ?? '';
    const result = await this.kubernetes.get({ ...PODS, namespace, name });
    if (!result.ok) {
      throwUnlessRefused(result);
      return undefined;
    }
    return getString(result.object, ['spec', 'nodeName']);
  }

  /** An agent that comes up later must not write into a volume that counts as failed. */
  private async cancel(podVolumeRestore: JsonObject): Promise<void> {
    const name = getString(podVolumeRestore, ['metadata', 'name']) ?? '';
    const location = { ...RESTORES, namespace: this.record.restore.namespace, name };
    await this.kubernetes.patch(location, { spec: { cancel: true } }, { type: 'merge', fieldManager: FIELD_MANAGER });
  }

  private timeoutMs(): number {
    const annotation = this.record.restore.annotations?.['velero.io/pod-volume-timeout'];
    if (annotation === undefined) return this.record.options.fsBackupTimeoutMs;
    try {
      return parseGoDuration(annotation);
    } catch {
      return this.record.options.fsBackupTimeoutMs;
    }
  }

  private async list(location: ResourceLocation, labelSelector: string, messages: Message[]): Promise<JsonObject[]> {
    const result = await this.kubernetes.list(location, { labelSelector });
    if (result.ok) return itemsOf(result.object);
    throwUnlessRefused(result);
    messages.push(velero(`error listing ${location.resource}: ${result.message}`));
    return [];
  }
}

function velero(text: string): Message {
  return { level: 'error', scope: 'velero', text };
}
