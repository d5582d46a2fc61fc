import { describe, expect, it } from '@jest/globals';
import { compareGoStrings, renderGoJson, sortedRecord } from '../../../../domain/results/goJson.ts';
import { readFixture } from './fixture.ts';

interface GoText {
  readonly texts: readonly { readonly text: string; readonly json: string }[];
  readonly sorted: readonly string[];
  readonly unsorted: readonly string[];
}

const go = JSON.parse(readFixture('goText.json')) as GoText;

describe('renderGoJson', () => {
  it.each(go.texts)('writes $text as json.Encoder does', ({ text, json }) => {
    expect(renderGoJson([text])).toBe(`[${json.trimEnd()}]\n`);
  });

  it('keeps the order of keys, without spaces', () => {
    expect(renderGoJson({ b: [], a: { '<': 1 } })).toBe('{"b":[],"a":{"\\u003c":1}}\n');
  });
});

describe('compareGoStrings', () => {
  it('sorts as sort.Strings does', () => {
    expect([...go.unsorted].sort(compareGoStrings)).toEqual(go.sorted);
  });
});

describe('sortedRecord', () => {
  it('keeps keys that mean something to JavaScript', () => {
    const record = JSON.parse('{"constructor":1,"__proto__":2,"a":3}') as Record<string, number>;
    expect(Object.entries(sortedRecord(record))).toEqual([
      ['__proto__', 2],
      ['a', 3],
      ['constructor', 1],
    ]);
  });
});
