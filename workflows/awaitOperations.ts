import { continueAsNew, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { AwaitOperationsInput, CheckOperationsResult } from '../domain/contract.ts';
import { checkingOperations } from './activities.ts';

/** Velero's --item-operation-sync-frequency. */
const INTERVAL_MS = 10_000;
/** Operations may go on for hours: beyond this many events the loop goes on as a new run. */
const MAX_EVENTS = 3_000;

/**
 * Asks every ten seconds how far the operations are that actions have started, until all have ended (spec restore-pipeline.md §26). Each has its
 * own limit of time, so this ends as well.
 */
export async function awaitOperations(input: AwaitOperationsInput): Promise<CheckOperationsResult> {
  for (;;) {
    const result = await checkingOperations.checkOperations.executeWithOptions({ summary: input.summary }, [
      { ref: input.ref },
    ]);
    const { attempted, completed, failed, pending } = result;
    setCurrentDetails(`${pending} of ${attempted} operations go on, ${completed} completed, ${failed} failed`);
    if (pending === 0) return result;
    if (workflowInfo().historyLength > MAX_EVENTS) await continueAsNew<typeof awaitOperations>(input);
    await sleep(INTERVAL_MS, { summary: `${pending} operations go on` });
  }
}
