import { describe, expect, it } from '@jest/globals';
import { deleteIn, type JsonObject, setIn, withoutKeys } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/jsonText.ts';
import { frozen } from '../support/frozen.ts';
import { canonical } from '../support/mergePatches.ts';

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
