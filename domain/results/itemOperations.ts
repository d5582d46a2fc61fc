import type { OperationProgress } from '../actions/action.ts';
import { parseGroupResource } from '../kubernetes/groupResource.ts';
import type { PlanEntry } from '../plan/planEntry.ts';
import type { Restore } from '../restore/restore.ts';
import { renderGoJson } from './goJson.ts';
import type { Message, Outcome } from './outcome.ts';

export type OperationPhase = 'New' | 'InProgress' | 'Completed' | 'Failed';

/** An operation as Velero's file of item operations holds it (spec restore-pipeline.md §24, §26). Zero values are left out. */
export interface RestoreOperation {
  readonly spec: {
    readonly restoreName: string;
    readonly restoreUID: string;
    readonly restoreItemAction: string;
    /** Target namespace, backup name. */
    readonly resourceIdentifier: {
      readonly Group: string;
      readonly Resource: string;
      readonly Namespace: string;
      readonly Name: string;
    };
    readonly operationID: string;
  };
  readonly status: {
    readonly phase: OperationPhase;
    readonly error?: string | undefined;
    readonly nCompleted?: number | undefined;
    readonly nTotal?: number | undefined;
    readonly operationUnits?: string | undefined;
    readonly description?: string | undefined;
    readonly created: string;
    readonly started?: string | undefined;
    readonly updated?: string | undefined;
  };
}

export interface OperationCounts {
  readonly attempted: number;
  readonly completed: number;
  readonly failed: number;
}

/** Velero's own words. */
const TIMED_OUT = 'Asynchronous action timed out';

/** The operations that an item's actions started. */
export function operationsOf(restore: Restore, entry: PlanEntry, { operations = [] }: Outcome): RestoreOperation[] {
  const { group, resource } = parseGroupResource(entry.groupResource);
  const resourceIdentifier = {
    Group: group,
    Resource: resource,
    Namespace: entry.targetNamespace ?? '',
    Name: entry.name,
  };
  return operations.map(({ action, operationId, created }) => ({
    spec: {
      restoreName: restore.name,
      restoreUID: restore.uid,
      restoreItemAction: action,
      resourceIdentifier,
      operationID: operationId,
    },
    status: { phase: 'New', created },
  }));
}

export function isPending({ status }: RestoreOperation): boolean {
  return status.phase === 'New' || status.phase === 'InProgress';
}

/** The operation after its action told how far it is. */
export function withProgress(operation: RestoreOperation, progress: OperationProgress): RestoreOperation {
  const { phase: before, created } = operation.status;
  const { completed, error = '', nCompleted = 0, nTotal = 0, operationUnits = '', description = '' } = progress;
  const { started, updated } = progress;
  const failed = completed && error !== '';
  const running = before === 'New' && started !== undefined ? 'InProgress' : before;
  const ended = failed ? 'Failed' : 'Completed';
  return {
    ...operation,
    status: {
      phase: completed ? ended : running,
      ...(failed ? { error } : {}),
      ...(nCompleted === 0 ? {} : { nCompleted }),
      ...(nTotal === 0 ? {} : { nTotal }),
      ...(operationUnits === '' ? {} : { operationUnits }),
      ...(description === '' ? {} : { description }),
      created,
      ...(started === undefined ? {} : { started }),
      ...(updated === undefined ? {} : { updated }),
    },
  };
}

export function withFailure(operation: RestoreOperation, error: string): RestoreOperation {
  return { ...operation, status: { ...operation.status, phase: 'Failed', error } };
}

export function withTimeout(operation: RestoreOperation): RestoreOperation {
  return withFailure(operation, TIMED_OUT);
}

export function countOperations(operations: readonly RestoreOperation[]): OperationCounts {
  const inPhase = (phase: OperationPhase): number => operations.filter(({ status }) => status.phase === phase).length;
  return { attempted: operations.length, completed: inPhase('Completed'), failed: inPhase('Failed') };
}

/** Velero forgets to tell those that fail later on (§26 "Gap"); here they are told whenever they fail. */
export function operationMessages(operations: readonly RestoreOperation[]): Message[] {
  return operations
    .filter(({ status }) => status.phase === 'Failed')
    .map(({ status }) => ({
      level: 'error',
      scope: 'velero',
      text: `error from restore item operation: ${status.error ?? ''}`,
    }));
}

export function renderOperations(operations: readonly RestoreOperation[]): string {
  return renderGoJson(operations);
}
