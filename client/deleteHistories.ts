import type { TemporalServer } from './temporalServer.ts';

const SOME = 1_000;

/**
 * Deletes the history of a restore and, where the server can list them, of its children, whose ids begin with the restore's. The restore's own goes last: where this
 * is interrupted, it is found again.
 */
export async function deleteHistories(server: TemporalServer, workflowId: string, runId: string): Promise<void> {
  const { client } = server;
  const { namespace } = client.options;
  const remove = (execution: { workflowId: string; runId: string }): Promise<unknown> =>
    server.call(() => client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: execution }));
  let left = SOME;
  for await (const child of client.workflow.list({ query: `RootWorkflowId = ${JSON.stringify(workflowId)}` })) {
    if (child.workflowId === workflowId) continue;
    if (left-- === 0) break;
    await remove({ workflowId: child.workflowId, runId: child.runId });
  }
  await remove({ workflowId, runId });
}
