import {
  ChildWorkflowCancellationType,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { CheckOperationsResult, RestoreRef } from '../domain/contract.ts';
import type { awaitOperations } from './awaitOperations.ts';
import type { RestoreState } from './restoreState.ts';

/**
 * Waits for the operations that actions have started, where there are any; a cancelled restore does not wait.
 * @throws where they cannot be waited for.
 */
export async function settleOperations(
  ref: RestoreRef,
  state: RestoreState,
): Promise<CheckOperationsResult | undefined> {
  const { operations = 0, errors } = state.progress().counters;
  if (operations === 0) return undefined;
  const step = `waiting for ${operations} operations`;
  state.enter(errors > 0 ? 'WaitingForPluginOperationsPartiallyFailed' : 'WaitingForPluginOperations', step);
  try {
    const result = await executeChild<typeof awaitOperations>('awaitOperations', {
      workflowId: `${workflowInfo().workflowId}/operations`,
      args: [{ ref, summary: `${operations} operations of restore ${ref.name}` }],
      // One that is still running after a reset of this workflow is replaced (design §6).
      workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: `operations of restore ${ref.name}`,
    });
    state.addErrors(result.failed);
    return result;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    throw error;
  }
}
