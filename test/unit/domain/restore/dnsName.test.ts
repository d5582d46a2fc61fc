import { describe, expect, it } from '@jest/globals';
import { isDnsLabel, isDnsSubdomain } from '../../../../domain/restore/dnsName.ts';

describe('isDnsLabel', () => {
  it.each([
    ['a', true],
    ['0-a', true],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    ['', false],
    ['-a', false],
    ['a-', false],
    ['A', false],
    ['a.b', false],
    ['a_b', false],
    ['a\n', false],
  ])('%j %s', (text, expected) => {
    expect(isDnsLabel(text)).toBe(expected);
  });
});

describe('isDnsSubdomain', () => {
  it.each([
    ['a', true],
    ['a.b-c.0', true],
    [`${'a'.repeat(100)}.b`, true],
    ['a'.repeat(253), true],
    ['a'.repeat(254), false],
    ['', false],
    ['.a', false],
    ['a..b', false],
    ['a.-b', false],
    ['a/b', false],
    ['a\n', false],
  ])('%j %s', (text, expected) => {
    expect(isDnsSubdomain(text)).toBe(expected);
  });
});
