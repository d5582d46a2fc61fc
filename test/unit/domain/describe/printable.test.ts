import { describe, expect, it } from '@jest/globals';
import { printable, printTime } from '../../../../domain/describe/printable.ts';

describe('printable', () => {
  it.each([
    ['plain ümläut 😀', 'plain ümläut 😀'],
    [' two\r\n  lines\n', 'two lines'],
    ['a\u2028b', 'a b'],
    ['\u001b[31mred\u0007', '\\u001b[31mred\\u0007'],
    ['a\tb', 'a\\u0009b'],
    ['\u009b1m', '\\u009b1m'],
    ['half \ud800', 'half \\ud800'],
  ])('%j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

describe('printTime', () => {
  it.each([
    [undefined, '<n/a>'],
    ['2026-05-04T08:00:00Z', '2026-05-04 08:00:00 +0000 UTC'],
    ['2026-05-04T10:00:00.123+02:00', '2026-05-04 08:00:00 +0000 UTC'],
    ['when it suits', 'when it suits'],
  ])('%j', (time, expected) => {
    expect(printTime(time)).toBe(expected);
  });
});
