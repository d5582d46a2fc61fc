import { LRUCache } from 'lru-cache';
import { resolveActions } from '../domain/actions/appliesTo.ts';
import { builtInActions } from '../domain/actions/registry.ts';
import { parseItem } from '../domain/backup/parseItem.ts';
import type { RestoreRecord, RestoreRef } from '../domain/contract.ts';
import type { ItemContext } from '../domain/item/prepareItem.ts';
import type { JsonObject } from '../domain/json.ts';
import type { PlanEntry } from '../domain/plan/planEntry.ts';
import { itemPath } from '../domain/plan/planSource.ts';
import { tableWithBackup } from '../domain/plan/tableWithBackup.ts';
import { resourceIncludesExcludes } from '../domain/selection/includesExcludes.ts';
import { actionCluster } from './actionCluster.ts';
import { ArchiveSource } from './archiveSource.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { WorkStore } from './workStore.ts';

/** Restores that a worker works on at the same time with all they need at hand. */
const OPEN_SESSIONS = 16;

/** What a worker keeps of a restore between its activities; everything in it can be had again. */
export interface Session {
  readonly record: RestoreRecord;
  readonly work: WorkStore;
  readonly itemContext: ItemContext;
  /** The item of the backup, read by random access. @throws ItemDecodeError where it cannot be decoded. */
  readItem(entry: PlanEntry): Promise<JsonObject>;
  close(): void;
}

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

  constructor(dependencies: ActivityDependencies) {
    this.dependencies = dependencies;
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
    const [archive, table] = await Promise.all([
      archives.open(store, record.backup.name, { etag: record.archiveEtag }),
      kubernetes.discover(),
    ]);
    const source = new ArchiveSource(archive);
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
        actions: resolveActions(builtInActions(), table),
        cluster: actionCluster(kubernetes, table),
        statusFilter: statusFilter === undefined ? undefined : (resource) => statusFilter.shouldInclude(resource),
      },
      readItem: (entry) => readItem(source, entry),
      close: () => {
        archive.close();
      },
    };
  }
}

async function readItem(source: ArchiveSource, entry: PlanEntry): Promise<JsonObject> {
  const item = { groupResource: entry.groupResource, namespace: entry.namespace, name: entry.name };
  return parseItem(await source.readText(item), itemPath(item));
}
