import { continueAsNew, defineQuery, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  type AdditionalItemsDone,
  queryNames,
  type RestoreAdditionalItemsInput,
  type RestoreAdditionalItemsResult,
  type WaitingItemProgress,
} from '../domain/contract.ts';
import { restoring } from './activities.ts';
import { AdditionalItems } from './additionalItems.ts';

const waitingItemQuery = defineQuery<WaitingItemProgress>(queryNames.progress);

/** Beyond this many events the rest of the needed items is left to a new run; the server suggests it at 4,096. */
const MAX_EVENTS = 2_500;

/**
 * Sees an item to its end that waits for others: restores those, depth first, waits until they are ready where its action asked for
 * that, and goes on with the item; as often as its actions ask. One item, one workflow: what it costs in events is not its shard's.
 */
export async function restoreAdditionalItems(
  input: RestoreAdditionalItemsInput,
): Promise<RestoreAdditionalItemsResult> {
  const { ref, index } = input;
  const additional = new AdditionalItems(ref, input.done.counters);
  setHandler(waitingItemQuery, () => ({ waits: [...additional.waits] }));
  let { needs, done }: { needs: typeof input.needs; done: AdditionalItemsDone } = input;
  for (;;) {
    const { missing, position } = await additional.restoreNeeds(needs, [index], done, isLong);
    if (position < needs.totalNeeds) {
      await additional.hooks.flush();
      const { counters } = additional;
      await continueAsNew<typeof restoreAdditionalItems>({ ...input, needs, done: { position, missing, counters } });
    }
    const waited = await additional.wait(needs, [index], missing);
    const result = await restoring.restoreItem.executeWithOptions({ summary: needs.item }, [
      { ref, index, resume: { ...needs.resume, waited } },
    ]);
    if (!('needs' in result)) {
      await additional.hooks.flush();
      return { outcome: result, counters: additional.counters };
    }
    needs = result;
    done = { position: 0, missing: [], counters: additional.counters };
  }
}

function isLong(): boolean {
  return workflowInfo().historyLength > MAX_EVENTS;
}
