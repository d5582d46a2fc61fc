import type { Client } from '@temporalio/client';

export interface HistoryFigures {
  readonly runs: number;
  readonly events: number;
  readonly mostEventsInARun: number;
  readonly bytes: number;
  readonly largestPayload: number;
}

/** Sizes of every `data` field of the payloads below `value`. */
function* payloadSizes(value: unknown): Generator<number> {
  if (typeof value !== 'object' || value === null) return;
  if ('data' in value && value.data instanceof Uint8Array) yield value.data.length;
  for (const inner of Object.values(value)) if (!(inner instanceof Uint8Array)) yield* payloadSizes(inner);
}

/** Adds up the histories of a restore and all its shards. */
export async function historyFigures(client: Client, workflowId: string): Promise<HistoryFigures> {
  const figures = { runs: 0, events: 0, mostEventsInARun: 0, bytes: 0, largestPayload: 0 };
  const query = `WorkflowId = "${workflowId}" OR WorkflowId STARTS_WITH "${workflowId}/"`;
  for await (const { workflowId: id, runId, historySize = 0 } of client.workflow.list({ query })) {
    const { events } = await client.workflow.getHandle(id, runId).fetchHistory();
    figures.runs += 1;
    figures.events += events?.length ?? 0;
    figures.bytes += historySize;
    figures.mostEventsInARun = Math.max(figures.mostEventsInARun, events?.length ?? 0);
    for (const size of payloadSizes(events)) figures.largestPayload = Math.max(figures.largestPayload, size);
  }
  return figures;
}
