import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { HOOK_FAILED, type HookBatchInput, type HookCounts } from '../domain/hooks/hookContract.ts';
import { HookChildren } from './hookChildren.ts';

/**
 * Runs the hooks of many pods side by side, so that a restore with thousands of such pods keeps a short history of its own.
 * @throws ApplicationFailure HookFailed as the pod's own workflow; the others of the batch have ended then.
 */
export async function hookBatch({ ref, pods }: HookBatchInput): Promise<HookCounts> {
  // The ids of pods' workflows are the same whether a batch starts them or the restore itself.
  const prefix = workflowInfo().workflowId.replace(/\/batch-\d+$/, '');
  const total = pods.reduce((sum, { hooks }) => sum + hooks, 0);
  const children: HookChildren = new HookChildren(ref, prefix, () => {
    setCurrentDetails(`${children.counts.done} of ${total} hooks done, ${children.counts.failed} failed`);
  });
  for (const pod of pods) children.startPod(pod);
  await children.ended();
  if (children.failure !== undefined) {
    throw ApplicationFailure.nonRetryable(children.failure, HOOK_FAILED, children.counts);
  }
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('hooks were cancelled');
  return children.counts;
}
