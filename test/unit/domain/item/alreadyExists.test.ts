import { describe, expect, it } from '@jest/globals';
import { isPortAlreadyAllocated } from '../../../../domain/item/alreadyExists.ts';
import type { ApiFailure } from '../../../../domain/kubernetes/api.ts';

function failure(reason: string, causes: readonly string[] = []): ApiFailure {
  return {
    ok: false,
    status: reason === 'AlreadyExists' ? 409 : 422,
    reason,
    message: 'refused',
    causes: causes.map((message) => ({ reason: 'FieldValueInvalid', message, field: 'spec.ports[0].nodePort' })),
    retryAfterMs: undefined,
    date: undefined,
  };
}

const taken = 'Invalid value: 30080: provided port is already allocated';

describe('isPortAlreadyAllocated', () => {
  it.each<[string, string, ApiFailure, boolean]>([
    ['R-118 AlreadyExists says so itself, without causes', 'Service', failure('AlreadyExists'), false],
    ['R-119 not a Service', 'Pod', failure('Invalid', [taken]), false],
    ['R-120 a Service, no causes', 'Service', failure('Invalid'), false],
    [
      'R-121 a Service, another problem among the causes',
      'Service',
      failure('Invalid', [taken, 'Required value']),
      false,
    ],
    ['R-122, R-123 a Service, nothing but a port that is taken', 'Service', failure('Invalid', [taken]), true],
    ['several ports that are taken', 'Service', failure('Invalid', [taken, taken]), true],
    [
      'a healthCheckNodePort that is taken',
      'Service',
      failure('InternalError', [
        'failed to allocate requested HealthCheck NodePort 32000: provided port is already allocated',
      ]),
      true,
    ],
    ['a port out of range', 'Service', failure('Invalid', ['provided port is not in the valid range']), false],
  ])('%s', (_title, kind, refusal, expected) => {
    expect(isPortAlreadyAllocated(refusal, kind)).toBe(expected);
  });
});
