import { describe, expect, it } from '@jest/globals';
import { parseItem } from '../../../../domain/backup/parseItem.ts';

const path = 'resources/secrets/namespaces/ns-1/a.json';
const SECRET = 'hunter2';

describe('parseItem', () => {
  it('R-442 reads an item and keeps every digit', () => {
    const item = parseItem('{"apiVersion":"v1","kind":"Pod","spec":{"x":9007199254740993}}', path);
    expect(item).toEqual({ apiVersion: 'v1', kind: 'Pod', spec: { x: 9007199254740993n } });
  });

  it('does not need an apiVersion', () => {
    expect(parseItem('{"kind":"Pod"}', path)).toEqual({ kind: 'Pod' });
  });

  it.each<[string, string, string]>([
    ['R-042 text that is not JSON', SECRET, 'invalid JSON at character 0'],
    [
      'R-042 a broken value',
      `{"kind":"Secret","data":{"a":"${SECRET}"},"b":${SECRET}}`,
      'invalid JSON at character 44',
    ],
    ['a text of two lines', `{"kind":"Secret","a":"${SECRET}\n${SECRET}"}`, 'invalid JSON at character 29'],
    ['text after the end', `{"kind":"Secret"} ${SECRET}`, 'invalid JSON at character 18'],
    ['cut off', `{"kind":"Secret","data":{"a":"${SECRET}`, 'unexpected end of JSON input'],
    [
      'cut off, with an unsafe integer',
      `{"kind":"Secret","a":9007199254740993,"b":"${SECRET}`,
      'unexpected end of JSON input',
    ],
    ['empty', '', 'unexpected end of JSON input'],
    ['a byte order mark', '\uFEFF{"kind":"Secret"}', 'invalid JSON at character 0'],
    ['a list', `["${SECRET}"]`, 'expected a JSON object, found an array'],
    ['null', 'null', 'expected a JSON object, found null'],
    ['a text', `"${SECRET}"`, 'expected a JSON object, found a string'],
    ['a large number', '9007199254740993', 'expected a JSON object, found a number'],
    ['no kind', `{"data":{"a":"${SECRET}"}}`, `Object 'Kind' is missing in '${path}'`],
    ['an empty kind', `{"kind":"","data":{"a":"${SECRET}"}}`, `Object 'Kind' is missing in '${path}'`],
    ['a kind of another type', `{"kind":{"${SECRET}":1}}`, `Object 'Kind' is missing in '${path}'`],
  ])('refuses %s without showing its content', (_title, text, cause) => {
    expect(() => parseItem(text, path)).toThrow(
      expect.objectContaining({ type: 'ItemDecode', message: `error decoding "${path}": ${cause}` }),
    );
    expect(() => parseItem(text, path)).not.toThrow(SECRET);
  });

  it('refuses a nesting that cannot be read', () => {
    const deep = `{"kind":"X","n":9007199254740993,"a":${'['.repeat(200_000)}`;
    expect(() => parseItem(deep, path)).toThrow(`error decoding "${path}": the JSON is nested too deeply`);
  });
});
