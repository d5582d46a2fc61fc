import type { RestoreItemInput, RestoreItemResult } from '../../domain/contract.ts';
import { hasManager } from '../../domain/item/fieldManager.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { KubernetesApi, ObjectLocation } from '../../domain/kubernetes/api.ts';
import { isBesidePlan } from '../../domain/plan/additionalEntry.ts';
import type { PlanEntry } from '../../domain/plan/planEntry.ts';
import { remember } from '../../domain/remember.ts';
import type { Outcome } from '../../domain/results/outcome.ts';
import { pause } from '../activity.ts';
import { ensureEntry } from '../ensureNamespace.ts';
import type { Session } from '../session.ts';
import type { WorkStore } from '../workStore.ts';
import { locateObject } from './locateObject.ts';
import { isWaiting } from './restoreOne.ts';
import { type Patience, settle } from './settle.ts';

/** Another activity ends with an object within moments, unless its worker died. */
const POLL_INTERVAL_MS = 500;
const PATIENCE_MS = 15_000;

/**
 * Items that several others may ask for, of one restore at one worker. Nothing here is needed to be right: an item that ended as an
 * additional item has its outcome in the work store, and the API server creates a name once. It only spares work.
 */
export class SharedItems {
  private readonly kubernetes: KubernetesApi;
  private readonly work: WorkStore;
  /** Runs that go on at this moment at this worker: who asks meanwhile gets the same result. */
  private readonly running = new Map<string, Promise<RestoreItemResult>>();
  private readonly waveOffsets: () => Promise<readonly number[]>;

  constructor(kubernetes: KubernetesApi, work: WorkStore) {
    this.kubernetes = kubernetes;
    this.work = work;
    this.waveOffsets = remember(async () => ((await work.readPlanSummary())?.waves ?? []).map(({ offset }) => offset));
  }

  /** The outcome of an item that was restored because another one asked for it. */
  async findOutcome(index: number): Promise<Outcome | undefined> {
    const [outcome] = await this.work.readOutcomes(writerOf(index));
    return outcome;
  }

  /**
   * Restores an item unless that is done already. An additional item's outcome is kept for all who come later, its own turn included.
   * @param restore carries it out.
   */
  async restore(
    session: Session,
    input: RestoreItemInput,
    restore: () => Promise<RestoreItemResult>,
  ): Promise<RestoreItemResult> {
    const { index, path, resume } = input;
    const earlier = await this.findOutcome(index);
    if (earlier !== undefined) return earlier;
    if (path === undefined) return restore();
    const entry = await this.work.readPlanEntry(index);
    if (await this.hadItsTurn(index, path[0])) return this.lookUp(entry);
    const isNamespace = entry.groupResource === 'namespaces';
    const run = isNamespace ? () => ensureEntry(this.kubernetes, session, entry) : restore;
    return this.once(`${index}/${resume?.stateRef ?? ''}`, async () => {
      const result = await run();
      if (!isWaiting(result)) await this.work.writeOutcomes(writerOf(index), [result]);
      return result;
    });
  }

  /**
   * Waits until the activity that is creating the object has ended with it.
   * @returns the object where that does not happen: then its worker died, and it is this activity's to end.
   */
  async awaitFinished(location: ObjectLocation, manager: string, patience: Patience): Promise<JsonObject | undefined> {
    for (const deadline = Date.now() + PATIENCE_MS; ; ) {
      const found = await settle(this.kubernetes, patience, () => this.kubernetes.get(location));
      // Gone meanwhile: the next attempt creates it again; one that cannot be read is left to who made it.
      if (!found.ok || !hasManager(found.object, manager)) return undefined;
      if (Date.now() > deadline) return found.object;
      await pause(POLL_INTERVAL_MS);
    }
  }

  private once(key: string, run: () => Promise<RestoreItemResult>): Promise<RestoreItemResult> {
    const going = this.running.get(key);
    if (going !== undefined) return going;
    const result = run().finally(() => this.running.delete(key));
    this.running.set(key, result);
    return result;
  }

  /** Waves run one after another: items of earlier ones than the asker's have ended. */
  private async hadItsTurn(index: number, outermost: number | undefined): Promise<boolean> {
    if (outermost === undefined || isBesidePlan(index)) return false;
    const offsets = await this.waveOffsets();
    const currentWave = Math.max(...offsets.filter((offset) => offset <= outermost));
    return index < currentWave;
  }

  /** An item whose turn is over: all that counts is whether it is there. */
  private async lookUp(entry: PlanEntry): Promise<Outcome> {
    const name = entry.targetName ?? entry.name;
    const location = { ...(await locateObject(this.kubernetes, entry, {})), name };
    const found = await settle(this.kubernetes, { mayWait: true }, () => this.kubernetes.get(location));
    const reason = found.ok ? 'equal' : 'duplicate';
    return { index: entry.index, action: 'skipped', reason, tracked: false, at: new Date().toISOString() };
  }
}

function writerOf(index: number): string {
  return `additional-${String(index).padStart(8, '0')}`;
}
