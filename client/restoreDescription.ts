import type { WorkflowExecutionDescription } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { RestoreInput, RestoreProgress, RestoreResult } from '../domain/contract.ts';
import type { RestorePhase, RestoreStatus } from '../domain/restore/restore.ts';
import { type Counters, itemsDone } from '../domain/results/counters.ts';
import { RestoreCancelled, RestoreFailed, RestoreTerminated, RestoreValidationFailed } from './errors.ts';
import type { RestoreMemo } from './restoreRequest.ts';

/** What Temporal knows of a restore. */
export interface RestoreDescription {
  readonly name: string;
  /** Velero's namespace. */
  readonly namespace: string;
  readonly cluster: string;
  readonly uid: string;
  readonly backupName: string;
  /** As asked for, with spec and options; undefined where the history's first event is gone. */
  readonly input: RestoreInput | undefined;
  readonly storageLocation: string;
  readonly phase: RestorePhase;
  readonly status: RestoreStatus;
  readonly ended: boolean;
  readonly cancelled: boolean;
  /** Undefined where nobody could tell. */
  readonly counters: Counters | undefined;
  /** Of a running restore, where a worker answered. */
  readonly progress: RestoreProgress | undefined;
  /** Why there is no progress although the restore runs. */
  readonly notice: string | undefined;
  readonly workflowId: string;
  readonly runId: string;
  readonly taskQueue: string;
  /** Facts that its starter kept with it. */
  readonly memo: Readonly<Record<string, unknown>>;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly endedAt: string | undefined;
}

const phaseKey = defineSearchAttributeKey('RestorePhase', 'KEYWORD');
const errorsKey = defineSearchAttributeKey('RestoreErrors', 'INT');

/** Events of a workflow that no worker has looked at: started, task scheduled. */
const UNTOUCHED = 2;

/** The parts of `restore/<cluster>/<namespace>/<name>`; undefined for the ids of others. */
export function parseRestoreWorkflowId(
  workflowId: string,
): { readonly cluster: string; readonly namespace: string; readonly name: string } | undefined {
  const [kind, cluster, namespace, name, ...rest] = workflowId.split('/');
  if (kind !== 'restore' || !cluster || !namespace || !name || rest.length > 0) return undefined;
  return { cluster, namespace, name };
}

/** Whether the workflow has not ended. */
export function isOpen({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return status.name === 'RUNNING' || status.name === 'PAUSED';
}

export interface DescriptionParts {
  readonly input?: RestoreInput | undefined;
  /** How it ended: its result, or the error that the end means. */
  readonly end?: RestoreResult | Error | undefined;
  readonly progress?: RestoreProgress | undefined;
  readonly notice?: string | undefined;
}

/** Puts together what the server says of the workflow with what its history and a worker say. */
export function describeRestoreWorkflow(
  info: WorkflowExecutionDescription,
  parts: DescriptionParts,
): RestoreDescription {
  const id = parseRestoreWorkflowId(info.workflowId) ?? { cluster: '', namespace: '', name: info.workflowId };
  const memo = info.memo ?? {};
  const { restoreUid, backupName, storageLocation } = memo as Partial<RestoreMemo>;
  const open = isOpen(info);
  const status = open ? runningStatus(info, parts.progress) : endedStatus(info, parts.end);
  return {
    ...id,
    uid: parts.input?.restore.uid ?? restoreUid ?? '',
    backupName: backupName ?? parts.input?.restore.spec.backupName ?? '',
    input: parts.input,
    storageLocation: parts.input?.storageLocation ?? storageLocation ?? '',
    phase: status.phase,
    status,
    ended: !open,
    cancelled: info.status.name === 'CANCELLED',
    counters: countersOf(parts),
    progress: open ? parts.progress : undefined,
    notice: parts.notice,
    workflowId: info.workflowId,
    runId: info.runId,
    taskQueue: info.taskQueue,
    memo,
    createdAt: info.startTime.toISOString(),
    endedAt: info.closeTime?.toISOString(),
  };
}

function countersOf({ end, progress }: DescriptionParts): Counters | undefined {
  return end === undefined || end instanceof Error ? progress?.counters : end.counters;
}

function runningStatus(info: WorkflowExecutionDescription, progress: RestoreProgress | undefined): RestoreStatus {
  const known = info.typedSearchAttributes;
  if (progress === undefined) {
    return {
      phase:
        (known.get(phaseKey) as RestorePhase | undefined) ?? (info.historyLength <= UNTOUCHED ? 'New' : 'InProgress'),
      ...positive('errors', known.get(errorsKey)),
      startTimestamp: info.startTime.toISOString(),
    };
  }
  const { counters, totalItems, phase, startTimestamp } = progress;
  return {
    phase,
    ...positive('warnings', counters.warnings),
    ...positive('errors', counters.errors),
    startTimestamp: startTimestamp ?? info.startTime.toISOString(),
    progress: { totalItems, itemsRestored: itemsDone(counters) },
  };
}

function endedStatus(info: WorkflowExecutionDescription, end: RestoreResult | Error | undefined): RestoreStatus {
  const times = {
    startTimestamp: info.startTime.toISOString(),
    ...(info.closeTime === undefined ? {} : { completionTimestamp: info.closeTime.toISOString() }),
  };
  if (end === undefined || end instanceof Error) return { ...failedStatus(info, end), ...times };
  return end.status;
}

function failedStatus(info: WorkflowExecutionDescription, end: Error | undefined): RestoreStatus {
  if (end instanceof RestoreFailed && end.status !== undefined) return end.status;
  if (end instanceof RestoreValidationFailed) {
    return { phase: 'FailedValidation', validationErrors: end.validationErrors };
  }
  const { typedSearchAttributes: known } = info;
  return {
    phase: endedPhase(info),
    ...positive('errors', known.get(errorsKey)),
    ...reasonOf(end),
  };
}

function endedPhase({ status, typedSearchAttributes }: WorkflowExecutionDescription): RestorePhase {
  if (status.name === 'COMPLETED')
    return (typedSearchAttributes.get(phaseKey) as RestorePhase | undefined) ?? 'Completed';
  const known = typedSearchAttributes.get(phaseKey);
  return known === 'FailedValidation' ? known : 'Failed';
}

function reasonOf(end: Error | undefined): Partial<RestoreStatus> {
  if (end instanceof RestoreCancelled) return { failureReason: 'cancelled' };
  if (end instanceof RestoreFailed) return { failureReason: end.reason };
  if (end instanceof RestoreTerminated) return { failureReason: end.message };
  return {};
}

/** Velero leaves zero counters out. */
function positive<K extends string>(key: K, value: number | undefined): Partial<Record<K, number>> {
  return value !== undefined && value > 0 ? ({ [key]: value } as Partial<Record<K, number>>) : {};
}
