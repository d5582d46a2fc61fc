import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { GoBoolError, parseGoBool } from '../../../../domain/go/bool.ts';
import { formatGoDuration, GoDurationError, parseGoDuration } from '../../../../domain/go/duration.ts';
import { compileGlob, GlobSyntaxError } from '../../../../domain/go/glob.ts';
import { semanticEqual } from '../../../../domain/go/semanticEqual.ts';
import { parseJson } from '../../../../domain/jsonText.ts';
import { toLabelValue } from '../../../../domain/restore/labels.ts';

/** Made by a Go 1.26 program from strconv.ParseBool. */
const vectors = JSON.parse(readFileSync(new URL('./vectors/bool.json', import.meta.url), 'utf8')) as {
  readonly text: string;
  readonly error?: boolean;
  readonly value?: boolean;
}[];

const labelValues = JSON.parse(readFileSync(new URL('./vectors/labelValue.json', import.meta.url), 'utf8')) as {
  readonly name: string;
  readonly value: string;
}[];

describe('toLabelValue', () => {
  it.each(labelValues)('R-236, R-237 shortens as Velero does: "$name"', ({ name, value }) => {
    expect(toLabelValue(name)).toBe(value);
  });
});

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

describe('glob', () => {
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

        // Left out where empty.
        expect((matches ?? []).filter((text) => !matcher(text))).toEqual([]);
        expect((misses ?? []).filter((text) => matcher(text))).toEqual([]);
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
});

describe('semanticEqual', () => {
  /**
   * Made by a Go program from equality.Semantic.DeepEqual of k8s.io/apimachinery v0.36.3 over JSON texts decoded like
   * unstructured objects are (util/json).
   */
  const vectors = JSON.parse(readFileSync(new URL('./vectors/semanticEqual.json', import.meta.url), 'utf8')) as {
    readonly a: string;
    readonly b: string;
    readonly equal: boolean;
  }[];

  describe('semanticEqual', () => {
    it.each(vectors)('$a and $b: $equal', ({ a, b, equal }) => {
      expect(semanticEqual(parseJson(a), parseJson(b))).toBe(equal);
      expect(semanticEqual(parseJson(b), parseJson(a))).toBe(equal);
    });
  });
});
