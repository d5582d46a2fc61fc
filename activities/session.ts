import { LRUCache } from 'lru-cache';
import type { RestoreItemAction, RestoreItemActionContext } from '../domain/actions/action.ts';
import { resolveActions } from '../domain/actions/appliesTo.ts';
import { actionsWithFeatures, FEATURES } from '../domain/actions/features.ts';
import { builtInActions } from '../domain/actions/registry.ts';
import { parseItem } from '../domain/backup/parseItem.ts';
import type { RestoreRecord, RestoreRef } from '../domain/contract.ts';
import type { ItemContext } from '../domain/item/prepareItem.ts';
import type { JsonObject } from '../domain/json.ts';
import { readResourceModifiers } from '../domain/modifiers/resourceModifiers.ts';
import type { PlanEntry } from '../domain/plan/planEntry.ts';
import { itemPath } from '../domain/plan/planSource.ts';
import { tableWithBackup } from '../domain/plan/tableWithBackup.ts';
import { resourceIncludesExcludes } from '../domain/selection/includesExcludes.ts';
import { actionCluster } from './actionCluster.ts';
import { actionObjects } from './actionObjects.ts';
import { ArchiveSource } from './archiveSource.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { type ItemState, readItemState } from './item/itemState.ts';
import { NeededItems } from './item/neededItems.ts';
import { SharedItems } from './item/sharedItems.ts';
import { nativeVolumes } from './nativeVolumes.ts';
import { readBackupVolumes } from './readBackup.ts';
import { WorkStore } from './workStore.ts';

/** Restores that a worker works on at the same time with all they need at hand. */
const OPEN_SESSIONS = 16;

/** What a worker keeps of a restore between its activities; everything in it can be had again. */
export interface Session {
  readonly record: RestoreRecord;
  readonly work: WorkStore;
  readonly itemContext: ItemContext;
  /** What actions beyond the built-in ones ask for. */
  readonly needed: NeededItems;
  /** Undefined where only built-in actions run: then every item is restored in its own turn only. */
  readonly shared: SharedItems | undefined;
  /** The item of the backup, read by random access. @throws ItemDecodeError where it cannot be decoded. */
  readItem(entry: PlanEntry): Promise<JsonObject>;
  close(): void;
}

/** What a readiness check needs; it must not wait for a backup to be fetched. */
export interface WaitingItem {
  readonly state: ItemState;
  /** Undefined where this worker does not have it. */
  readonly action: RestoreItemAction | undefined;
  readonly context: RestoreItemActionContext;
}

/** Items that wait and are asked about again and again. */
const WAITING_ITEMS = 1_000;

/** Opens and keeps the sessions of a worker. */
export class Sessions {
  private readonly dependencies: ActivityDependencies;
  private readonly open = new LRUCache<string, Session, RestoreRef>({
    max: OPEN_SESSIONS,
    dispose: (session) => {
      session.close();
    },
    fetchMethod: (_uid, _stale, { context }) => this.load(context),
  });

  private readonly workStores = new LRUCache<string, WorkStore, RestoreRef>({
    max: OPEN_SESSIONS,
    fetchMethod: async (_uid, _stale, { context }) =>
      new WorkStore(await this.dependencies.openStore(context.storageLocation), context),
  });

  private readonly contexts = new LRUCache<string, RestoreItemActionContext, RestoreRef>({
    max: OPEN_SESSIONS,
    fetchMethod: async (_uid, _stale, { context }) => {
      const { kubernetes } = this.dependencies;
      const record = await (await this.workStore(context)).readRecord();
      const store = await this.dependencies.openStore(context.storageLocation);
      const table = await kubernetes.discover();
      return {
        restore: record.restore,
        cluster: actionCluster(kubernetes, table),
        objects: actionObjects(kubernetes, record, store, table),
      };
    },
  });

  private readonly states = new LRUCache<string, ItemState, RestoreRef>({
    max: WAITING_ITEMS,
    fetchMethod: async (stateRef, _stale, { context }) => readItemState(await this.workStore(context), stateRef),
  });

  constructor(dependencies: ActivityDependencies) {
    this.dependencies = dependencies;
  }

  /** An item that waits for others, with the action that asked for them. */
  async waitingItem(ref: RestoreRef, stateRef: string): Promise<WaitingItem> {
    const [context, state, actions] = await Promise.all([
      this.actionContext(ref),
      this.states.forceFetch(stateRef, { context: ref }),
      this.externalActions(),
    ]);
    return {
      state,
      context,
      action: [...builtInActions(FEATURES), ...actions].find(({ name }) => name === state.action),
    };
  }

  /** What the later methods of actions are given. */
  actionContext(ref: RestoreRef): Promise<RestoreItemActionContext> {
    return this.contexts.forceFetch(ref.uid, { context: ref });
  }

  /** Actions beyond the built-in ones, in the order in which they run. */
  async externalActions(): Promise<readonly RestoreItemAction[]> {
    return (await this.dependencies.actions?.()) ?? [];
  }

  /** The session of a restore; a cold worker fetches and indexes its backup first, once for all who wait. */
  get(ref: RestoreRef): Promise<Session> {
    return this.open.forceFetch(ref.uid, { context: ref });
  }

  /** Closes all of them. */
  close(): void {
    this.open.clear();
  }

  /** The restore's work store; all activities of a worker share it, and the plan blocks that it keeps. */
  workStore(ref: RestoreRef): Promise<WorkStore> {
    return this.workStores.forceFetch(ref.uid, { context: ref });
  }

  private async load(ref: RestoreRef): Promise<Session> {
    const { kubernetes, archives } = this.dependencies;
    const store = await this.dependencies.openStore(ref.storageLocation);
    const work = await this.workStore(ref);
    const record = await work.readRecord();
    const external = await this.externalActions();
    const [archive, table] = await Promise.all([
      archives.open(store, record.backup.name, { etag: record.archiveEtag }),
      kubernetes.discover(),
    ]);
    const source = new ArchiveSource(archive);
    const cluster = actionCluster(kubernetes, table);
    const { volumeSnapshotters } = this.dependencies;
    const status = record.restore.spec.restoreStatus;
    const statusFilter =
      status === undefined
        ? undefined
        : resourceIncludesExcludes(
            status.includedResources,
            status.excludedResources,
            // Definitions of the backup may not be in the cluster yet, but their instances may be named here.
            await tableWithBackup(source, table),
          );
    return {
      record,
      work,
      itemContext: {
        restore: record.restore,
        backup: record.backup,
        actions: resolveActions(
          [...builtInActions(record.options.features), ...actionsWithFeatures(external, record.options.features)],
          table,
        ),
        cluster,
        objects: actionObjects(kubernetes, record, store, table),
        nativeVolumes:
          volumeSnapshotters === undefined ? undefined : nativeVolumes(store, record, cluster, volumeSnapshotters),
        modifiers:
          record.resourceModifiers === undefined
            ? undefined
            : readResourceModifiers(record.resourceModifiers).modifiers,
        statusFilter: statusFilter === undefined ? undefined : (resource) => statusFilter.shouldInclude(resource),
      },
      needed: new NeededItems({
        record,
        work,
        source,
        table,
        readVolumes: () => readBackupVolumes(store, record.backup.name),
      }),
      shared: external.length === 0 ? undefined : new SharedItems(kubernetes, work),
      readItem: (entry) => readItem(source, entry),
      close: () => {
        archive.close();
      },
    };
  }
}

async function readItem(source: ArchiveSource, entry: PlanEntry): Promise<JsonObject> {
  const { groupResource, namespace, name, versionDirectory } = entry;
  const item = { groupResource, namespace, name, versionDirectory };
  return parseItem(await source.readText(item), itemPath(item));
}
