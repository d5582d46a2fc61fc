import { describe, expect, it } from '@jest/globals';
import { ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { grpcFault, toClientError } from '../../../client/temporalErrors.ts';

/** What @grpc/grpc-js throws. */
class GrpcError extends Error {
  readonly metadata = {};
  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    super(`${code}: ${details}`);
  }
}

const target = { address: 'temporal:7233', namespace: 'prod' };

function wrapped(code: number, details: string): ServiceError {
  return new ServiceError('Failed to start Workflow', { cause: new GrpcError(code, details) });
}

describe('toClientError', () => {
  it.each<[string, Error, string, string]>([
    ['a deadline', wrapped(4, 'Deadline exceeded after 10s'), 'TemporalUnreachable', 'no answer in time'],
    [
      'a refused connection',
      wrapped(
        14,
        'No connection established. Last error: Error: connect ECONNREFUSED 10.0.0.1:7233. Resolution note: x',
      ),
      'TemporalUnreachable',
      'Temporal server temporal:7233 cannot be reached: connect ECONNREFUSED 10.0.0.1:7233',
    ],
    [
      'a bad API key',
      wrapped(16, 'Request unauthorized.'),
      'TemporalAccessDenied',
      'namespace "prod": Request unauthorized',
    ],
    ['a missing permission', wrapped(7, 'Forbidden'), 'TemporalAccessDenied', 'refused access'],
    ['a missing namespace', new NamespaceNotFoundError('prod'), 'TemporalNamespaceNotFound', 'has no namespace "prod"'],
    [
      'anything else',
      wrapped(3, 'BlobSizeLimitError\nmore'),
      'TemporalRequestFailed',
      'refused the request: BlobSizeLimitError',
    ],
  ])('%s', (_, error, type, message) => {
    const translated = toClientError(error, target);
    expect(translated).toMatchObject({ type, name: type });
    expect(translated.message).toContain(message);
    expect(translated.message).not.toContain('\n');
  });

  it('passes on what is no answer of the server', () => {
    const own = new TypeError('x');
    expect(toClientError(own, target)).toBe(own);
    const translated = toClientError(wrapped(4, ''), target);
    expect(toClientError(translated, target)).toBe(translated);
  });
});

describe('grpcFault', () => {
  it('finds the answer inside the errors around it', () => {
    expect(grpcFault(new Error('outer', { cause: wrapped(5, 'not found') }))).toEqual({
      code: 5,
      details: 'not found',
    });
    expect(grpcFault(new WorkflowNotFoundError('x', 'id', undefined))).toBeUndefined();
    expect(grpcFault('text')).toBeUndefined();
  });
});
