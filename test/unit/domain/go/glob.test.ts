import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { compileGlob, GlobSyntaxError } from '../../../../domain/go/glob.ts';

interface GlobVector {
  readonly pattern: string;
  readonly separators: string;
  readonly error?: boolean;
  readonly matches?: readonly string[];
  readonly misses?: readonly string[];
}

/**
 * Made by a Go program that compiled each pattern with gobwas/glob v0.2.3 and matched it against a list of texts. The cases
 * of the next table, where the original does not follow its own grammar, were taken out.
 */
const vectors = JSON.parse(readFileSync(new URL('./vectors/glob.json', import.meta.url), 'utf8')) as GlobVector[];

describe('compileGlob', () => {
  it.each(vectors.filter((vector) => vector.error !== true))(
    'matches like gobwas/glob: $pattern (separators "$separators")',
    ({ pattern, separators, matches, misses }) => {
      const matcher = compileGlob(pattern, separators);

      expect(matches?.filter((text) => !matcher(text))).toEqual([]);
      expect(misses?.filter((text) => matcher(text))).toEqual([]);
    },
  );

  it.each(vectors.filter((vector) => vector.error === true))(
    'refuses like gobwas/glob: $pattern',
    ({ pattern, separators }) => {
      expect(() => compileGlob(pattern, separators)).toThrow(GlobSyntaxError);
    },
  );

  // gobwas/glob v0.2.3 answers the opposite in each line: its optimiser, not its grammar.
  it.each([
    { pattern: '?', separators: '', text: '', matches: false },
    { pattern: '[!a]', separators: '', text: '', matches: false },
    { pattern: '***', separators: '.', text: '', matches: true },
    { pattern: '{a*,b?}c', separators: '.', text: 'abbc', matches: true },
    { pattern: '{a*,b?}c', separators: '.', text: 'bac', matches: true },
    { pattern: '?ö', separators: '', text: 'aö', matches: true },
    { pattern: '[!ab][!ab]', separators: '', text: 'aa', matches: false },
  ])('follows the grammar: $pattern and "$text" is $matches', ({ pattern, separators, text, matches }) => {
    expect(compileGlob(pattern, separators)(text)).toBe(matches);
  });

  it('names the pattern and what was expected', () => {
    expect(() => compileGlob('[c-a]')).toThrow(
      'glob pattern "[c-a]": the range "c-a" is reversed: expected its end not to be before its start',
    );
  });

  it('keeps its separators apart in the cache', () => {
    expect(compileGlob('a*')('a.b')).toBe(true);
    expect(compileGlob('a*', '.')('a.b')).toBe(false);
  });

  it('still answers for patterns on which a backtracking matcher would never end', () => {
    expect(compileGlob('*a'.repeat(60) + 'b')('a'.repeat(2_000))).toBe(false);
  });
});
