import { describe, expect, it } from '@jest/globals';
import { toApiResult } from '../../../../adapters/kubernetes/apiResult.ts';
import type { ApiFailure } from '../../../../domain/kubernetes/api.ts';
import { isNotServed } from '../../../../domain/kubernetes/notServed.ts';

function failure(status: number, contentType: string, text: string): ApiFailure {
  const result = toApiResult('POST', { status, headers: { 'content-type': contentType }, text });
  if (result === undefined || result.ok) throw new Error('expected a failure');
  return result;
}

function statusText(code: number, reason: string, message: string): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details: {} });
}

describe('isNotServed', () => {
  it('sees that no resource is served at the path', () => {
    const answer = failure(404, 'text/plain; charset=utf-8', '404 page not found\n');
    expect(answer.message).toBe('the server could not find the requested resource');
    expect(isNotServed(answer)).toBe(true);
  });

  it.each([
    ['a missing namespace', 404, 'application/json', statusText(404, 'NotFound', 'namespaces "shop" not found')],
    ['a refused object', 422, 'application/json', statusText(422, 'Invalid', 'Widget "left" is invalid')],
    ['a server error without a Status', 500, 'text/plain', 'broken'],
  ])('is not misled by %s', (_what, status, contentType, text) => {
    expect(isNotServed(failure(status, contentType, text))).toBe(false);
  });
});
