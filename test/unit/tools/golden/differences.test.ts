import { describe, expect, it } from '@jest/globals';
import type { FoundDifference } from '../../../../tools/golden/comparison.ts';
import { DifferencesError, parseDifferences, sortDifferences } from '../../../../tools/golden/differences.ts';

const REASON = 'A reason that is long enough to be one.';

function listOf(entries: string): string {
  return `- id: one\n  reason: ${REASON}\n  entries:\n${entries}`;
}

function results(...lines: string[]): FoundDifference[] {
  return lines.map((line) => ({ kind: 'results', line }));
}

function unlisted(caseName: string, found: readonly FoundDifference[], entries: string): string[] {
  return sortDifferences(caseName, found, parseDifferences(listOf(entries), 'list')).unlisted.map(({ line }) => line);
}

describe('sortDifferences', () => {
  it('takes out a whole line of the kind and case, and counts it', () => {
    const listed = parseDifferences(listOf("  - {cases: plain, kind: results, pattern: 'lost \\w+'}"), 'list');
    const { unlisted: left, taken } = sortDifferences('plain', results('lost one', 'a lost one', 'lost one.'), listed);
    expect(left.map(({ line }) => line)).toEqual(['a lost one', 'lost one.']);
    expect([...taken]).toEqual([[listed[0]?.entries[0], 1]]);
  });

  it('leaves lines of another kind', () => {
    const entry = '  - {cases: plain, kind: status, pattern: lost}';
    expect(unlisted('plain', results('lost'), entry)).toEqual(['lost']);
  });

  it.each([
    ['plain', 'plain', []],
    ["'*'", 'plain', []],
    ["'failed-*'", 'failed-validation/one', []],
    ["'failed-*'", 'plain', ['lost']],
    ['[labels, plain]', 'plain', []],
    ['pl.in', 'plain', ['lost']],
    ['plai', 'plain', ['lost']],
  ])('an entry for cases %s and case %s leaves %j', (cases, name, left) => {
    expect(unlisted(name, results('lost'), `  - {cases: ${cases}, kind: results, pattern: lost}`)).toEqual(left);
  });

  it('applies once where nothing else is said, and never more often than is said', () => {
    const found = results('lost 1', 'lost 2', 'lost 3');
    const once = "  - {cases: plain, kind: results, pattern: 'lost \\d'}";
    expect(unlisted('plain', found, once)).toEqual(['lost 2', 'lost 3']);
    const twice = "  - {cases: plain, kind: results, pattern: 'lost \\d', times: 2}";
    expect(unlisted('plain', found, twice)).toEqual(['lost 3']);
  });

  describe('a line that must be there too', () => {
    const entry = `
  - cases: plain
    kind: results
    pattern: 'lost (\\w+) of (\\w+)'
    times: 5
    with: {kind: status, line: 'found $1 in $2'}`;

    it('goes with the first', () => {
      const found: FoundDifference[] = [
        ...results('lost one of a', 'lost two of b'),
        { kind: 'status', line: 'found two in b' },
        { kind: 'status', line: 'found one in a' },
      ];
      expect(unlisted('plain', found, entry)).toEqual([]);
    });

    it.each([
      ['is missing', []],
      ['is of another kind', results('found one in a')],
      ['has other words', [{ kind: 'status', line: 'found one in b' } as const]],
      ['goes with another', [{ kind: 'status', line: 'found one in a, more' } as const]],
    ])('keeps both where it %s', (_how, second) => {
      const found = [...results('lost one of a'), ...second];
      expect(unlisted('plain', found, entry)).toEqual(found.map(({ line }) => line));
    });

    it('serves one line only', () => {
      const found: FoundDifference[] = [
        ...results('lost one of a', 'lost one of a'),
        { kind: 'status', line: 'found one in a' },
      ];
      expect(unlisted('plain', found, entry)).toEqual(['lost one of a']);
    });
  });
});

describe('parseDifferences', () => {
  it.each([
    ['an unknown field', '  - {cases: plain, kind: results, pattern: lost, sometimes: true}'],
    ['an unknown kind', '  - {cases: plain, kind: hooks, pattern: lost}'],
    ['no pattern', '  - {cases: plain, kind: results}'],
    ['a pattern that is none', "  - {cases: plain, kind: results, pattern: '('}"],
    ['a count of nothing', '  - {cases: plain, kind: results, pattern: lost, times: 0}'],
    ['no case', '  - {cases: [], kind: results, pattern: lost}'],
    ['no entry', '    []'],
    ['text that is no YAML', '  - {cases: plain'],
  ])('refuses %s and names the list', (_what, entries) => {
    const parse = (): unknown => parseDifferences(listOf(entries), 'my-list.yaml');
    expect(parse).toThrow(DifferencesError);
    expect(parse).toThrow(/^my-list\.yaml: /);
  });

  it('refuses a difference without a reason, and a name that is there twice', () => {
    const entries = '  - {cases: plain, kind: results, pattern: lost}';
    expect(() => parseDifferences(listOf(entries).replace(REASON, 'So.'), 'list')).toThrow(/reason/);
    const twice = `${listOf(entries)}\n${listOf(entries)}`;
    expect(() => parseDifferences(twice, 'list')).toThrow('list: one is listed twice');
  });
});
