import { readVolumeInfos } from '../../adapters/storage/backupFiles.ts';
import type { ObjectStore } from '../../domain/backup/objectStore.ts';
import type { RestoreRecord } from '../../domain/contract.ts';
import { FIELD_MANAGER } from '../../domain/item/fieldManager.ts';
import { getString, type JsonObject } from '../../domain/json.ts';
import type { KubernetesApi, ObjectLocation } from '../../domain/kubernetes/api.ts';
import { itemsOf } from '../../domain/kubernetes/itemsOf.ts';
import { mapNamespace } from '../../domain/plan/mapNamespace.ts';
import { restoreNameSelector } from '../../domain/restore/labels.ts';
import type { Message } from '../../domain/results/outcome.ts';
import {
  dataDownloadOf,
  type LiveVolume,
  type VolumeToPatch,
  volumePatchStep,
  volumesToPatch,
} from '../../domain/volumes/volumePatch.ts';
import { throwUnlessRefused } from '../infrastructureFault.ts';
import { inParallel } from '../inParallel.ts';
import { locateServed } from '../locateServed.ts';
import type { WorkStore } from '../workStore.ts';
import { createdClaims } from './createdClaims.ts';
import type { VolumeWork } from './settleVolumes.ts';

const CLAIMS = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
const VOLUMES = { group: '', version: 'v1', resource: 'persistentvolumes' };
const CLASSES = { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses' };

/** Volumes that were provisioned anew get policy and labels of those of the backup. */
export class VolumePatches implements VolumeWork {
  private readonly kubernetes: KubernetesApi;
  private readonly record: RestoreRecord;
  private readonly work: WorkStore;
  private readonly store: ObjectStore;
  private readonly deadlineMs: number;
  private left: VolumeToPatch[] | undefined;

  constructor(parts: {
    readonly kubernetes: KubernetesApi;
    readonly record: RestoreRecord;
    readonly work: WorkStore;
    readonly store: ObjectStore;
    /** When the waits began. */
    readonly sinceMs: number;
  }) {
    this.kubernetes = parts.kubernetes;
    this.record = parts.record;
    this.work = parts.work;
    this.store = parts.store;
    this.deadlineMs = parts.sinceMs + parts.record.options.resourceTimeoutMs;
  }

  async look(messages: Message[]): Promise<readonly string[]> {
    this.left ??= await this.wanted();
    const awaited: string[] = [];
    const left: VolumeToPatch[] = [];
    const downloads = this.left.length === 0 ? [] : await this.dataDownloads();
    const looked = await inParallel(this.left, async (one) => ({
      one,
      waitsFor: await this.lookAt(one, downloads, messages),
    }));
    for (const { one, waitsFor } of looked) {
      if (waitsFor === undefined) continue;
      if (Date.now() > this.deadlineMs) {
        messages.push(failed(one, `timed out waiting for ${waitsFor}`));
        continue;
      }
      left.push(one);
      awaited.push(waitsFor);
    }
    this.left = left;
    return awaited;
  }

  private async wanted(): Promise<VolumeToPatch[]> {
    const infos = await readVolumeInfos(this.store, this.record.backup.name);
    const provisioned = infos.filter(({ pvInfo }) => pvInfo !== undefined);
    if (provisioned.length === 0) return [];
    const claims = new Set((await createdClaims(this.work)).map(({ namespace = '', name }) => `${namespace}/${name}`));
    return volumesToPatch(
      provisioned,
      (namespace, claim) => claims.has(`${namespace}/${claim}`),
      (namespace) => mapNamespace(this.record.restore.spec, namespace) ?? namespace,
    );
  }

  /** @returns what is awaited; undefined where there is nothing left to do. */
  private async lookAt(
    wanted: VolumeToPatch,
    downloads: readonly JsonObject[],
    messages: Message[],
  ): Promise<string | undefined> {
    const live = await this.read(wanted);
    const step = volumePatchStep(wanted, { ...live, dataDownload: dataDownloadOf(wanted, downloads) });
    switch (step.step) {
      case 'wait':
        return step.awaited;
      case 'done':
        return undefined;
      case 'error':
        messages.push(failed(wanted, step.text));
        return undefined;
      case 'patch': {
        const location = { ...VOLUMES, name: step.volume };
        const result = await this.kubernetes.patch(location, step.patch, {
          type: 'merge',
          fieldManager: FIELD_MANAGER,
        });
        if (result.ok) return undefined;
        throwUnlessRefused(result);
        messages.push(failed(wanted, result.message));
        return undefined;
      }
    }
  }

  private async read({ namespace, claim }: VolumeToPatch): Promise<LiveVolume> {
    const live = await this.get({ ...CLAIMS, namespace, name: claim });
    const storageClass = getString(live, ['spec', 'storageClassName']) ?? '';
    const volume = getString(live, ['spec', 'volumeName']) ?? '';
    return {
      claim: live,
      storageClass: storageClass === '' ? undefined : await this.get({ ...CLASSES, name: storageClass }),
      volume: volume === '' ? undefined : await this.get({ ...VOLUMES, name: volume }),
    };
  }

  /** Those of the restore; the operations that they carry out have ended by now. */
  private async dataDownloads(): Promise<JsonObject[]> {
    const { namespace, name } = this.record.restore;
    const location = await locateServed(this.kubernetes, 'datadownloads.velero.io', namespace);
    if (location === undefined) return [];
    const labelSelector = restoreNameSelector(name);
    const result = await this.kubernetes.list(location, { labelSelector });
    if (result.ok) return itemsOf(result.object);
    throwUnlessRefused(result);
    return [];
  }

  private async get(location: ObjectLocation): Promise<JsonObject | undefined> {
    const result = await this.kubernetes.get(location);
    if (result.ok) return result.object;
    throwUnlessRefused(result);
    return undefined;
  }
}

function failed({ namespace, claim }: VolumeToPatch, reason: string): Message {
  return { level: 'error', scope: { namespace }, text: `fail to patch dynamic PV, err: ${reason}, PVC: ${claim}` };
}
