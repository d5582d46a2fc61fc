import { describe, expect, it } from '@jest/globals';
import { isCompleted, isMirrorPod } from '../../../../domain/item/completed.ts';
import { ItemError } from '../../../../domain/item/itemError.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { item } from '../support/items.ts';

const job = (status: JsonObject): JsonObject => item('batch/v1', 'Job', 'ns-1/job-1', { status });
const pod = (phase: Json): JsonObject => item('v1', 'Pod', 'ns-1/pod-1', { status: { phase } });

describe('isCompleted', () => {
  it.each<[string, string, JsonObject, boolean]>([
    ['R-108 pod Failed', 'pods', pod('Failed'), true],
    ['R-109 pod Succeeded', 'pods', pod('Succeeded'), true],
    ['R-110 pod Pending', 'pods', pod('Pending'), false],
    ['R-111 pod Running', 'pods', pod('Running'), false],
    ['R-112 job without completion time', 'jobs.batch', job({ active: 1 }), false],
    ['R-113 job with completion time', 'jobs.batch', job({ completionTime: '2026-11-30T16:06:01Z' }), true],
    ['R-114 job with empty completion time', 'jobs.batch', job({ completionTime: '' }), false],
    ['R-115 another kind', 'widgets.example.com', job({ phase: 'Failed', completionTime: 'x' }), false],
    ['pods of another group', 'pods.metrics.k8s.io', pod('Failed'), false],
    ['pod without a status', 'pods', item('v1', 'Pod', 'ns-1/pod-1'), false],
    ['pod without a phase', 'pods', item('v1', 'Pod', 'ns-1/pod-1', { status: {} }), false],
    ['pod with status null', 'pods', item('v1', 'Pod', 'ns-1/pod-1', { status: null }), false],
    ['pod with phase null', 'pods', pod(null), false],
    ['a phase in other letters', 'pods', pod('failed'), false],
  ])('%s', (_title, groupResource, object, expected) => {
    expect(isCompleted(groupResource, object)).toBe(expected);
  });

  it.each<[string, string, JsonObject, string]>([
    ['a status that is no map', 'pods', { status: 'Failed' }, '.status: expected a map'],
    ['a status that is a list', 'jobs.batch', { status: [] }, '.status: expected a map'],
    ['a phase that is no text', 'pods', pod(1), '.status.phase: expected a text'],
    [
      'a completion time that is no text',
      'jobs.batch',
      job({ completionTime: {} }),
      '.status.completionTime: expected a text',
    ],
  ])('refuses %s', (_title, groupResource, object, message) => {
    expect(() => isCompleted(groupResource, object)).toThrow(
      new ItemError(`${message}, cannot tell whether the item has completed`),
    );
  });
});

describe('isMirrorPod', () => {
  const annotated = (value: Json): JsonObject => ({
    metadata: { annotations: { 'kubernetes.io/config.mirror': value } },
  });

  it.each<[string, string, JsonObject, boolean]>([
    ['R-024 a pod with the annotation', 'pods', annotated('hash'), true],
    ['an empty annotation', 'pods', annotated(''), false],
    ['no annotation', 'pods', { metadata: {} }, false],
    ['another kind', 'configmaps', annotated('hash'), false],
  ])('%s', (_title, groupResource, object, expected) => {
    expect(isMirrorPod(groupResource, object)).toBe(expected);
  });
});
