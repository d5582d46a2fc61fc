import { describe, expect, it } from '@jest/globals';
import {
  deleteIn,
  getArray,
  getIn,
  getObject,
  getString,
  getStringMap,
  isObject,
  type JsonObject,
  setIn,
  withoutKeys,
} from '../../../domain/json.ts';

const pod: JsonObject = {
  kind: 'Pod',
  metadata: { name: 'api', labels: { app: 'api', odd: 1, none: null } },
  spec: { containers: [{ name: 'first' }, { name: 'second' }] },
};

describe('isObject', () => {
  it.each<[string, unknown, boolean]>([
    ['map', {}, true],
    ['list', [], false],
    ['null', null, false],
    ['undefined', undefined, false],
    ['text', 'x', false],
    ['integer', 1n, false],
  ])('%s', (_title, value, expected) => {
    expect(isObject(value as JsonObject)).toBe(expected);
  });
});

describe('reading by path', () => {
  it('follows maps and lists', () => {
    expect(getIn(pod, ['spec', 'containers', 1, 'name'])).toBe('second');
    expect(getString(pod, ['metadata', 'name'])).toBe('api');
    expect(getObject(pod, ['metadata', 'labels'])).toEqual({ app: 'api', odd: 1, none: null });
    expect(getArray(pod, ['spec', 'containers'])).toHaveLength(2);
  });

  it.each<[string, (string | number)[]]>([
    ['a missing key', ['spec', 'volumes', 0]],
    ['a step through a text', ['kind', 'length']],
    ['an index into a map', ['metadata', 0]],
    ['a key of a list', ['spec', 'containers', 'length']],
    ['an inherited property', ['constructor', 'name']],
    ['the prototype', ['metadata', '__proto__', 'toString']],
  ])('gives undefined for %s', (_title, path) => {
    expect(getIn(pod, path)).toBeUndefined();
  });

  it('gives undefined where the type is another', () => {
    expect(getString(pod, ['metadata'])).toBeUndefined();
    expect(getObject(pod, ['spec', 'containers'])).toBeUndefined();
    expect(getArray(pod, ['metadata'])).toBeUndefined();
  });

  it('keeps only the texts of a string map', () => {
    expect(getStringMap(pod, ['metadata', 'labels'])).toEqual({ app: 'api' });
    expect(getStringMap(pod, ['metadata', 'annotations'])).toEqual({});
  });
});

describe('changing copies', () => {
  it('sets a value and shares what lies beside it', () => {
    const changed = setIn(pod, ['metadata', 'labels', 'app'], 'web');
    expect(getString(changed, ['metadata', 'labels', 'app'])).toBe('web');
    expect(getString(pod, ['metadata', 'labels', 'app'])).toBe('api');
    expect(changed['spec']).toBe(pod['spec']);
  });

  it('makes missing maps and replaces other types on the way', () => {
    expect(setIn({}, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
    expect(setIn({ a: 'text' }, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
  });

  it('sets a key called __proto__ as an own key', () => {
    const changed = setIn({}, ['__proto__'], { x: 1 });
    expect(Object.keys(changed)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });

  it('replaces the whole by an empty path, but only with a map', () => {
    expect(setIn(pod, [], { a: 1 })).toEqual({ a: 1 });
    expect(setIn(pod, [], 'text')).toBe(pod);
  });

  it('deletes a key and shares what lies beside it', () => {
    const changed = deleteIn(pod, ['metadata', 'labels']);
    expect(changed).toEqual({ ...pod, metadata: { name: 'api' } });
    expect(changed['spec']).toBe(pod['spec']);
  });

  it.each<[string, string[]]>([
    ['missing', ['metadata', 'annotations']],
    ['below a text', ['kind', 'x']],
    ['inherited', ['toString']],
    ['empty', []],
  ])('gives the object itself for a path that is %s', (_title, path) => {
    expect(deleteIn(pod, path)).toBe(pod);
  });

  it('leaves keys out', () => {
    expect(withoutKeys({ a: 1, b: 2, c: 3 }, ['a', 'c', 'x'])).toEqual({ b: 2 });
    expect(withoutKeys(pod, ['status'])).toBe(pod);
  });
});
