import { describe, expect, it } from '@jest/globals';
import { mapClaimNamespace, resetClaim, resetVolumeBinding } from '../../../../domain/item/volumeBinding.ts';
import { getIn, type JsonObject } from '../../../../domain/json.ts';
import { frozen } from '../support/frozen.ts';
import { claimOf, item, volumeOf } from '../support/items.ts';

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
