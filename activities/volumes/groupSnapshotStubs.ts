import { VOLUME_SNAPSHOT_CONTENTS } from '../../domain/actions/csiNames.ts';
import { GROUP_SNAPSHOT_CONTENTS } from '../../domain/actions/groupSnapshotStub.ts';
import type { RestoreRecord } from '../../domain/contract.ts';
import { getString, type JsonObject } from '../../domain/json.ts';
import type { KubernetesApi, ResourceLocation } from '../../domain/kubernetes/api.ts';
import { itemsOf } from '../../domain/kubernetes/itemsOf.ts';
import { restoreNameSelector, toLabelValue } from '../../domain/restore/labels.ts';
import type { Message } from '../../domain/results/outcome.ts';
import { stubHasServed } from '../../domain/volumes/groupSnapshotCleanup.ts';
import { throwUnlessRefused } from '../infrastructureFault.ts';
import { locateServed } from '../locateServed.ts';
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
    const stubs = await locateServed(this.kubernetes, GROUP_SNAPSHOT_CONTENTS);
    if (stubs === undefined || toLabelValue(restore.name) !== restore.name) return [];
    const ours = await this.list(stubs, messages);
    if (ours.length === 0) return [];
    const snapshots = await locateServed(this.kubernetes, VOLUME_SNAPSHOT_CONTENTS);
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
      throwUnlessRefused(deleted);
      messages.push(warning(`failed to delete stub VolumeGroupSnapshotContent ${name}: ${deleted.message}`));
    }
    return awaited;
  }

  private async list(location: ResourceLocation, messages: Message[]): Promise<JsonObject[]> {
    const labelSelector = restoreNameSelector(this.record.restore.name);
    const result = await this.kubernetes.list(location, { labelSelector });
    if (result.ok) return itemsOf(result.object);
    throwUnlessRefused(result);
    messages.push(warning(`failed to list stub VolumeGroupSnapshotContents: ${result.message}`));
    return [];
  }
}

/** Velero files these under a namespace that is called "cluster"; here they are the cluster's. */
function warning(text: string): Message {
  return { level: 'warning', scope: 'cluster', text };
}
