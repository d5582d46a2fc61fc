import type { ItemNeeds, NeededItem } from '../../domain/contract.ts';
import type { ItemRun, SuspendedItem } from '../../domain/item/itemRun.ts';
import { describeEntry, type PlanEntry } from '../../domain/plan/planEntry.ts';
import type { Session } from '../session.ts';
import { type KeptNeed, writeItemState } from './itemState.ts';

/** Needed items per payload: some 20 KiB. */
const NEEDS_PER_PAYLOAD = 200;

/** Keeps the item as it is in the work store and says what it waits for (design §3 "Additional items of plugins"). */
export async function suspendItem(
  session: Session,
  entry: PlanEntry,
  suspended: SuspendedItem,
  run: ItemRun,
): Promise<ItemNeeds> {
  const { actionIndex, action, item, waitTimeoutMs, mustInclude = false } = suspended;
  const { needs, messages } = await session.needed.find(entry, action, suspended.additionalItems, mustInclude);
  const stateRef = await writeItemState(session.work, session.record.restore, actionIndex, {
    index: entry.index,
    action,
    item,
    needs,
    messages: [...run.messages, ...messages],
    operations: run.operations,
  });
  return {
    item: describeEntry(entry),
    action,
    needs: needsFrom(needs, 0),
    totalNeeds: needs.length,
    resume: { actionIndex, stateRef },
    ...(waitTimeoutMs === undefined
      ? {}
      : { waitTimeoutMs: waitTimeoutMs > 0 ? waitTimeoutMs : session.record.options.resourceTimeoutMs }),
  };
}

/** As many needed items from `offset` on as a payload takes. */
export function needsFrom(needs: readonly KeptNeed[], offset: number): NeededItem[] {
  return needs.slice(offset, offset + NEEDS_PER_PAYLOAD).map(({ index, summary }) => ({ index, summary }));
}
