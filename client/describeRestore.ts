import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { RestoreInput, RestoreProgress, RestoreResult } from '../domain/contract.ts';
import { WorkerNotAnswering } from './errors.ts';
import { firstInput } from './firstInput.ts';
import {
  describeRestoreWorkflow,
  isOpen,
  parseRestoreWorkflowId,
  type RestoreDescription,
} from './restoreDescription.ts';
import { toRestoreEnd } from './restoreEnd.ts';
import type { TemporalServer } from './temporalServer.ts';

/**
 * Everything that the Temporal server knows of a restore.
 * @param askProgress asks a worker how far a running restore is; without it nobody is asked.
 */
export async function describeRestore(
  server: TemporalServer,
  info: WorkflowExecutionDescription,
  askProgress?: () => Promise<RestoreProgress>,
): Promise<RestoreDescription> {
  const input = await server.call(() => firstInput<RestoreInput>(server.client, info));
  if (!isOpen(info)) return describeRestoreWorkflow(info, { input, end: await endOf(server, info) });
  if (askProgress === undefined) return describeRestoreWorkflow(info, { input });
  try {
    return describeRestoreWorkflow(info, { input, progress: await askProgress() });
  } catch (error) {
    if (!(error instanceof WorkerNotAnswering)) throw error;
    return describeRestoreWorkflow(info, { input, notice: error.message });
  }
}

async function endOf(server: TemporalServer, info: WorkflowExecutionDescription): Promise<RestoreResult | Error> {
  const { client, timeoutMs } = server;
  const workflow = client.workflow.getHandle(info.workflowId, info.runId);
  try {
    return await client.withDeadline(Date.now() + timeoutMs, () => workflow.result() as Promise<RestoreResult>);
  } catch (error) {
    const name = parseRestoreWorkflowId(info.workflowId)?.name ?? info.workflowId;
    const end = toRestoreEnd(name, error);
    if (end === undefined) throw server.translate(error, name);
    return end;
  }
}
