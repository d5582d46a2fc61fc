import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { GoBoolError, parseGoBool } from '../../../../domain/go/bool.ts';

/** Made by a Go 1.26 program from strconv.ParseBool. */
const vectors = JSON.parse(readFileSync(new URL('./vectors/bool.json', import.meta.url), 'utf8')) as {
  readonly text: string;
  readonly error?: boolean;
  readonly value?: boolean;
}[];

describe('parseGoBool', () => {
  it.each(vectors.filter((vector) => vector.error !== true))('reads "$text" as $value', ({ text, value }) => {
    expect(parseGoBool(text)).toBe(value);
  });

  it.each(vectors.filter((vector) => vector.error === true))('refuses "$text"', ({ text }) => {
    expect(() => parseGoBool(text)).toThrow(GoBoolError);
  });

  it('names the value and what was expected', () => {
    expect(() => parseGoBool('yes')).toThrow(
      '"yes" is no truth value: expected one of 1, t, T, TRUE, true, True, 0, f',
    );
  });
});
