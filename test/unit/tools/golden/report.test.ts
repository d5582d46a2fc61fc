import { describe, expect, it } from '@jest/globals';
import { parseDifferences } from '../../../../tools/golden/differences.ts';
import type { CaseReport, GoldenReport } from '../../../../tools/golden/golden.ts';
import { describeCase, describeEnd, isGood } from '../../../../tools/golden/report.ts';

const listed = parseDifferences(
  `
- id: first
  reason: A reason that is long enough to be one.
  entries:
  - {cases: '*', kind: results, pattern: lost}
  - {cases: '*', kind: status, pattern: late}
- id: second
  reason: A reason that is long enough to be one.
  entries:
  - {cases: plain, kind: object, pattern: gone}
`,
  'list',
);
const [lost, late, gone] = listed.flatMap(({ entries }) => entries);

function caseReport(over: Partial<CaseReport>): CaseReport {
  return { name: 'plain', fault: undefined, unlisted: [], taken: new Map(), elapsedMs: 12_340, ...over };
}

function goldenReport(over: Partial<GoldenReport>): GoldenReport {
  return { cases: [], listed, isComplete: true, directory: undefined, ...over };
}

describe('describeCase', () => {
  it('is one line for a case that is as it should be', () => {
    expect(describeCase(caseReport({}))).toBe('plain  ok (0 listed differences, 12.3 s)');
    const taken = new Map([
      [lost!, 2],
      [late!, 1],
    ]);
    expect(describeCase(caseReport({ taken }))).toBe('plain  ok (1 listed difference, 12.3 s)');
    expect(describeCase(caseReport({ taken }), true)).toBe(
      'plain  ok (1 listed difference, 12.3 s)\n  listed: first (3 lines)',
    );
  });

  it('shows what is not listed', () => {
    const unlisted = [{ kind: 'object', line: 'v1 Secret a  only in the first file' }] as const;
    expect(describeCase(caseReport({ unlisted, taken: new Map([[gone!, 1]]) }))).toBe(
      'plain  FAIL (1 unlisted difference, 1 listed, 12.3 s)\n  object: v1 Secret a  only in the first file',
    );
  });

  it('counts what is too much to show', () => {
    const unlisted = Array.from({ length: 75 }, (_, index) => ({ kind: 'results', line: `${index}` }) as const);
    const text = describeCase(caseReport({ unlisted })).split('\n');
    expect(text).toHaveLength(62);
    expect(text.at(-1)).toBe('  … and 15 more');
  });

  it('says why a case could not be run', () => {
    expect(describeCase(caseReport({ fault: 'no\nserver' }))).toBe('plain  FAIL (12.3 s)\n  no\n  server');
  });
});

describe('describeEnd', () => {
  const good = caseReport({ taken: new Map([[lost!, 1]]) });
  const bad = caseReport({ name: 'labels', fault: 'broken' });

  it('counts cases and names entries that nothing needs', () => {
    expect(describeEnd(goldenReport({ cases: [good, bad] }))).toBe(
      [
        'note: first never applied: status of *: late',
        'note: second never applied: object of plain: gone',
        '2 cases: 1 as Velero left it (1 listed difference), 1 different',
      ].join('\n'),
    );
  });

  it('cannot tell so when some cases were not run', () => {
    expect(describeEnd(goldenReport({ cases: [good], isComplete: false, directory: '/kept' }))).toBe(
      'kept: /kept\n1 case: 1 as Velero left it (1 listed difference), 0 different',
    );
  });

  it('is good where every case is', () => {
    expect(isGood(goldenReport({ cases: [good] }))).toBe(true);
    expect(isGood(goldenReport({ cases: [good, bad] }))).toBe(false);
    const differs = caseReport({ unlisted: [{ kind: 'status', line: 'late' }] });
    expect(isGood(goldenReport({ cases: [differs] }))).toBe(false);
  });
});
