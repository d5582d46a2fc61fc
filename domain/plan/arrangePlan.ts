import type { Wave } from '../contract.ts';
import type { RestoreSpec } from '../restore/restore.ts';
import { itemScope, type Message } from '../results/outcome.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, type Draft } from './draft.ts';
import { mapNamespace } from './mapNamespace.ts';
import type { PlanEntry, VolumeDecision } from './planEntry.ts';
import { type BackupItem, itemPath } from './planSource.ts';
import type { WaveResources } from './waves.ts';

export interface Plan {
  /** In order; `entries[i].index === i`. */
  readonly entries: readonly PlanEntry[];
  readonly waves: readonly Wave[];
  /** Warnings and errors that stand before the first item is restored. */
  readonly messages: readonly Message[];
}

function compareItems(a: BackupItem, b: BackupItem): number {
  const left = [a.namespace ?? '', a.name];
  const right = [b.namespace ?? '', b.name];
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at < 0) return 0;
  return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1;
}

/** Parts of a wave that must not overlap: services that ask for a port go before those that get one assigned. */
function splitWave(name: string, drafts: Draft[]): { readonly name: string; readonly drafts: readonly Draft[] }[] {
  const requesting = drafts.filter((one) => one.requestsPorts === true);
  if (requesting.length === 0 || requesting.length === drafts.length) return [{ name, drafts }];
  return [
    { name: `${name} with requested ports`, drafts: requesting },
    { name, drafts: drafts.filter((one) => one.requestsPorts !== true) },
  ];
}

/**
 * Puts drafts into waves and gives every entry its index. Two drafts that become the same object: the first in order wins, the other
 * is a warning.
 */
export function arrangePlan(
  spec: RestoreSpec,
  waves: readonly WaveResources[],
  drafts: Iterable<Draft>,
  namespaces: readonly Omit<PlanEntry, 'index'>[],
): Plan {
  const messages: Message[] = [];
  const byResource = new Map<string, Draft[]>();
  for (const one of drafts) {
    const group = byResource.get(one.groupResource);
    if (group === undefined) byResource.set(one.groupResource, [one]);
    else group.push(one);
  }
  const volumes = new Map((byResource.get('persistentvolumes') ?? []).map(({ name, volume }) => [name, volume]));

  const entries: PlanEntry[] = [];
  const planned: Wave[] = [];
  const targets = new Map<string, string>();

  const addWave = (name: string, kind: Wave['kind'], wave: Iterable<Omit<PlanEntry, 'index'>>): void => {
    const offset = entries.length;
    for (const entry of wave) {
      const target = `${entry.apiVersion}/${entry.kind} ${entry.targetNamespace ?? ''}/${entry.targetName ?? entry.name}`;
      const first = targets.get(target);
      if (first !== undefined) {
        messages.push({
          level: 'warning',
          scope: itemScope(entry.targetNamespace),
          text: `${itemPath({ ...entry, namespace: entry.namespace })} is not restored: ${first} becomes the same object`,
        });
        continue;
      }
      targets.set(target, itemPath({ ...entry, namespace: entry.namespace }));
      entries.push({ index: entries.length, ...entry });
    }
    if (entries.length > offset) planned.push({ name, kind, offset, length: entries.length - offset });
  };

  for (const { name, resources } of waves) {
    if (resources.includes('namespaces')) {
      addWave('namespaces', 'namespaces', namespaces);
      continue;
    }
    const ordered = resources.flatMap((resource) => (byResource.get(resource) ?? []).sort(compareItems));
    const kind = resources.includes(CUSTOM_RESOURCE_DEFINITIONS) ? 'customResourceDefinitions' : 'items';
    for (const part of splitWave(name, ordered)) {
      addWave(
        part.name,
        kind,
        part.drafts.map((one) => toEntry(spec, one, volumes)),
      );
    }
  }
  return { entries, waves: planned, messages };
}

/** What a claim has to know of the volume that it names. */
function claimOf(volume: VolumeDecision | undefined): Pick<PlanEntry, 'dropVolumeName' | 'nativeVolume'> {
  if (volume === 'provision') return { dropVolumeName: true };
  return volume === 'nativeSnapshot' ? { nativeVolume: true } : {};
}

/** What the plan holds of an item. @param volumes what becomes of the volumes, for the claims that name them. */
export function toEntry(
  spec: RestoreSpec,
  one: Draft,
  volumes: ReadonlyMap<string, VolumeDecision | undefined>,
): Omit<PlanEntry, 'index'> {
  const { groupResource, apiVersion, kind, namespace, name } = one;
  return {
    groupResource,
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace, targetNamespace: mapNamespace(spec, namespace) }),
    name,
    ...(one.versionDirectory === undefined ? {} : { versionDirectory: one.versionDirectory }),
    ...(one.volume === undefined ? {} : { volume: one.volume }),
    ...claimOf(volumes.get(one.claimedVolume ?? '')),
  };
}
