import { describe, expect, it } from '@jest/globals';
import { parseJson, renderJson } from '../../../domain/jsonText.ts';

describe('parseJson', () => {
  it.each<[string, string, unknown]>([
    ['small integer', '{"a":1}', { a: 1 }],
    ['largest safe integer', '{"a":9007199254740991}', { a: 9007199254740991 }],
    ['first unsafe integer', '{"a":9007199254740992}', { a: 9007199254740992n }],
    ['first unsafe odd integer', '[9007199254740993]', [9007199254740993n]],
    ['largest int64', '{"a": 9223372036854775807}', { a: 9223372036854775807n }],
    ['smallest int64', '{"a":-9223372036854775808}', { a: -9223372036854775808n }],
    ['beyond int64: a double, as in Go', '{"a":9223372036854775808}', { a: 9223372036854775808 }],
    ['below int64: a double, as in Go', '[1,-9223372036854775809]', [1, -9223372036854775809]],
    ['a long fraction stays a double', '{"a":0.12345678901234567890}', { a: 0.12345678901234568 }],
    ['an exponent is a double', '{"a":1234567890123456e3}', { a: 1234567890123456000 }],
    ['digits in a text stay a text', '{"a":":1234567890123456789"}', { a: ':1234567890123456789' }],
    ['an integer as the whole text', '12', 12],
    ['after a line break', '{"a":\n\t1234567890123456789}', { a: 1234567890123456789n }],
  ])('%s', (_title, text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it('finds an unsafe integer deep inside and leaves its neighbours numbers', () => {
    const text = '{"a":[{"b":{"c":[0,1.5,9007199254740993]}}],"d":2}';
    expect(parseJson(text)).toEqual({ a: [{ b: { c: [0, 1.5, 9007199254740993n] } }], d: 2 });
  });

  it.each(['{"__proto__":{"x":1},"b":2}', '{"__proto__":{"x":1},"b":9007199254740993}'])(
    'keeps a key called __proto__ an own key: %s',
    (text) => {
      const value = parseJson(text) as object;
      expect(Object.keys(value)).toEqual(['__proto__', 'b']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(renderJson(parseJson(text))).toBe(text);
    },
  );

  it.each(['', '{', '{"a":1,}', '{"a":9007199254740993', '{"a":9007199254740993}x'])('refuses %j', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});

describe('renderJson', () => {
  it.each([
    '{"a":1,"b":[true,null,"x"]}',
    '{"a":9007199254740993,"b":{"c":[-9223372036854775808]}}',
    '[]',
    '"a \\"quoted\\" text"',
    'null',
  ])('gives back what was read: %s', (text) => {
    expect(renderJson(parseJson(text))).toBe(text);
  });

  it('writes a bigint without quotes', () => {
    expect(renderJson({ a: 1n, b: [2n] })).toBe('{"a":1,"b":[2]}');
  });
});
