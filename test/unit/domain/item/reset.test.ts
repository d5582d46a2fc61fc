import { describe, expect, it } from '@jest/globals';
import { isCompleted, isMirrorPod } from '../../../../domain/item/completed.ts';
import { ItemError } from '../../../../domain/item/itemError.ts';
import { resetMetadata, resetStatus } from '../../../../domain/item/resetMetadata.ts';
import { shouldRestoreStatus } from '../../../../domain/item/statusDecision.ts';
import { mapClaimNamespace, resetClaim, resetVolumeBinding } from '../../../../domain/item/volumeBinding.ts';
import { deleteIn, getIn, type Json, type JsonObject, setIn, withoutKeys } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/jsonText.ts';
import { toLabelValue } from '../../../../domain/restore/labels.ts';
import { resourceIncludesExcludes } from '../../../../domain/selection/includesExcludes.ts';
import { frozen } from '../support/frozen.ts';
import { claimOf, item, podOf, volumeOf, withLabels } from '../support/items.ts';
import { canonical } from '../support/mergePatches.ts';
import { objectOf, prepare } from '../support/prepare.ts';
import { servedTable } from '../support/table.ts';

const kept: JsonObject = {
  name: 'name',
  namespace: 'ns',
  labels: { a: 'b' },
  annotations: { c: 'd' },
  managedFields: [{ manager: 'kubectl' }],
  finalizers: ['example.com/f'],
  clusterName: 'what nobody knows',
};

describe('resetMetadata', () => {
  it.each<[string, JsonObject]>([
    ['none', {}],
    ['null', { metadata: null }],
    ['a text', { metadata: 'name' }],
    ['a list', { metadata: [] }],
  ])('R-102 refuses an item whose metadata is %s', (_title, object) => {
    expect(() => resetMetadata(object)).toThrow(new ItemError('metadata not found'));
  });

  it('R-103 keeps what people and controllers wrote', () => {
    expect(resetMetadata(frozen({ metadata: { ...kept } }))).toEqual({ metadata: kept });
  });

  it.each([
    ['R-104', 'uid'],
    ['R-104', 'ownerReferences'],
    ['§11 step 8', 'generateName'],
    ['§11 step 8', 'selfLink'],
    ['§11 step 8', 'resourceVersion'],
    ['§11 step 8', 'generation'],
    ['§11 step 8', 'creationTimestamp'],
    ['§11 step 8', 'deletionTimestamp'],
    ['§11 step 8', 'deletionGracePeriodSeconds'],
  ])('%s removes %s', (_id, key) => {
    expect(resetMetadata(frozen({ metadata: { ...kept, [key]: 'x' } }))).toEqual({ metadata: kept });
  });

  it('R-105 leaves the status alone', () => {
    expect(resetMetadata(frozen({ metadata: {}, status: { uid: 'x' } }))).toEqual({
      metadata: {},
      status: { uid: 'x' },
    });
  });
});

describe('resetStatus', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['R-106 no status', { kind: 'Pod' }, { kind: 'Pod' }],
    ['R-107 a status', { kind: 'Pod', status: { phase: 'Running' } }, { kind: 'Pod' }],
    ['a status of null', { kind: 'Pod', status: null }, { kind: 'Pod' }],
  ])('%s', (_title, object, expected) => {
    expect(resetStatus(frozen(object))).toEqual(expected);
  });
});

const exactly63 = 'the-really-long-kube-service-name-that-is-exactly-63-characters';
const longer = 'the-really-long-kube-service-name-that-is-much-greater-than-63-characters';

describe('toLabelValue', () => {
  it.each([
    ['R-236 a short name', 'short label value', 'short label value'],
    ['63 characters', exactly63, exactly63],
    [
      'R-237 more than 63 characters',
      'this_is_a_very_long_label_value_that_will_be_rejected_by_Kubernetes',
      'this_is_a_very_long_label_value_that_will_be_rejected_by_8d0722',
    ],
  ])('%s', (_title, name, expected) => {
    expect(toLabelValue(name)).toBe(expected);
    expect(expected.length).toBeLessThanOrEqual(63);
  });
});

describe('restore labels', () => {
  it.each([
    ['R-045 short names', 'backup-1', 'restore-1', 'backup-1', 'restore-1'],
    ['R-046 names of 63 characters', exactly63, exactly63, exactly63, exactly63],
    [
      'R-047 longer names',
      longer,
      longer,
      'the-really-long-kube-service-name-that-is-much-greater-th8a11b3',
      'the-really-long-kube-service-name-that-is-much-greater-th8a11b3',
    ],
  ])('%s', async (_title, backupName, restoreName, backupLabel, restoreLabel) => {
    const object = await objectOf(podOf('ns-1/pod-1', withLabels({ a: 'b', 'velero.io/restore-name': 'older' })), {
      backupName,
      restoreName,
    });

    expect(getIn(object, ['metadata', 'labels'])).toEqual({
      a: 'b',
      'velero.io/backup-name': backupLabel,
      'velero.io/restore-name': restoreLabel,
    });
  });
});

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

describe('resetVolumeBinding', () => {
  it('R-116 a volume keeps who provisioned it, and which claim it is for', () => {
    const volume = item('v1', 'PersistentVolume', 'pv-1', {
      metadata: {
        annotations: {
          'pv.kubernetes.io/bind-completed': 'yes',
          'pv.kubernetes.io/bound-by-controller': 'yes',
          'pv.kubernetes.io/provisioned-by': 'csi.example.com',
        },
      },
      spec: {
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'ns-1', name: 'data', uid: 'u', resourceVersion: '1' },
      },
    });

    expect(resetVolumeBinding(frozen(volume))).toEqual(
      item('v1', 'PersistentVolume', 'pv-1', {
        metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'csi.example.com' } },
        spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'ns-1', name: 'data' } },
      }),
    );
  });

  it('R-117 a claim keeps its volume, and an empty map of annotations', () => {
    const claim = item('v1', 'PersistentVolumeClaim', 'ns-1/data', {
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
      },
      spec: { volumeName: 'pv-1' },
    });

    expect(resetVolumeBinding(frozen(claim))).toEqual(
      item('v1', 'PersistentVolumeClaim', 'ns-1/data', { metadata: { annotations: {} }, spec: { volumeName: 'pv-1' } }),
    );
  });

  it('leaves alone what was never bound', () => {
    const volume = frozen(item('v1', 'PersistentVolume', 'pv-1', { spec: { capacity: { storage: '1Gi' } } }));

    expect(resetVolumeBinding(volume)).toBe(volume);
  });
});

describe('mapClaimNamespace', () => {
  it.each<[string, JsonObject, Record<string, string>, string | undefined]>([
    ['R-094 mapped', volumeOf('pv-1', 'Retain', 'ns-1/data'), { 'ns-1': 'mapped' }, 'mapped'],
    ['another namespace is mapped', volumeOf('pv-1', 'Retain', 'ns-1/data'), { 'ns-2': 'mapped' }, 'ns-1'],
    ['no claim', volumeOf('pv-1', 'Retain'), { 'ns-1': 'mapped' }, undefined],
    ['a key of the prototype', volumeOf('pv-1', 'Retain', 'constructor/data'), {}, 'constructor'],
  ])('%s', (_title, volume, mapping, expected) => {
    expect(getIn(mapClaimNamespace(frozen(volume), mapping), ['spec', 'claimRef', 'namespace'])).toBe(expected);
  });
});

describe('resetClaim', () => {
  it.each([
    ['R-085 drops the name of a volume that is not restored', true, { storageClassName: 'fast' }],
    ['R-094 keeps the name of a volume that is', false, { storageClassName: 'fast', volumeName: 'pv-1' }],
  ])('%s', (_title, dropVolumeName, spec) => {
    expect(resetClaim(frozen(claimOf('ns-1/data', 'pv-1')), { dropVolumeName })).toEqual(
      item('v1', 'PersistentVolumeClaim', 'ns-1/data', {
        metadata: { annotations: { 'example.com/kept': 'yes' } },
        spec,
        status: { phase: 'Bound' },
      }),
    );
  });

  it('leaves a claim alone that names no volume', () => {
    const claim = frozen(claimOf('ns-1/data', ''));

    expect(resetClaim(claim, { dropVolumeName: true })).toBe(claim);
  });
});

const text = '{"metadata":{"labels":{"a":"b","__proto__":"c"}},"list":[{"x":1}],"n":null,"__proto__":{"y":2}}';

/** Every step of the item pipeline makes its changes with these; nothing they are given may change. */
describe('changed copies', () => {
  it.each<[string, (object: JsonObject) => JsonObject, string]>([
    [
      'setIn deep',
      (object) => setIn(object, ['metadata', 'labels', 'a'], 'z'),
      '{"metadata":{"labels":{"a":"z","__proto__":"c"}},"list":[{"x":1}],"n":null,"__proto__":{"y":2}}',
    ],
    [
      'setIn through null and lists',
      (object) => setIn(setIn(object, ['n', 'm'], 1), ['list', 'm'], 2),
      '{"metadata":{"labels":{"a":"b","__proto__":"c"}},"list":{"m":2},"n":{"m":1},"__proto__":{"y":2}}',
    ],
    [
      'setIn below __proto__',
      (object) => setIn(object, ['__proto__', 'y'], 3),
      '{"metadata":{"labels":{"a":"b","__proto__":"c"}},"list":[{"x":1}],"n":null,"__proto__":{"y":3}}',
    ],
    [
      'deleteIn deep',
      (object) => deleteIn(object, ['metadata', 'labels', '__proto__']),
      '{"metadata":{"labels":{"a":"b"}},"list":[{"x":1}],"n":null,"__proto__":{"y":2}}',
    ],
    ['deleteIn of what is not there', (object) => deleteIn(object, ['metadata', 'annotations', 'a']), text],
    ['deleteIn through null and lists', (object) => deleteIn(deleteIn(object, ['n', 'm']), ['list', '0']), text],
    ['deleteIn of a key of the prototype', (object) => deleteIn(object, ['constructor']), text],
    ['withoutKeys', (object) => withoutKeys(object, ['metadata', 'list', '__proto__', 'absent']), '{"n":null}'],
  ])('%s', (_title, change, expected) => {
    const object = frozen(parseJson(text) as JsonObject);

    expect(canonical(change(object))).toBe(canonical(parseJson(expected)));
    expect(canonical(object)).toBe(canonical(parseJson(text)));
  });
});
