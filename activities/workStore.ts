import { LRUCache } from 'lru-cache';
import {
  additionalEntriesFolder,
  additionalEntryKey,
  operationsKey,
  outcomeBlockKey,
  outcomesFolder,
  planBlockKey,
  planSummaryKey,
  restoreRecordKey,
  restoreStatusKey,
  settledVolumesKey,
} from '../domain/backup/layout.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import type { PlanResult, RestoreRecord } from '../domain/contract.ts';
import { isBesidePlan } from '../domain/plan/additionalEntry.ts';
import type { Plan } from '../domain/plan/arrangePlan.ts';
import {
  PLAN_BLOCK_SIZE,
  type PlanEntry,
  parsePlanBlock,
  planBlockOf,
  renderPlanBlock,
} from '../domain/plan/planEntry.ts';
import type { RestoreStatus } from '../domain/restore/restore.ts';
import type { RestoreOperation } from '../domain/results/itemOperations.ts';
import { type Message, mergeOutcomes, type Outcome } from '../domain/results/outcome.ts';
import { HookStore } from './hooks/hookStore.ts';
import { inParallel } from './inParallel.ts';
import { readStoredJson, toStoredJson } from './storedJson.ts';

const text = new TextDecoder();
const bytes = new TextEncoder();

/** 64 blocks of 500 entries of about 200 bytes: some 10 MiB. */
const CACHED_BLOCKS = 64;

/** Shards at work at a time, and some more. */
const ASKING_RUNS = 32;

export class WorkStoreError extends Error {
  readonly type = 'WorkStore';
}

/** What is kept between looks at volumes. */
export interface SettledVolumes {
  /** When the last volume of a pod had ended, RFC 3339. */
  readonly podVolumesEnded?: string | undefined;
  readonly messages: readonly Message[];
}

/** Plan messages and everything else about the plan that is not an entry. */
export interface PlanSummary extends PlanResult {
  readonly messages: readonly Message[];
}

/**
 * The work store of one restore: plan, outcomes and record, in the backup's bucket (design §2). Every object has a
 * deterministic key, so that writing twice is harmless.
 */
export class WorkStore {
  private readonly store: ObjectStore;
  private readonly restore: { readonly name: string; readonly uid: string };
  /** Those who ask for the same block at once share one read. */
  private readonly blocks = new LRUCache<number, PlanEntry[]>({
    max: CACHED_BLOCKS,
    fetchMethod: (block) => this.loadPlanBlock(block),
  });

  /** Commands in the restore's pods. */
  readonly hooks: HookStore;

  /** By the workflow run that asked first; what that run itself records later is not in it, and need not be. */
  private readonly createdBefore = new LRUCache<string, Set<number>>({
    max: ASKING_RUNS,
    fetchMethod: () => this.readCreated(),
  });

  constructor(store: ObjectStore, restore: { readonly name: string; readonly uid: string }) {
    this.store = store;
    this.restore = restore;
    this.hooks = new HookStore(store, restore);
  }

  private readJson<T>(key: string): Promise<T | undefined> {
    return readStoredJson<T>(this.store, key);
  }

  async writeRecord(record: RestoreRecord): Promise<void> {
    await this.store.put(restoreRecordKey(this.restore), toStoredJson(record));
  }

  /** Undefined before validation has ended. */
  findRecord(): Promise<RestoreRecord | undefined> {
    return this.readJson<RestoreRecord>(restoreRecordKey(this.restore));
  }

  /** @throws WorkStoreError where the record is gone: somebody emptied the bucket under a running restore. */
  async readRecord(): Promise<RestoreRecord> {
    const record = await this.findRecord();
    if (record === undefined) throw this.missing(restoreRecordKey(this.restore));
    return record;
  }

  /** The restore's last word; outlives its workflow's history. */
  async writeStatus(status: RestoreStatus): Promise<void> {
    await this.store.put(restoreStatusKey(this.restore), toStoredJson(status));
  }

  /** Blocks first, summary last: a plan is complete where its summary exists. */
  async writePlan(plan: Plan, summary: PlanSummary): Promise<void> {
    for (let start = 0; start < plan.entries.length; start += PLAN_BLOCK_SIZE) {
      const block = plan.entries.slice(start, start + PLAN_BLOCK_SIZE);
      await this.store.put(planBlockKey(this.restore, planBlockOf(start)), bytes.encode(renderPlanBlock(block)));
    }
    await this.store.put(planSummaryKey(this.restore), toStoredJson(summary));
  }

  readPlanSummary(): Promise<PlanSummary | undefined> {
    return this.readJson<PlanSummary>(planSummaryKey(this.restore));
  }

  /** An entry of the plan or beside it. @throws WorkStoreError where there is no such entry. */
  async readPlanEntry(index: number): Promise<PlanEntry> {
    if (isBesidePlan(index)) return this.readAdditionalEntry(index);
    const block = await this.readPlanBlock(planBlockOf(index));
    const entry = block[index % PLAN_BLOCK_SIZE];
    if (entry === undefined) throw new WorkStoreError(`plan entry ${index} of restore ${this.restore.name} is missing`);
    return entry;
  }

  private async readAdditionalEntry(index: number): Promise<PlanEntry> {
    const entry = await this.readJson<PlanEntry>(additionalEntryKey(this.restore, index));
    if (entry === undefined) throw this.missing(additionalEntryKey(this.restore, index));
    return entry;
  }

  /** Undefined before the first check. */
  readOperations(): Promise<readonly RestoreOperation[] | undefined> {
    return this.readJson<readonly RestoreOperation[]>(operationsKey(this.restore));
  }

  async writeOperations(operations: readonly RestoreOperation[]): Promise<void> {
    await this.store.put(operationsKey(this.restore), toStoredJson(operations));
  }

  /** Keeps an item that only an action asks for; whoever asks for it first or again writes the same. */
  async writeAdditionalEntry(entry: PlanEntry): Promise<void> {
    await this.store.put(additionalEntryKey(this.restore, entry.index), toStoredJson(entry));
  }

  /** Every entry beside the plan, by index. */
  async readAdditionalEntries(): Promise<PlanEntry[]> {
    const entries: PlanEntry[] = [];
    for await (const { key } of this.store.list(additionalEntriesFolder(this.restore))) {
      const entry = await this.readJson<PlanEntry>(key);
      if (entry !== undefined) entries.push(entry);
    }
    return entries.sort((a, b) => a.index - b.index);
  }

  /** All entries of a plan of that length, in order, block by block. */
  async *readPlan(totalItems: number): AsyncGenerator<PlanEntry[]> {
    for (let block = 0; block * PLAN_BLOCK_SIZE < totalItems; block++) yield await this.readPlanBlock(block);
  }

  private readPlanBlock(block: number): Promise<PlanEntry[]> {
    return this.blocks.forceFetch(block);
  }

  private async loadPlanBlock(block: number): Promise<PlanEntry[]> {
    const key = planBlockKey(this.restore, block);
    const content = await this.store.get(key);
    if (content === undefined) throw this.missing(key);
    return parsePlanBlock(text.decode(content));
  }

  async readOutcomes(writer: string): Promise<Outcome[]> {
    const content = await this.store.get(outcomeBlockKey(this.restore, writer));
    return content === undefined ? [] : parseOutcomes(text.decode(content));
  }

  /** Adds to what an earlier run wrote under the same name: after a reset of the workflow that must not be lost. */
  async writeOutcomes(writer: string, outcomes: readonly Outcome[]): Promise<void> {
    const merged = mergeAll([...(await this.readOutcomes(writer)), ...outcomes]);
    const lines = [...merged.values()].map((outcome) => `${JSON.stringify(outcome)}\n`);
    await this.store.put(outcomeBlockKey(this.restore, writer), bytes.encode(lines.join('')));
  }

  /** Every recorded outcome, one per plan index. */
  async readAllOutcomes(): Promise<Map<number, Outcome>> {
    const keys: string[] = [];
    for await (const { key } of this.store.list(outcomesFolder(this.restore))) keys.push(key);
    const blocks = await inParallel(keys, async (key) => {
      const content = await this.store.get(key);
      return content === undefined ? [] : parseOutcomes(text.decode(content));
    });
    return mergeAll(blocks.flat());
  }

  /**
   * Whether the item was recorded as created before the workflow run that asks: by an earlier run, from which a reset of the workflow
   * has gone back (design §3). The records are read once per run.
   */
  async wasCreatedBefore(index: number, runId = ''): Promise<boolean> {
    return (await this.createdBefore.forceFetch(runId)).has(index);
  }

  private async readCreated(): Promise<Set<number>> {
    const outcomes = await this.readAllOutcomes();
    return new Set([...outcomes.values()].filter(({ action }) => action === 'created').map(({ index }) => index));
  }

  /** What has become of volumes after their items were restored. */
  readSettledVolumes(): Promise<SettledVolumes | undefined> {
    return this.readJson<SettledVolumes>(settledVolumesKey(this.restore));
  }

  async writeSettledVolumes(settled: SettledVolumes): Promise<void> {
    await this.store.put(settledVolumesKey(this.restore), toStoredJson(settled));
  }

  async writeText(key: string, content: string): Promise<void> {
    await this.store.put(key, bytes.encode(content));
  }

  async readText(key: string): Promise<string | undefined> {
    const content = await this.store.get(key);
    return content === undefined ? undefined : text.decode(content);
  }

  private missing(key: string): WorkStoreError {
    return new WorkStoreError(`${key} is missing in ${this.store.description}: the restore's work files were removed`);
  }
}

function parseOutcomes(lines: string): Outcome[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Outcome);
}

function mergeAll(outcomes: Iterable<Outcome>): Map<number, Outcome> {
  const merged = new Map<number, Outcome>();
  for (const outcome of outcomes) {
    const earlier = merged.get(outcome.index);
    merged.set(outcome.index, earlier === undefined ? outcome : mergeOutcomes(earlier, outcome));
  }
  return merged;
}
