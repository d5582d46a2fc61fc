import { builtInAdditionalItems, type CsiOptions } from '../actions/additionalItems.ts';
import { parseItem } from '../backup/parseItem.ts';
import { isCompleted, isMirrorPod } from '../item/completed.ts';
import { ItemError } from '../item/itemError.ts';
import { getStringMap, type JsonObject } from '../json.ts';
import { formatGroupResource } from '../kubernetes/groupResource.ts';
import { LabelSelectorError } from '../kubernetes/labelSelector.ts';
import type { ResourceTable } from '../kubernetes/resourceTable.ts';
import { messageOf } from '../messageOf.ts';
import type { RestoreSpec } from '../restore/restore.ts';
import { itemScope, type Message, type MessageScope } from '../results/outcome.ts';
import { arrangePlan, type Plan } from './arrangePlan.ts';
import { claimsWithoutVolume } from './claimsWithoutVolume.ts';
import { withDataUploadClaims } from './dataUploadClaims.ts';
import { type Draft, draftOf, keyOf } from './draft.ts';
import { mapNamespace } from './mapNamespace.ts';
import { planNamespaces } from './namespaces.ts';
import type { BackupVolumes } from './persistentVolume.ts';
import { type BackupItem, itemPath, type PlanSource } from './planSource.ts';
import type { ResourcePriorities } from './priorities.ts';
import { Selection } from './selection.ts';
import { tableWithBackup } from './tableWithBackup.ts';
import { waveResources } from './waves.ts';

export interface PlanRequest {
  readonly spec: RestoreSpec;
  readonly source: PlanSource;
  readonly volumes: BackupVolumes;
  /** What the target API server serves now. */
  readonly table: ResourceTable;
  readonly priorities: ResourcePriorities;
  readonly order: 'waves' | 'strict';
  /** Whether the CSI actions run; left out: they do not. */
  readonly csi?: CsiOptions | undefined;
  /** Folder of the version in which a resource's items are read (apiVersions.ts); left out: the unversioned items are. */
  readonly versionDirectory?: ((groupResource: string) => string | undefined) | undefined;
}

/**
 * Plans a restore: chooses the items of the backup, completes them with what the built-in actions will ask for, decides all that
 * the backup alone can decide, and puts them into waves (design §2; spec restore-pipeline.md §8, §9, §12, §15). Every fault of
 * an item or filter becomes a message; nothing but the source's own I/O errors throws.
 */
export async function buildPlan(requested: PlanRequest): Promise<Plan> {
  const { source, spec } = requested;
  const messages: Message[] = source.warnings.map((text) => ({ level: 'warning', scope: 'velero', text }));
  if (!source.hasResources) {
    messages.push({
      level: 'warning',
      scope: 'velero',
      text: 'zero items to be restored: directory "resources": does not exist',
    });
    return { entries: [], waves: [], messages };
  }

  const table = await tableWithBackup(source, requested.table);
  const selection = select(spec, table);
  if (selection instanceof LabelSelectorError) {
    // Velero's validation lets such a selector pass; its restore then ends with this error and nothing else (§6).
    messages.push({ level: 'error', scope: 'velero', text: selection.message });
    return { entries: [], waves: [], messages };
  }
  const drafts = new Drafts();
  const request = { ...requested, volumes: await withDataUploadClaims(source, requested.volumes) };
  await chooseItems(request, selection, drafts);
  await addAdditionalItems(request, selection, drafts);

  const resources = new Set(Array.from(source.entries(), (item) => item.groupResource));
  const waves = waveResources(request.priorities, resources, table, request.order);
  const namespaces = planNamespaces({ spec, source, selection, picked: drafts.namespaces, drafts: drafts.values() });
  const plan = arrangePlan(spec, waves, drafts.values(), namespaces.entries);
  const ofItems = [...drafts.messages, ...claimsWithoutVolume(spec, source, drafts)].sort(byText);
  return { ...plan, messages: [...messages, ...ofItems, ...namespaces.messages, ...plan.messages] };
}

function byText(a: Message, b: Message): number {
  if (a.text === b.text) return 0;
  return a.text < b.text ? -1 : 1;
}

function select(spec: RestoreSpec, table: ResourceTable): Selection | LabelSelectorError {
  try {
    return new Selection(spec, table);
  } catch (error) {
    if (error instanceof LabelSelectorError) return error;
    throw error;
  }
}

interface WantedItem {
  readonly item: BackupItem;
  readonly action: string;
  readonly parent: string;
  /** Filters of resources and namespaces do not keep it away. */
  readonly mustInclude: boolean;
}

/** What was chosen so far. Items are read in any order: whatever depends on it is put in order at the end. */
class Drafts extends Map<string, Draft> {
  /** Identifiers that chosen items ask for, with the one who asks. */
  readonly wanted: WantedItem[] = [];
  /** Names of Namespace objects that the filters pick: restored even if nothing is in them. */
  readonly namespaces = new Set<string>();
  /** Items that were read in vain and have their error. */
  readonly unreadable = new Set<string>();
  readonly messages: Message[] = [];

  isKnown(key: string): boolean {
    return this.has(key) || this.unreadable.has(key);
  }

  fail(item: BackupItem, scope: MessageScope, text: string): void {
    this.unreadable.add(keyOf(item));
    this.messages.push({ level: 'error', scope, text });
  }
}

async function chooseItems(request: PlanRequest, selection: Selection, drafts: Drafts): Promise<void> {
  const chosen = [...request.source.entries()].filter((item) => selection.selects(item.groupResource, item.namespace));
  const directories = request.versionDirectory;
  const candidates =
    directories === undefined
      ? chosen
      : chosen.map((item) => ({ ...item, versionDirectory: directories(item.groupResource) }));
  await readInto(request, drafts, candidates, selection);
}

/** Depth first is not needed here: order is that of the waves, so what is asked for may be added level by level. */
async function addAdditionalItems(request: PlanRequest, selection: Selection, drafts: Drafts): Promise<void> {
  const asked = new Set<string>();
  while (drafts.wanted.length > 0) {
    const batch: BackupItem[] = [];
    for (const { item, action, parent, mustInclude } of drafts.wanted.splice(0)) {
      const key = keyOf(item);
      const isNew = !asked.has(key);
      asked.add(key);
      if (!request.source.has(item)) {
        drafts.messages.push({
          level: 'warning',
          scope: itemScope(item.namespace),
          text: `additional item ${itemPath(item)} of ${parent} (${action}) is not in the backup`,
        });
        continue;
      }
      if (!isNew || drafts.isKnown(key)) continue;
      if (mustInclude || selection.allowsAdditional(item.groupResource, item.namespace)) batch.push(item);
    }
    await readInto(request, drafts, batch, undefined);
  }
}

/** Reads items and adds those that match; `selection` is left out for items that labels must not keep away. */
async function readInto(
  request: PlanRequest,
  drafts: Drafts,
  items: readonly BackupItem[],
  selection: Selection | undefined,
): Promise<void> {
  for await (const read of request.source.readItems(items)) {
    const { item } = read;
    const scope = itemScope(mapNamespace(request.spec, item.namespace));
    if ('error' in read) {
      drafts.fail(item, scope, read.error);
      continue;
    }
    try {
      const object = parseItem(read.text, itemPath(item));
      const matches = selection?.isMustHave(item.groupResource) === true ? undefined : selection?.matchesLabels;
      if (matches !== undefined && !matches(getStringMap(object, ['metadata', 'labels']))) continue;
      if (item.groupResource === 'namespaces') {
        drafts.namespaces.add(item.name);
        continue;
      }
      drafts.set(keyOf(item), draftOf(request.spec, request.volumes, item, object));
      if (!endsBeforeActions(item, object)) wantAdditionalItems(request, drafts, item, object);
    } catch (error) {
      drafts.fail(item, scope, messageOf(error));
    }
  }
}

/** Items that end before their actions run ask for nothing. */
function endsBeforeActions(item: BackupItem, object: JsonObject): boolean {
  try {
    return isCompleted(item.groupResource, object) || isMirrorPod(item.groupResource, object);
  } catch (error) {
    // The item's error is raised where it is restored.
    if (error instanceof ItemError) return true;
    throw error;
  }
}

function wantAdditionalItems({ csi }: PlanRequest, drafts: Drafts, item: BackupItem, object: JsonObject): void {
  const parent = itemPath(item);
  for (const { action, items, mustInclude = false } of builtInAdditionalItems(item.groupResource, object, csi)) {
    for (const { group, resource, namespace, name } of items) {
      const groupResource = formatGroupResource({ group, resource });
      drafts.wanted.push({
        item: { groupResource, namespace: namespace === '' ? undefined : namespace, name },
        action,
        parent,
        mustInclude,
      });
    }
  }
}
