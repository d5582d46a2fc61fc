import { readVolumeSnapshots } from '../../adapters/storage/backupFiles.ts';
import { nativeVolumesFolder } from '../../domain/backup/layout.ts';
import type { ObjectStore } from '../../domain/backup/objectStore.ts';
import type { RestoreRecord } from '../../domain/contract.ts';
import { getString, type JsonObject } from '../../domain/json.ts';
import { renderJson } from '../../domain/jsonText.ts';
import { type KubernetesApi, KubernetesUnreachable } from '../../domain/kubernetes/api.ts';
import { itemsOf } from '../../domain/kubernetes/itemsOf.ts';
import { mapNamespace } from '../../domain/plan/mapNamespace.ts';
import type { PlanEntry } from '../../domain/plan/planEntry.ts';
import { restoreNameSelector } from '../../domain/restore/labels.ts';
import { hasEnded } from '../../domain/volumes/podVolumeState.ts';
import { volumeOfPod } from '../../domain/volumes/podVolumes.ts';
import { type ClaimName, type RestoredVolumes, restoreVolumeInfo } from '../../domain/volumes/restoreVolumeInfo.ts';
import { inParallel } from '../inParallel.ts';
import { locateServed } from '../locateServed.ts';
import { readStoredJson } from '../storedJson.ts';

const SUFFIX = '.json';

/**
 * The volume info file of a restore. What the cluster does not tell is left out: the file is for people, and never keeps a restore from ending.
 * @param created plan entries of the claims that the restore created.
 * @param hasVolumeWork whether anything was to be done with volumes beyond native snapshots.
 */
export async function gatherVolumeInfo(
  kubernetes: KubernetesApi,
  record: RestoreRecord,
  store: ObjectStore,
  created: readonly PlanEntry[],
  hasVolumeWork: boolean,
): Promise<string> {
  const nativeVolumes = await madeVolumes(store, record);
  const gatherer = new Gatherer(kubernetes, record);
  let found: RestoredVolumes = {
    podVolumes: [],
    csiClaims: [],
    dataDownloads: [],
    boundVolumes: new Map(),
    nativeVolumes,
  };
  try {
    if (hasVolumeWork || nativeVolumes.length > 0) {
      const { spec } = record.restore;
      const claims = created.map(({ namespace, name }): ClaimName => {
        return { namespace: mapNamespace(spec, namespace) ?? '', name };
      });
      found = { ...(await gatherer.gather(claims)), nativeVolumes };
    }
  } catch (error) {
    if (!(error instanceof KubernetesUnreachable)) throw error;
  }
  return `${renderJson(restoreVolumeInfo(found))}\n`;
}

/** Volumes that were made from native snapshots, from the work store. */
async function madeVolumes(store: ObjectStore, record: RestoreRecord): Promise<RestoredVolumes['nativeVolumes']> {
  const folder = nativeVolumesFolder(record.restore);
  const made: { readonly name: string; readonly volume: string }[] = [];
  for await (const { key } of store.list(folder)) {
    if (!key.endsWith(SUFFIX)) continue;
    const content = (await readStoredJson<{ volumeId?: string; newName?: string }>(store, key)) ?? {};
    const name = key.slice(folder.length, -SUFFIX.length);
    if (content.volumeId !== undefined) made.push({ name, volume: content.newName ?? name });
  }
  if (made.length === 0) return [];
  const snapshots = await readVolumeSnapshots(store, record.backup.name);
  return made.flatMap(({ name, volume }) => {
    const snapshot = snapshots.find(({ spec }) => spec.persistentVolumeName === name);
    return snapshot === undefined ? [] : [{ volume, snapshot }];
  });
}

class Gatherer {
  private readonly kubernetes: KubernetesApi;
  private readonly record: RestoreRecord;

  constructor(kubernetes: KubernetesApi, record: RestoreRecord) {
    this.kubernetes = kubernetes;
    this.record = record;
  }

  async gather(claims: readonly ClaimName[]): Promise<Omit<RestoredVolumes, 'nativeVolumes'>> {
    const csiClaims: { readonly claim: ClaimName; readonly snapshot: JsonObject }[] = [];
    const boundVolumes = new Map<string, string>();
    const found = await inParallel(claims, async (claim) => ({
      claim,
      live: await this.get('persistentvolumeclaims', claim.namespace, claim.name),
    }));
    for (const { claim, live } of found) {
      const volume = getString(live, ['spec', 'volumeName']) ?? '';
      if (getString(live, ['status', 'phase']) === 'Bound' && volume !== '') {
        boundVolumes.set(`${claim.namespace}/${claim.name}`, volume);
      }
      if (getString(live, ['spec', 'dataSource', 'kind']) !== 'VolumeSnapshot') continue;
      const name = getString(live, ['spec', 'dataSource', 'name']) ?? '';
      const snapshot = await this.get('volumesnapshots.snapshot.storage.k8s.io', claim.namespace, name);
      if (snapshot !== undefined) csiClaims.push({ claim, snapshot });
    }
    const dataDownloads = await this.list('datadownloads.velero.io');
    return { podVolumes: await this.podVolumes(), csiClaims, dataDownloads, boundVolumes };
  }

  private async podVolumes(): Promise<RestoredVolumes['podVolumes']> {
    const found: { readonly podVolumeRestore: JsonObject; readonly claim: ClaimName | undefined }[] = [];
    for (const podVolumeRestore of await this.list('podvolumerestores.velero.io')) {
      if (!hasEnded(podVolumeRestore)) continue;
      const namespace = getString(podVolumeRestore, ['spec', 'pod', 'namespace']) ?? '';
      const pod = await this.get('pods', namespace, getString(podVolumeRestore, ['spec', 'pod', 'name']) ?? '');
      const volume = volumeOfPod(pod ?? {}, getString(podVolumeRestore, ['spec', 'volume']) ?? '');
      const name = getString(volume, ['persistentVolumeClaim', 'claimName']);
      found.push({ podVolumeRestore, claim: name === undefined ? undefined : { namespace, name } });
    }
    return found;
  }

  /** Velero's objects of this restore. */
  private async list(resource: string): Promise<JsonObject[]> {
    const { restore } = this.record;
    const location = await locateServed(this.kubernetes, resource, restore.namespace);
    if (location === undefined) return [];
    const labelSelector = restoreNameSelector(restore.name);
    const result = await this.kubernetes.list(location, { labelSelector });
    return result.ok ? itemsOf(result.object) : [];
  }

  private async get(resource: string, namespace: string, name: string): Promise<JsonObject | undefined> {
    const location = name === '' ? undefined : await locateServed(this.kubernetes, resource, namespace);
    if (location === undefined) return undefined;
    const result = await this.kubernetes.get({ ...location, name });
    return result.ok ? result.object : undefined;
  }
}
