import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { errorTypes } from '../domain/contract.ts';
import type { RestoreStatus } from '../domain/restore/restore.ts';
import {
  RestoreCancelled,
  type RestoreClientError,
  RestoreFailed,
  RestoreTerminated,
  RestoreValidationFailed,
} from './errors.ts';

interface FailureDetails {
  readonly validationErrors?: readonly string[];
  readonly status?: RestoreStatus;
}

/** What the end of a restore's workflow means; undefined where the error is not the end of a workflow. */
export function toRestoreEnd(name: string, error: unknown): RestoreClientError | undefined {
  if (!(error instanceof WorkflowFailedError)) return undefined;
  const { cause } = error;
  const options = { cause: error };
  if (cause instanceof CancelledFailure) return new RestoreCancelled(name, options);
  if (!(cause instanceof ApplicationFailure)) {
    return new RestoreTerminated(name, cause?.message ?? error.message, options);
  }
  const details = (cause.details?.[0] ?? {}) as FailureDetails;
  if (cause.type === errorTypes.FailedValidation) {
    return new RestoreValidationFailed(name, details.validationErrors ?? [cause.message], options);
  }
  return new RestoreFailed(name, cause.message, details.status, options);
}
