import { workflowTypes } from '../domain/contract.ts';
import { describeRestore } from './describeRestore.ts';
import { parseRestoreWorkflowId, type RestoreDescription } from './restoreDescription.ts';
import type { TemporalServer } from './temporalServer.ts';

const LIST_TIMEOUT_MS = 30_000;
const SIDE_BY_SIDE = 8;

export interface ListOptions {
  /** Default 100. */
  readonly limit?: number | undefined;
  /** Only those that have not ended. */
  readonly running?: boolean | undefined;
}

/** The newest restores of a cluster, without asking workers. Each is described by the server's own data, not by its index. */
export async function listRestores(
  server: TemporalServer,
  cluster: string,
  options: ListOptions,
): Promise<RestoreDescription[]> {
  const executions = await server.call(() => newestExecutions(server, cluster, options), '', LIST_TIMEOUT_MS);
  const descriptions: RestoreDescription[] = [];
  for (let start = 0; start < executions.length; start += SIDE_BY_SIDE) {
    const part = executions.slice(start, start + SIDE_BY_SIDE);
    descriptions.push(...(await Promise.all(part.map((execution) => describeOne(server, execution)))));
  }
  return descriptions;
}

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

async function newestExecutions(
  { client }: TemporalServer,
  cluster: string,
  { limit = 100, running = false }: ListOptions,
): Promise<Execution[]> {
  const query = `WorkflowType = '${workflowTypes.restore}' AND WorkflowId STARTS_WITH 'restore/${cluster}/'${running ? " AND ExecutionStatus = 'Running'" : ''}`;
  const found: Execution[] = [];
  if (limit <= 0) return found;
  for await (const { workflowId, runId } of client.workflow.list({ query, pageSize: Math.min(limit, 1_000) })) {
    if (parseRestoreWorkflowId(workflowId) === undefined) continue;
    found.push({ workflowId, runId });
    if (found.length >= limit) break;
  }
  return found;
}

async function describeOne(server: TemporalServer, { workflowId, runId }: Execution): Promise<RestoreDescription> {
  const info = await server.call(() => server.client.workflow.getHandle(workflowId, runId).describe());
  return describeRestore(server, info);
}
