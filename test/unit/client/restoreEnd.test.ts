import { describe, expect, it } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, RetryState, TerminatedFailure } from '@temporalio/common';
import { toRestoreEnd } from '../../../client/restoreEnd.ts';
import { errorTypes } from '../../../domain/contract.ts';

function failed(cause: Error | undefined): WorkflowFailedError {
  return new WorkflowFailedError('Workflow execution failed', cause, RetryState.NON_RETRYABLE_FAILURE);
}

describe('toRestoreEnd', () => {
  it('FailedValidation carries every reason', () => {
    const validationErrors = ['no such backup', 'bad mapping'];
    const cause = ApplicationFailure.nonRetryable('no such backup\nbad mapping', errorTypes.FailedValidation, {
      validationErrors,
    });
    expect(toRestoreEnd('copy', failed(cause))).toMatchObject({ type: 'RestoreValidationFailed', validationErrors });
  });

  it('RestoreFailed carries reason and status', () => {
    const status = { phase: 'Failed', failureReason: 'no gzip' };
    const cause = ApplicationFailure.nonRetryable('no gzip', errorTypes.RestoreFailed, { status });
    expect(toRestoreEnd('copy', failed(cause))).toMatchObject({ type: 'RestoreFailed', reason: 'no gzip', status });
  });

  it.each<[string, Error | undefined, string]>([
    ['cancelled', new CancelledFailure('Workflow canceled'), 'RestoreCancelled'],
    ['terminated', new TerminatedFailure('by an operator'), 'RestoreTerminated'],
    ['failed for a reason of its own', ApplicationFailure.nonRetryable('x', 'WorkStore'), 'RestoreFailed'],
    ['failed without a cause', undefined, 'RestoreTerminated'],
  ])('%s', (_, cause, type) => {
    expect(toRestoreEnd('copy', failed(cause))).toMatchObject({ type });
  });

  it('is undefined for what is no end of a workflow', () => {
    expect(toRestoreEnd('copy', new Error('connection lost'))).toBeUndefined();
  });
});
