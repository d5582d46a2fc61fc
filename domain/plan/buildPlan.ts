import { builtInAdditionalItems } from '../actions/additionalItems.ts';
import { parseItem } from '../backup/parseItem.ts';
import { isCompleted, isMirrorPod } from '../item/completed.ts';
import { getStringMap, type JsonObject } from '../json.ts';
import { formatGroupResource } from '../kubernetes/groupResource.ts';
import type { ResourceTable } from '../kubernetes/resourceTable.ts';
import type { RestoreSpec } from '../restore/restore.ts';
import { itemScope, type Message } from '../results/outcome.ts';
import { arrangePlan, type Plan } from './arrangePlan.ts';
import { resourcesOfDefinition } from './backupResources.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, type Draft, draftOf, keyOf } from './draft.ts';
import { mapNamespace } from './mapNamespace.ts';
import { planNamespaces } from './namespaces.ts';
import type { BackupVolumes } from './persistentVolume.ts';
import { type BackupItem, itemPath, type PlanSource } from './planSource.ts';
import type { ResourcePriorities } from './priorities.ts';
import { Selection } from './selection.ts';
import { waveResources } from './waves.ts';

export interface PlanRequest {
  readonly spec: RestoreSpec;
  readonly source: PlanSource;
  readonly volumes: BackupVolumes;
  /** What the target API server serves now. */
  readonly table: ResourceTable;
  readonly priorities: ResourcePriorities;
  readonly order: 'waves' | 'strict';
}

/**
 * Plans a restore: chooses the items of the backup, completes them with what the built-in actions will ask for, decides all that
 * the backup alone can decide, and puts them into waves (design §2; spec restore-pipeline.md §8, §9, §12, §15). Every fault of
 * an item or filter becomes a message; nothing but the source's own I/O errors throws.
 */
export async function buildPlan(request: PlanRequest): Promise<Plan> {
  const { source, spec } = request;
  const messages: Message[] = source.warnings.map((text) => ({ level: 'warning', scope: 'velero', text }));
  if (!source.hasResources) {
    messages.push({
      level: 'warning',
      scope: 'velero',
      text: 'zero items to be restored: directory "resources": does not exist',
    });
    return { entries: [], waves: [], messages };
  }

  const table = await tableWithBackup(request);
  const selection = new Selection(spec, table);
  const drafts = await chooseItems(request, selection, messages);
  await addAdditionalItems(request, selection, drafts, messages);

  const resources = new Set(Array.from(source.entries(), (item) => item.groupResource));
  const waves = waveResources(request.priorities, resources, table, request.order);
  const namespaces = planNamespaces({ spec, source, selection, drafts: drafts.values() });
  messages.push(...namespaces.messages);
  const plan = arrangePlan(spec, waves, drafts.values(), namespaces.entries);
  return { ...plan, messages: [...messages, ...plan.messages] };
}

/** The target's resources and those that the backup's own definitions will add. */
async function tableWithBackup({ source, table }: PlanRequest): Promise<ResourceTable> {
  const definitions = [...source.entries()].filter((item) => item.groupResource === CUSTOM_RESOURCE_DEFINITIONS);
  const found = [];
  for await (const read of source.readItems(definitions)) {
    if (!('text' in read)) continue;
    try {
      found.push(...resourcesOfDefinition(parseItem(read.text, itemPath(read.item))));
    } catch {
      // An unreadable definition is reported where it is chosen to be restored.
    }
  }
  return table.withResources(found);
}

class Drafts extends Map<string, Draft> {
  /** Identifiers that chosen items ask for, with the one who asks. */
  readonly wanted: { readonly item: BackupItem; readonly action: string; readonly parent: string }[] = [];
}

async function chooseItems(request: PlanRequest, selection: Selection, messages: Message[]): Promise<Drafts> {
  const candidates = [...request.source.entries()].filter(
    (item) => item.groupResource !== 'namespaces' && selection.selects(item.groupResource, item.namespace),
  );
  const drafts = new Drafts();
  await readInto(request, drafts, candidates, messages, selection);
  return drafts;
}

/** Depth first is not needed here: order is that of the waves, so what is asked for may be added level by level. */
async function addAdditionalItems(
  request: PlanRequest,
  selection: Selection,
  drafts: Drafts,
  messages: Message[],
): Promise<void> {
  const asked = new Set<string>();
  while (drafts.wanted.length > 0) {
    const batch: BackupItem[] = [];
    for (const { item, action, parent } of drafts.wanted.splice(0)) {
      const key = keyOf(item);
      const isNew = !asked.has(key);
      asked.add(key);
      if (!request.source.has(item.groupResource, item.namespace, item.name)) {
        const scope = itemScope(item.namespace);
        messages.push({
          level: 'warning',
          scope,
          text: `additional item ${itemPath(item)} of ${parent} (${action}) is not in the backup`,
        });
        continue;
      }
      if (isNew && !drafts.has(key) && selection.allowsAdditional(item.groupResource, item.namespace)) batch.push(item);
    }
    await readInto(request, drafts, batch, messages, undefined);
  }
}

/** Reads items and adds those that match; `selection` is left out for items that labels must not keep away. */
async function readInto(
  request: PlanRequest,
  drafts: Drafts,
  items: readonly BackupItem[],
  messages: Message[],
  selection: Selection | undefined,
): Promise<void> {
  for await (const read of request.source.readItems(items)) {
    const { item } = read;
    const scope = itemScope(mapNamespace(request.spec, item.namespace));
    if ('error' in read) {
      messages.push({ level: 'error', scope, text: read.error });
      continue;
    }
    try {
      const object = parseItem(read.text, itemPath(item));
      const matches = selection?.isMustHave(item.groupResource) === true ? undefined : selection?.matchesLabels;
      if (matches !== undefined && !matches(getStringMap(object, ['metadata', 'labels']))) continue;
      drafts.set(keyOf(item), draftOf(request.spec, request.volumes, item, object));
      wantAdditionalItems(drafts, item, object);
    } catch (error) {
      messages.push({ level: 'error', scope, text: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** Items that end before their actions run ask for nothing. */
function wantAdditionalItems(drafts: Drafts, item: BackupItem, object: JsonObject): void {
  if (isCompleted(item.groupResource, object) || isMirrorPod(item.groupResource, object)) return;
  const parent = itemPath(item);
  for (const { action, items } of builtInAdditionalItems(item.groupResource, object)) {
    for (const { group, resource, namespace, name } of items) {
      const groupResource = formatGroupResource({ group, resource });
      drafts.wanted.push({
        item: { groupResource, namespace: namespace === '' ? undefined : namespace, name },
        action,
        parent,
      });
    }
  }
}
