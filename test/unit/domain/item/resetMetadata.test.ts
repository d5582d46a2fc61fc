import { describe, expect, it } from '@jest/globals';
import { ItemError } from '../../../../domain/item/itemError.ts';
import { resetMetadata, resetStatus } from '../../../../domain/item/resetMetadata.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { frozen } from '../support/frozen.ts';

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
