import type { ResourceIdentifier } from '../../domain/actions/action.ts';
import { parseItem } from '../../domain/backup/parseItem.ts';
import type { RestoreRecord } from '../../domain/contract.ts';
import { formatGroupResource } from '../../domain/kubernetes/groupResource.ts';
import type { ResourceTable } from '../../domain/kubernetes/resourceTable.ts';
import { messageOf } from '../../domain/messageOf.ts';
import { additionalEntry, additionalNamespaceEntry, targetKeyOf } from '../../domain/plan/additionalEntry.ts';
import { draftOf, keyOf } from '../../domain/plan/draft.ts';
import type { BackupVolumes } from '../../domain/plan/persistentVolume.ts';
import { type PlanEntry, summarizeEntry } from '../../domain/plan/planEntry.ts';
import { type BackupItem, itemPath } from '../../domain/plan/planSource.ts';
import { Selection } from '../../domain/plan/selection.ts';
import { tableWithBackup } from '../../domain/plan/tableWithBackup.ts';
import { remember } from '../../domain/remember.ts';
import { itemScope, type Message } from '../../domain/results/outcome.ts';
import type { ArchiveSource } from '../archiveSource.ts';
import type { WorkStore } from '../workStore.ts';
import type { KeptNeed } from './itemState.ts';

/** Where the plan has what; only restores whose actions ask for items need it. */
interface PlanIndex {
  /** Item of the backup → entry. */
  readonly byItem: ReadonlyMap<string, number>;
  /** Object in the cluster → entry. */
  readonly byTarget: ReadonlyMap<string, number>;
}

export interface NeededItemsParts {
  readonly record: RestoreRecord;
  readonly work: WorkStore;
  readonly source: ArchiveSource;
  readonly table: ResourceTable;
  readonly readVolumes: () => Promise<BackupVolumes>;
}

/**
 * Finds what actions ask for (spec restore-pipeline.md §15): the plan's own entry where it has one, otherwise an entry beside the
 * plan, which every worker makes alike. Filters apply, label selectors do not.
 */
export class NeededItems {
  private readonly parts: NeededItemsParts;
  private readonly select: () => Promise<Selection>;
  private readonly readPlan: () => Promise<PlanIndex>;
  private readonly readVolumes: () => Promise<BackupVolumes>;

  constructor(parts: NeededItemsParts) {
    this.parts = parts;
    const { record, source, table } = parts;
    this.select = remember(async () => new Selection(record.restore.spec, await tableWithBackup(source, table)));
    this.readPlan = remember(() => this.loadPlan());
    this.readVolumes = remember(parts.readVolumes);
  }

  /** In the order asked for. What the filters leave out is left out silently; what is not there is a warning. */
  async find(
    parent: PlanEntry,
    action: string,
    identifiers: readonly ResourceIdentifier[],
    mustInclude = false,
  ): Promise<{ readonly needs: KeptNeed[]; readonly messages: Message[] }> {
    const needs: KeptNeed[] = [];
    const messages: Message[] = [];
    for (const identifier of identifiers) {
      const item: BackupItem = {
        groupResource: formatGroupResource(identifier),
        namespace: identifier.namespace === '' ? undefined : identifier.namespace,
        name: identifier.name,
      };
      if (!this.isInBackup(item)) {
        messages.push({ level: 'warning', scope: itemScope(item.namespace), text: missing(item, parent, action) });
        continue;
      }
      try {
        needs.push(...(await this.locate(item, identifier, mustInclude)));
      } catch (error) {
        if (!(error instanceof UnusableItem)) throw error;
        const text = `error restoring additional item ${nameOf(item)}: ${error.message}`;
        messages.push({ level: 'error', scope: itemScope(parent.targetNamespace), text });
      }
    }
    return { needs, messages };
  }

  private isInBackup(item: BackupItem): boolean {
    return item.name !== '' && item.groupResource !== '' && this.parts.source.has(item);
  }

  private async locate(item: BackupItem, identifier: ResourceIdentifier, mustInclude: boolean): Promise<KeptNeed[]> {
    const { work, record } = this.parts;
    const { byItem, byTarget } = await this.readPlan();
    const planned = byItem.get(keyOf(item));
    if (planned !== undefined) return [needOf(await work.readPlanEntry(planned), identifier)];
    const isAllowed = mustInclude || (await this.select()).allowsAdditional(item.groupResource, item.namespace);
    if (!isAllowed) return [];

    const entry = await this.besidePlan(item);
    const twin = byTarget.get(targetKeyOf(entry));
    if (twin !== undefined) return [needOf(await work.readPlanEntry(twin), identifier)];
    await work.writeAdditionalEntry(entry);
    const needs = [needOf(entry, identifier)];
    if (item.namespace === undefined) return needs;
    const namespace = additionalNamespaceEntry(record.restore.spec, item.namespace);
    if (byTarget.has(targetKeyOf(namespace))) return needs;
    await work.writeAdditionalEntry(namespace);
    return [needOf(namespace), ...needs];
  }

  private async besidePlan(item: BackupItem): Promise<PlanEntry> {
    const { spec } = this.parts.record.restore;
    if (item.groupResource === 'namespaces') return additionalNamespaceEntry(spec, item.name);
    const draft = await this.draft(item);
    const claimed = draft.claimedVolume;
    const volume = { groupResource: 'persistentvolumes', namespace: undefined, name: claimed ?? '' };
    const decided =
      claimed !== undefined && this.parts.source.has(volume) ? (await this.draft(volume)).volume : undefined;
    return additionalEntry(spec, draft, new Map([[volume.name, decided]]));
  }

  private async draft(item: BackupItem): Promise<ReturnType<typeof draftOf>> {
    const { record, source } = this.parts;
    const volumes = await this.readVolumes();
    const text = await source.readText(item);
    try {
      return draftOf(record.restore.spec, volumes, item, parseItem(text, itemPath(item)));
    } catch (error) {
      throw new UnusableItem(messageOf(error));
    }
  }

  private async loadPlan(): Promise<PlanIndex> {
    const { work } = this.parts;
    const totalItems = (await work.readPlanSummary())?.totalItems ?? 0;
    const byItem = new Map<string, number>();
    const byTarget = new Map<string, number>();
    for await (const entries of work.readPlan(totalItems)) {
      for (const entry of entries) {
        byItem.set(keyOf({ ...entry, namespace: entry.namespace }), entry.index);
        byTarget.set(targetKeyOf(entry), entry.index);
      }
    }
    return { byItem, byTarget };
  }
}

/** The item is there but nothing can be made of it: its asker's error. */
class UnusableItem extends Error {}

function needOf(entry: PlanEntry, identifier?: ResourceIdentifier): KeptNeed {
  return { index: entry.index, summary: summarizeEntry(entry), ...(identifier === undefined ? {} : { identifier }) };
}

function nameOf({ groupResource, namespace, name }: BackupItem): string {
  return [groupResource, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

function missing(item: BackupItem, parent: PlanEntry, action: string): string {
  const of = itemPath({ ...parent, namespace: parent.namespace });
  if (item.name === '') return `additional item of ${of} (${action}): a ${item.groupResource} without a name`;
  return `additional item ${itemPath(item)} of ${of} (${action}) is not in the backup`;
}
