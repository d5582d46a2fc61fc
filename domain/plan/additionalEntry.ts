import { createHash } from 'node:crypto';
import type { RestoreSpec } from '../restore/restore.ts';
import { toEntry } from './arrangePlan.ts';
import { type Draft, keyOf } from './draft.ts';
import { mapNamespace } from './mapNamespace.ts';
import { FIRST_INDEX_BESIDE_PLAN, type PlanEntry, type VolumeDecision } from './planEntry.ts';
import type { BackupItem } from './planSource.ts';

const HASH_DIGITS = 12;

/** Whether the index is that of an item which only an action asked for. */
export function isBesidePlan(index: number): boolean {
  return index >= FIRST_INDEX_BESIDE_PLAN;
}

/**
 * The index of an item beside the plan: the same whoever asks for it, at whatever worker, without a word between them. Two items
 * of one restore share an index once in some 10^14 pairs.
 */
function indexBesidePlan(item: BackupItem): number {
  const hash = createHash('sha256').update(keyOf(item)).digest('hex').slice(0, HASH_DIGITS);
  return FIRST_INDEX_BESIDE_PLAN + Number.parseInt(hash, 16);
}

/** The entry of an item that the filters allow but that was not chosen (spec restore-pipeline.md §15). */
export function additionalEntry(
  spec: RestoreSpec,
  draft: Draft,
  volumes: ReadonlyMap<string, VolumeDecision | undefined>,
): PlanEntry {
  return { index: indexBesidePlan(draft), ...toEntry(spec, draft, volumes) };
}

/** The entry of the namespace that such an item goes to, where the plan does not make it. @param namespace original */
export function additionalNamespaceEntry(spec: RestoreSpec, namespace: string): PlanEntry {
  const item = { groupResource: 'namespaces', namespace: undefined, name: namespace };
  return {
    index: indexBesidePlan(item),
    groupResource: item.groupResource,
    apiVersion: 'v1',
    kind: 'Namespace',
    name: namespace,
    targetName: mapNamespace(spec, namespace),
  };
}

/** What becomes one and the same object in the cluster has one and the same text (spec restore-pipeline.md §11 step 5). */
export function targetKeyOf(
  entry: Pick<PlanEntry, 'apiVersion' | 'kind' | 'targetNamespace' | 'targetName' | 'name'>,
): string {
  return `${entry.apiVersion}/${entry.kind} ${entry.targetNamespace ?? ''}/${entry.targetName ?? entry.name}`;
}
