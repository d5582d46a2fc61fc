import type { Client } from '@temporalio/client';

/**
 * The input that a workflow was started with, read from the first event of its history alone; undefined where it is not there.
 */
export async function firstInput<T>(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
): Promise<T | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const encoded = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.slice(0, 1);
  if (!encoded) return undefined;
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  let payloads = encoded;
  for (const codec of [...payloadCodecs].reverse()) payloads = await codec.decode(payloads);
  const [payload] = payloads;
  return payload === undefined ? undefined : payloadConverter.fromPayload<T>(payload);
}
