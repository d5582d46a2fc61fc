import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { formatGoDuration, GoDurationError, parseGoDuration } from '../../../../domain/go/duration.ts';

interface ParseVector {
  readonly text: string;
  readonly error?: boolean;
  /** Decimal, as it may pass 2^53. */
  readonly nanoseconds?: string;
}

interface FormatVector {
  readonly milliseconds: number;
  readonly string: string;
}

/** Made by a Go 1.26 program from time.ParseDuration and Duration.String. */
function readVectors(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8'));
}
const parseVectors = readVectors('duration') as ParseVector[];
const formatVectors = readVectors('durationString') as FormatVector[];

describe('parseGoDuration', () => {
  it.each(parseVectors.filter((vector) => vector.error !== true))('reads $text', ({ text, nanoseconds }) => {
    expect(parseGoDuration(text)).toBe(Number(nanoseconds) / 1e6);
  });

  it.each(parseVectors.filter((vector) => vector.error === true))('refuses "$text"', ({ text }) => {
    expect(() => parseGoDuration(text)).toThrow(GoDurationError);
  });

  it.each([
    ['1d', 'duration "1d": unknown unit "d", expected a Go duration such as 300ms, 1.5h or 2h45m'],
    ['10', 'duration "10": a number without a unit, expected a Go duration'],
    ['', 'duration "": expected a Go duration'],
    ['.s', 'duration ".s": a unit without a number'],
    ['2562048h', 'duration "2562048h": too large, expected at most 2562047h'],
  ])('says what is wrong with "%s"', (text, message) => {
    expect(() => parseGoDuration(text)).toThrow(message);
  });
});

describe('formatGoDuration', () => {
  it.each(formatVectors)('writes $milliseconds ms as $string', ({ milliseconds, string }) => {
    expect(formatGoDuration(milliseconds)).toBe(string);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e13])('refuses %p', (milliseconds) => {
    expect(() => formatGoDuration(milliseconds)).toThrow(GoDurationError);
  });
});
