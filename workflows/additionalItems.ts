import { ChildWorkflowCancellationType, executeChild, ParentClosePolicy, workflowInfo } from '@temporalio/workflow';
import type {
  AdditionalItemsDone,
  ItemNeeds,
  ItemWait,
  NeededItem,
  RestoreItemInput,
  RestoreRef,
} from '../domain/contract.ts';
import type { WaitEnd } from '../domain/item/itemRun.ts';
import { FIRST_INDEX_BESIDE_PLAN } from '../domain/plan/planEntry.ts';
import { addCounters, type Counters, countOutcome } from '../domain/results/counters.ts';
import { existsAfter, type Outcome } from '../domain/results/outcome.ts';
import { recording, restoring } from './activities.ts';
import { HookAnnouncer } from './hookAnnouncer.ts';
import type { waitForAdditionalItems } from './waitForAdditionalItems.ts';

/** Names of awaited items that are told; the rest is a number. */
const NAMED = 3;

/** Indexes of the items that wait, the outermost first. */
type Path = readonly number[];

/** Restores what items ask for, depth first and in the order asked for (spec restore-pipeline.md §15). */
export class AdditionalItems {
  /** Of items beside the plan. */
  counters: Counters;
  /** Waits that go on now: one, or one inside the other. */
  readonly waits: ItemWait[] = [];
  /** Tells the restore of created pods with hooks; to be flushed before the workflow ends. */
  readonly hooks = new HookAnnouncer();
  private readonly ref: RestoreRef;

  constructor(ref: RestoreRef, counters: Counters) {
    this.ref = ref;
    this.counters = counters;
  }

  /**
   * Restores the needed items of the last item of `path`, from where `done` is.
   * @param mayEnd asked before each; true ends early.
   * @returns how far it came, and positions of those that are not in the cluster afterwards.
   */
  async restoreNeeds(
    needs: ItemNeeds,
    path: Path,
    done: Pick<AdditionalItemsDone, 'position' | 'missing'>,
    mayEnd: () => boolean,
  ): Promise<Pick<AdditionalItemsDone, 'position' | 'missing'>> {
    const missing = [...done.missing];
    let offset = 0;
    let known = needs.needs;
    let { position } = done;
    for (; position < needs.totalNeeds; position++) {
      if (position > done.position && mayEnd()) break;
      if (position >= offset + known.length) {
        offset = position;
        known = await this.readNeeds(needs, offset);
      }
      const need = known[position - offset];
      if (need === undefined || !(await this.restoreNeed(need, path))) missing.push(position);
    }
    return { position, missing };
  }

  /** Waits for them where the action asked for that. */
  async wait(needs: ItemNeeds, path: Path, missing: readonly number[]): Promise<WaitEnd | undefined> {
    const { item, action, resume, waitTimeoutMs } = needs;
    if (waitTimeoutMs === undefined) return undefined;
    const awaited = describe(needs, missing);
    const deadline = new Date(Date.now() + waitTimeoutMs).toISOString();
    this.waits.push({ item, action, awaited, deadline });
    const wait = executeChild<typeof waitForAdditionalItems>('waitForAdditionalItems', {
      workflowId: `${workflowInfo().workflowId}/wait-${[...path.slice(1), resume.actionIndex].join('-')}`,
      args: [{ ref: this.ref, stateRef: resume.stateRef, missing, item, action, awaited, deadline }],
      // One that is still running after a reset of this workflow is replaced (design §6).
      workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      workflowTaskTimeout: '10s',
      staticSummary: `${item}: ${action} awaits ${awaited} until ${deadline}`.slice(0, 200),
    });
    return wait.finally(() => this.waits.pop());
  }

  private readNeeds({ resume, action }: ItemNeeds, offset: number): Promise<readonly NeededItem[]> {
    const summary = `additional items of ${action} from ${offset}`;
    return recording.readNeeds.executeWithOptions({ summary }, [{ ref: this.ref, stateRef: resume.stateRef, offset }]);
  }

  /** @returns whether the item is in the cluster afterwards. One that waits itself for this one ends the chain. */
  private async restoreNeed({ index, summary }: NeededItem, path: Path): Promise<boolean> {
    if (path.includes(index)) return false;
    const restore = async (more: Pick<RestoreItemInput, 'resume'>): Promise<Outcome> => {
      const result = await restoring.restoreItem.executeWithOptions({ summary }, [
        { ref: this.ref, index, path, ...more },
      ]);
      if (!('needs' in result)) return result;
      const inner = [...path, index];
      const { missing } = await this.restoreNeeds(result, inner, { position: 0, missing: [] }, () => false);
      const waited = await this.wait(result, inner, missing);
      return restore({ resume: { ...result.resume, waited } });
    };
    const outcome = await restore({});
    // The plan's own items are counted in their own turn.
    if (index >= FIRST_INDEX_BESIDE_PLAN) {
      this.counters = addCounters(this.counters, countOutcome(outcome));
      if (outcome.hookPod !== undefined) this.hooks.add(outcome.hookPod);
    }
    return existsAfter(outcome);
  }
}

function describe({ needs, totalNeeds }: ItemNeeds, missing: readonly number[]): string {
  const there = needs.filter((_, position) => !missing.includes(position)).map(({ summary }) => summary);
  const more = totalNeeds - missing.length - Math.min(there.length, NAMED);
  if (there.length === 0) return 'no item';
  return `${there.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
