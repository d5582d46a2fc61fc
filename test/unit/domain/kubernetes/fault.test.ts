import { describe, expect, it } from '@jest/globals';
import type { ApiFailure } from '../../../../domain/kubernetes/api.ts';
import { classifyFailure, type Fault } from '../../../../domain/kubernetes/fault.ts';

type Cause = ApiFailure['causes'][number];

const terminating: Cause = {
  reason: 'NamespaceTerminating',
  message: 'namespace shop is being terminated',
  field: 'metadata.namespace',
};
const terminatingMessage =
  'configmaps "a" is forbidden: unable to create new content in namespace shop because it is being terminated';

/** Messages as a real API server gives them. */
describe('classifyFailure', () => {
  it.each<[number, string, string, readonly Cause[], Fault]>([
    [429, 'TooManyRequests', 'too many requests', [], 'throttled'],
    [429, 'TooManyRequests', 'storage is (re)initializing', [], 'throttled'],
    [429, '', '', [], 'throttled'],
    [403, 'Forbidden', terminatingMessage, [terminating], 'terminating'],
    [403, 'Forbidden', terminatingMessage, [], 'terminating'],
    [403, 'Forbidden', 'other words', [terminating], 'terminating'],
    [403, 'Forbidden', 'pods "a" is forbidden: status unknown for quota: compute, resources: pods', [], 'quotaUnknown'],
    [403, 'Forbidden', 'pods "a" is forbidden: exceeded quota: compute, requested: pods=1', [], 'item'],
    [500, 'InternalError', 'failed calling webhook "x": connection refused', [], 'serverError'],
    [500, 'InternalError', 'etcdserver: request timed out', [], 'serverError'],
    [502, 'InternalError', '', [], 'serverError'],
    [503, 'ServiceUnavailable', 'the server is currently unable to handle the request', [], 'serverError'],
    [504, 'Timeout', 'the server was unable to return a response in the time allotted', [], 'serverError'],
    [400, 'BadRequest', 'admission webhook "x" denied the request', [], 'item'],
    [401, 'Unauthorized', 'Unauthorized', [], 'unauthorized'],
    [403, 'Forbidden', 'configmaps is forbidden: User "jane" cannot create resource "configmaps"', [], 'item'],
    [404, 'NotFound', 'namespaces "shop" not found', [], 'item'],
    [405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating', [], 'item'],
    [409, 'AlreadyExists', 'configmaps "a" already exists', [], 'item'],
    [409, 'Conflict', 'the object has been modified', [], 'item'],
    [413, 'RequestEntityTooLarge', 'etcdserver: request is too large', [], 'item'],
    [422, 'Invalid', 'Pod "a" is invalid', [], 'item'],
  ])('HTTP %d %s "%s" is %s', (status, reason, message, causes, fault) => {
    expect(
      classifyFailure({ ok: false, status, reason, message, causes, retryAfterMs: undefined, date: undefined }),
    ).toBe(fault);
  });
});
