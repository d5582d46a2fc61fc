import { describe, expect, it } from '@jest/globals';
import { ActionError } from '../../../../domain/actions/actionError.ts';
import {
  mapObjects,
  readBoolean,
  readInteger,
  readList,
  readObject,
  readObjects,
  readString,
  removeKeys,
} from '../../../../domain/actions/itemFields.ts';
import type { JsonObject } from '../../../../domain/json.ts';

const ITEM: JsonObject = {
  kind: 'Pod',
  metadata: { annotations: { 'example.com/team': 7 }, labels: { app: 'web' } },
  spec: {
    list: [{ name: 'a' }, 'text', { name: 3 }],
    number: 1.5,
    huge: 9007199254740993n,
    flag: true,
    none: null,
  },
};

describe('fields that actions read', () => {
  it.each([
    ['a string', () => readString(ITEM, ['kind']), 'Pod'],
    ['a string in a list', () => readString(ITEM, ['spec', 'list', 0, 'name']), 'a'],
    ['a missing field', () => readString(ITEM, ['spec', 'missing']), undefined],
    ['a field of something missing', () => readString(ITEM, ['status', 'list', 0, 'name']), undefined],
    ['null, which is missing', () => readString(ITEM, ['spec', 'none']), undefined],
    ['a field of null', () => readString(ITEM, ['spec', 'none', 'name']), undefined],
    ['an inherited property, which is missing', () => readObject(ITEM, ['constructor']), undefined],
    ['an integer beyond 2^53', () => readInteger(ITEM, ['spec', 'huge']), 9007199254740993n],
    ['a boolean', () => readBoolean(ITEM, ['spec', 'flag']), true],
    ['a missing list', () => readList(ITEM, ['spec', 'missing']), undefined],
    ['a missing list of objects', () => readObjects(ITEM, ['spec', 'missing']), []],
  ])('reads %s', (_, read, expected) => {
    expect(read()).toEqual(expected);
  });

  it.each([
    ['kind: expected an object, found a string', () => readObject(ITEM, ['kind'])],
    ['kind: expected an object, found a string', () => readString(ITEM, ['kind', 'inner'])],
    ['metadata: expected a list, found an object', () => readString(ITEM, ['metadata', 0])],
    [
      'metadata.annotations["example.com/team"]: expected a string, found a number',
      () => readString(ITEM, ['metadata', 'annotations', 'example.com/team']),
    ],
    ['spec.list[2].name: expected a string, found a number', () => readString(ITEM, ['spec', 'list', 2, 'name'])],
    ['spec.list[1]: expected an object, found a string', () => readObjects(ITEM, ['spec', 'list'])],
    ['spec.list: expected an object, found a list', () => readObject(ITEM, ['spec', 'list'])],
    ['spec.number: expected an integer, found a number', () => readInteger(ITEM, ['spec', 'number'])],
    ['spec.huge: expected a boolean, found a number', () => readBoolean(ITEM, ['spec', 'huge'])],
    ['spec.flag: expected a list, found a boolean', () => readList(ITEM, ['spec', 'flag'])],
  ])('refuses with "%s"', (message, read) => {
    expect(read).toThrow(new ActionError('ItemFieldType', message));
    expect(read).toThrow(expect.objectContaining({ type: 'ItemFieldType' }));
  });

  it('never shows a value: the item may be a Secret', () => {
    const read = () => readString({ data: ['hunter2'] }, ['data', 'password']);
    expect(read).toThrow(/^data: expected an object, found a list$/);
  });
});

describe('changing fields', () => {
  it('returns the item itself where nothing changes', () => {
    const item: JsonObject = { spec: { list: [{ name: 'a' }] }, metadata: { labels: { app: 'web' } } };
    expect(mapObjects(item, ['spec', 'list'], (entry) => entry)).toBe(item);
    expect(mapObjects(item, ['spec', 'missing'], (entry) => entry)).toBe(item);
    expect(removeKeys(item, ['metadata', 'labels'], ['other'])).toBe(item);
    expect(removeKeys(item, ['metadata', 'annotations'], ['other'])).toBe(item);
  });

  it('leaves out a map that has become empty, and keeps one that was empty before', () => {
    expect(removeKeys({ metadata: { name: 'x', labels: { a: '1' } } }, ['metadata', 'labels'], ['a'])).toEqual({
      metadata: { name: 'x' },
    });
    expect(removeKeys({ metadata: { labels: {} } }, ['metadata', 'labels'], ['a'])).toEqual({
      metadata: { labels: {} },
    });
  });
});
