import { defineSearchAttributeKey } from '@temporalio/common';
import { type RestoreInput, searchAttributes, taskQueueFor, workflowTypes } from '../domain/contract.ts';
import type { RestoreRequest, StartOptions } from './restoreRequest.ts';
import { grpcCodes, grpcFault } from './temporalErrors.ts';
import type { TemporalServer } from './temporalServer.ts';

/** The UI shows about as much in a list. */
const LONGEST_SUMMARY = 200;
const LONGEST_DETAILS = 10_000;

/**
 * Starts the workflow of a restore; one of its id that runs is left as it is. Where the server lacks our search attributes it
 * is started without them, with a notice.
 * @throws WorkflowExecutionAlreadyStartedError where one of its id has ended
 */
export async function startRestoreWorkflow(
  server: TemporalServer,
  workflowId: string,
  request: RestoreRequest,
  options: StartOptions,
): Promise<void> {
  try {
    await server.call(() => startOnce(server, workflowId, request, options));
  } catch (error) {
    if (!lacksSearchAttributes(error)) throw error;
    options.onNotice?.(
      `the Temporal server lacks the search attributes ${Object.keys(searchAttributes).join(', ')}: the restore runs without them, and lists show less`,
    );
    const without = { ...request, input: { ...request.input, useSearchAttributes: false } };
    await server.call(() => startOnce(server, workflowId, without, options));
  }
}

async function startOnce(
  { client }: TemporalServer,
  workflowId: string,
  { input, memo }: RestoreRequest,
  { taskQueue }: StartOptions,
): Promise<void> {
  const { restore, cluster, useSearchAttributes } = input;
  await client.workflow.start(workflowTypes.restore, {
    workflowId,
    taskQueue: taskQueue ?? taskQueueFor(cluster),
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    // A worker that dies with a workflow task in its hands is noticed after this long (design §3 "Liveness").
    workflowTaskTimeout: '5s',
    memo: { ...memo },
    staticSummary: `Restore ${restore.name} of backup ${memo.backupName}`.slice(0, LONGEST_SUMMARY),
    staticDetails: detailsOf(input, memo.backupName),
    ...(useSearchAttributes ? { typedSearchAttributes: firstAttributes(restore.name, memo.backupName) } : {}),
  });
}

function lacksSearchAttributes(error: unknown): boolean {
  const fault = grpcFault(error);
  if (fault?.code !== grpcCodes.invalidArgument) return false;
  return Object.keys(searchAttributes).some((name) => fault.details.includes(name));
}

/** All of them, so that a server that lacks one says so now; later it would fail the restore's workflow tasks. */
function firstAttributes(restoreName: string, backupName: string) {
  return [
    { key: defineSearchAttributeKey('RestoreName', searchAttributes.RestoreName), value: restoreName },
    { key: defineSearchAttributeKey('BackupName', searchAttributes.BackupName), value: backupName },
    { key: defineSearchAttributeKey('RestorePhase', searchAttributes.RestorePhase), value: 'New' },
    { key: defineSearchAttributeKey('RestoreErrors', searchAttributes.RestoreErrors), value: 0 },
    { key: defineSearchAttributeKey('RestoreItems', searchAttributes.RestoreItems), value: 0 },
  ];
}

/** Markdown for the workflow's page in the Temporal UI. */
function detailsOf({ cluster, restore, storageLocation }: RestoreInput, backupName: string): string {
  const { includedNamespaces, namespaceMapping, existingResourcePolicy } = restore.spec;
  const mapping = Object.entries(namespaceMapping ?? {}).map(([from, to]) => `${from} → ${to}`);
  const everything = includedNamespaces === undefined || includedNamespaces.length === 0;
  return [
    `Restores backup **${backupName}** from storage location \`${storageLocation}\` into cluster \`${cluster}\`.`,
    '',
    `- namespaces: ${everything ? 'all' : includedNamespaces.join(', ')}`,
    ...(mapping.length === 0 ? [] : [`- mapped: ${mapping.join(', ')}`]),
    ...(existingResourcePolicy ? [`- existing resources: ${existingResourcePolicy}`] : []),
  ]
    .join('\n')
    .slice(0, LONGEST_DETAILS);
}
