import { VOLUME_SNAPSHOT_CONTENTS } from '../../domain/actions/csiNames.ts';
import { GROUP_SNAPSHOT_CONTENTS } from '../../domain/actions/groupSnapshotStub.ts';
import type { RestoreRecord } from '../../domain/contract.ts';
import { getArray, getString, isObject, type JsonObject } from '../../domain/json.ts';
import type { KubernetesApi, ResourceLocation } from '../../domain/kubernetes/api.ts';
import { classifyFailure } from '../../domain/kubernetes/fault.ts';
import { toLabelValue } from '../../domain/restore/labels.ts';
import type { Message } from '../../domain/results/outcome.ts';
import { stubHasServed } from '../../domain/volumes/groupSnapshotCleanup.ts';
import { notReady } from '../infrastructureFault.ts';
import type { VolumeWork } from './settleVolumes.ts';

/** Stubs of group snapshots that the restore made: each goes when its members are ready. A cluster without group snapshots has none, and that is no warning. */
export class GroupSnapshotStubs implements VolumeWork {
  private readonly kubernetes: KubernetesApi;
  private readonly record: RestoreRecord;
  private readonly deadlineMs: number;

  constructor(kubernetes: KubernetesApi, record: RestoreRecord, sinceMs: number) {
    this.kubernetes = kubernetes;
    this.record = record;
    this.deadlineMs = sinceMs + record.options.resourceTimeoutMs;
  }

  async look(messages: Message[]): Promise<readonly string[]> {
    const { restore, options } = this.record;
    if (!options.features.includes('EnableCSI')) return [];
    const stubs = await this.locate(GROUP_SNAPSHOT_CONTENTS);
    if (stubs === undefined || toLabelValue(restore.name) !== restore.name) return [];
    const ours = await this.list(stubs, messages);
    if (ours.length === 0) return [];
    const snapshots = await this.locate(VOLUME_SNAPSHOT_CONTENTS);
    const contents = snapshots === undefined ? [] : await this.list(snapshots, messages);
    const awaited: string[] = [];
    for (const stub of ours) {
      const name = getString(stub, ['metadata', 'name']) ?? '';
      const hasServed = stubHasServed(stub, contents);
      if (!hasServed && Date.now() <= this.deadlineMs) {
        awaited.push(`snapshots of VolumeGroupSnapshotContent ${name} to be ready`);
        continue;
      }
      if (!hasServed) messages.push(warning(`timed out waiting for VSCs related to VGSC ${name}`));
      const deleted = await this.kubernetes.delete({ ...stubs, name });
      if (deleted.ok || deleted.status === 404) continue;
      if (classifyFailure(deleted) !== 'item') throw notReady(deleted);
      messages.push(warning(`failed to delete stub VolumeGroupSnapshotContent ${name}: ${deleted.message}`));
    }
    return awaited;
  }

  private async locate(resource: string): Promise<ResourceLocation | undefined> {
    const found = (await this.kubernetes.discover()).resolve(resource);
    return found === undefined ? undefined : { group: found.group, version: found.version, resource: found.resource };
  }

  private async list(location: ResourceLocation, messages: Message[]): Promise<JsonObject[]> {
    const labelSelector = `velero.io/restore-name=${this.record.restore.name}`;
    const result = await this.kubernetes.list(location, { labelSelector });
    if (result.ok) return (getArray(result.object, ['items']) ?? []).filter(isObject);
    if (classifyFailure(result) !== 'item') throw notReady(result);
    messages.push(warning(`failed to list stub VolumeGroupSnapshotContents: ${result.message}`));
    return [];
  }
}

/** Velero files these under a namespace that is called "cluster"; here they are the cluster's. */
function warning(text: string): Message {
  return { level: 'warning', scope: 'cluster', text };
}
