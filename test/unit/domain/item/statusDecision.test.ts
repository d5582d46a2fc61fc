import { describe, expect, it } from '@jest/globals';
import { shouldRestoreStatus } from '../../../../domain/item/statusDecision.ts';
import { resourceIncludesExcludes } from '../../../../domain/selection/includesExcludes.ts';
import { item, podOf } from '../support/items.ts';
import { prepare } from '../support/prepare.ts';
import { servedTable } from '../support/table.ts';

type StatusSpec = { includedResources?: string[]; excludedResources?: string[] } | undefined;

const all: StatusSpec = { includedResources: ['*'] };
const nothing: StatusSpec = { includedResources: ['nothing'] };

function filterOf(spec: StatusSpec): ((groupResource: string) => boolean) | undefined {
  if (spec === undefined) return undefined;
  const filter = resourceIncludesExcludes(spec.includedResources, spec.excludedResources, servedTable);
  return (groupResource) => filter.shouldInclude(groupResource);
}

describe('shouldRestoreStatus', () => {
  it.each<[string, string | undefined, StatusSpec, boolean]>([
    ['R-133 no annotation, spec includes', undefined, all, true],
    ['R-134 no annotation, spec excludes', undefined, nothing, false],
    ['R-135 annotation true, spec excludes', 'true', nothing, true],
    ['R-136 annotation false, spec includes', 'false', all, false],
    ['R-137 annotation foo, spec includes', 'foo', all, true],
    ['R-138 annotation empty, spec excludes', '', nothing, false],
    ['R-139 annotation True, spec includes', 'True', all, true],
    ['R-140 annotation FALSE, spec includes', 'FALSE', all, false],
    ['R-141 annotation true, no spec', 'true', undefined, true],
    ['R-142 annotation false, no spec', 'false', undefined, false],
    ['R-143 no annotation, no spec', undefined, undefined, false],
    ['blanks around the annotation', ' true\n', nothing, true],
    ['an empty include list means all', undefined, {}, true],
    ['the resource by a short name', undefined, { includedResources: ['po'] }, true],
    ['another resource', undefined, { includedResources: ['svc'] }, false],
    ['an excluded resource', undefined, { excludedResources: ['pods'] }, false],
  ])('%s', (_title, annotation, spec, expected) => {
    const annotations = annotation === undefined ? {} : { 'velero.io/restore-status': annotation };
    const pod = item('v1', 'Pod', 'ns-1/pod-1', { metadata: { annotations } });

    expect(shouldRestoreStatus(pod, 'pods', filterOf(spec))).toBe(expected);
  });

  it('an annotation that is no text says nothing', () => {
    const pod = item('v1', 'Pod', 'ns-1/pod-1', { metadata: { annotations: { 'velero.io/restore-status': true } } });

    expect(shouldRestoreStatus(pod, 'pods', undefined)).toBe(false);
  });

  it.each([
    ['is handed on beside the object', true, { phase: 'Running' }],
    ['is left out', false, undefined],
  ])('the status of the backup %s', async (_title, isIncluded, status) => {
    const prepared = await prepare(podOf('ns-1/pod-1'), { statusFilter: () => isIncluded });

    expect(prepared).toMatchObject({ status });
    expect('object' in prepared && Object.keys(prepared.object)).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('an action may set the annotation', async () => {
    const prepared = await prepare(podOf('ns-1/pod-1'), {
      actions: [
        {
          name: 'example.com/with-status',
          appliesTo: {},
          execute: (input) => ({
            item: {
              ...input.item,
              metadata: { namespace: 'ns-1', name: 'pod-1', annotations: { 'velero.io/restore-status': 'true' } },
            },
            additionalItems: [],
            skipRestore: false,
          }),
        },
      ],
    });

    expect(prepared).toMatchObject({ status: { phase: 'Running' } });
  });
});
