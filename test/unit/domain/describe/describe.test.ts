import { describe, expect, it } from '@jest/globals';
import { alignColumns, DESCRIBE_COLUMNS, type Line, TABLE_COLUMNS } from '../../../../domain/describe/columns.ts';
import { describeOperations } from '../../../../domain/describe/describeOperations.ts';
import { formatLabelSelector } from '../../../../domain/describe/formatLabelSelector.ts';
import { printable, printTime } from '../../../../domain/describe/printable.ts';
import { type RestoreTableRow, restoreTable } from '../../../../domain/describe/restoreTable.ts';
import { parseLabelSelector } from '../../../../domain/kubernetes/labelSelector.ts';
import type { LabelSelector } from '../../../../domain/restore/restore.ts';

describe('describeOperations', () => {
  const counts = {
    restoreItemOperationsAttempted: 3,
    restoreItemOperationsCompleted: 1,
    restoreItemOperationsFailed: 1,
  };
  const identifier = { Group: 'apps', Resource: 'deployments', Namespace: 'shop', Name: 'web' };
  const spec = { restoreItemAction: 'example.com/a', operationID: 'operation-1', resourceIdentifier: identifier };
  const whole = {
    spec,
    status: {
      phase: 'Failed',
      error: 'it\u001b[31m broke',
      nCompleted: 2,
      nTotal: 5,
      operationUnits: 'steps',
      description: 'copying',
      created: '2026-05-04T08:00:00Z',
      started: '2026-05-04T08:00:01Z',
      updated: '2026-05-04T08:00:02.5Z',
    },
  };

  it('R-458 shows all ten lines of an operation', () => {
    expect(alignColumns(describeOperations(counts, [whole], true), DESCRIBE_COLUMNS).split('\n')).toEqual([
      'Restore Item Operations:',
      '  Operation for deployments.apps shop/web:',
      '    Restore Item Action Plugin:  example.com/a',
      '    Operation ID:                operation-1',
      '    Phase:                       Failed',
      '    Operation Error:             it\\u001b[31m broke',
      '    Progress:                    2 of 5 complete (steps)',
      '    Progress description:        copying',
      '    Created:                     2026-05-04 08:00:00 +0000 UTC',
      '    Started:                     2026-05-04 08:00:01 +0000 UTC',
      '    Updated:                     2026-05-04 08:00:02 +0000 UTC',
      '',
    ]);
  });

  it('R-458 leaves out what is not known', () => {
    const began = { spec, status: { phase: 'New', created: '2026-05-04T08:00:00Z' } };
    expect(describeOperations(counts, [began, whole], true)).toHaveLength(1 + 5 + 10);
  });

  it.each<[string, boolean, string]>([
    ['without details', false, 'specify --details for more information'],
    ['where the file is missing', true, 'their file is not available'],
  ])('R-458 counts them %s', (_title, details, hint) => {
    expect(describeOperations(counts, undefined, details)).toEqual([
      ['Restore Item Operations:', `1 of 3 completed successfully, 1 failed (${hint})`],
    ]);
  });

  it('says nothing where there were none', () => {
    expect(describeOperations({}, [], true)).toEqual([]);
  });
});

describe('alignColumns', () => {
  it.each<[string, Line[], string]>([
    ['nothing', [], ''],
    ['an empty line', [[]], '\n'],
    [
      'two columns',
      [
        ['a:', 'x'],
        ['long:', 'y'],
      ],
      'a:     x\nlong:  y\n',
    ],
    ['a blank line ends a column', [['a:', 'x'], [], ['long:', 'y']], 'a:  x\n\nlong:  y\n'],
    [
      'a heading ends a column',
      [['a:', 'x'], ['A heading that is long'], ['b:', 'y']],
      'a:  x\nA heading that is long\nb:  y\n',
    ],
    [
      'further texts below',
      [
        ['a:', 'x'],
        ['', 'y'],
      ],
      'a:  x\n    y\n',
    ],
    [
      'the last cell is of any width',
      [
        ['a', 'very long text', 'z'],
        ['b', 'c'],
      ],
      'a  very long text  z\nb  c\n',
    ],
    [
      'characters, not UTF-16 units',
      [
        ['😀', 'x'],
        ['ab', 'y'],
      ],
      '😀   x\nab  y\n',
    ],
    [
      'no blanks at the end',
      [
        ['a', ''],
        ['b', 'x'],
      ],
      'a\nb  x\n',
    ],
  ])('%s', (_, lines, expected) => {
    expect(alignColumns(lines, DESCRIBE_COLUMNS)).toBe(expected);
  });

  it('has a least width in tables', () => {
    expect(
      alignColumns(
        [
          ['A', 'B', 'C'],
          ['a', 'bbbb', 'c'],
        ],
        TABLE_COLUMNS,
      ),
    ).toBe('A     B      C\na     bbbb   c\n');
  });

  it('takes very many lines', () => {
    const lines = Array.from({ length: 300_000 }, (): Line => ['a']);
    expect(alignColumns(lines, DESCRIBE_COLUMNS)).toHaveLength(600_000);
  });
});

describe('formatLabelSelector', () => {
  it.each<[LabelSelector | undefined, string]>([
    [undefined, '<none>'],
    [{}, '<none>'],
    [{ matchLabels: { b: '2', a: '1' } }, 'a=1,b=2'],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['y', 'x'] }] }, 'a in (x,y)'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }] }, 'a notin (x)'],
    [
      {
        matchLabels: { m: '1' },
        matchExpressions: [
          { key: 'z', operator: 'Exists' },
          { key: 'a', operator: 'DoesNotExist' },
        ],
      },
      '!a,m=1,z',
    ],
    [{ matchExpressions: [{ key: 'a', operator: 'Nope' }] }, '<error>'],
    [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, '<error>'],
  ])('%j', (selector, expected) => {
    expect(formatLabelSelector(selector)).toBe(expected);
  });

  it('prints what can be read again', () => {
    const text = formatLabelSelector({
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }],
    });
    const matches = parseLabelSelector(text);
    expect([matches({ app: 'web', tier: 'b' }), matches({ app: 'web' })]).toEqual([true, false]);
  });
});

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

function row(name: string, more: Partial<RestoreTableRow> = {}): RestoreTableRow {
  const restore = { name, namespace: 'velero', uid: name, spec: { backupName: 'full' } };
  return { restore, status: { phase: 'New' }, ...more };
}

describe('restoreTable', () => {
  it('R-454 three names, three rows with status New', () => {
    expect(restoreTable([row('one'), row('two'), row('three')])).toBe(
      [
        'NAME    BACKUP   STATUS   STARTED   COMPLETED   ERRORS   WARNINGS   CREATED   SELECTOR',
        'one     full     New      <n/a>     <n/a>       0        0          <n/a>     <none>',
        'two     full     New      <n/a>     <n/a>       0        0          <n/a>     <none>',
        'three   full     New      <n/a>     <n/a>       0        0          <n/a>     <none>',
        '',
      ].join('\n'),
    );
  });

  it('shows times, counts and the selector', () => {
    const text = restoreTable([
      {
        restore: {
          name: 'r',
          namespace: 'velero',
          uid: 'u',
          spec: { backupName: 'b', labelSelector: { matchLabels: { app: 'web' } } },
        },
        status: {
          phase: 'PartiallyFailed',
          errors: 2,
          warnings: 31,
          startTimestamp: '2026-05-04T08:00:00Z',
          completionTimestamp: '2026-05-04T08:01:10Z',
        },
        createdAt: '2026-05-04T07:59:59Z',
      },
    ]);
    expect(text.split('\n')[1]?.split(/ {2,}/)).toEqual([
      'r',
      'b',
      'PartiallyFailed',
      '2026-05-04 08:00:00 +0000 UTC',
      '2026-05-04 08:01:10 +0000 UTC',
      '2',
      '31',
      '2026-05-04 07:59:59 +0000 UTC',
      'app=web',
    ]);
  });

  it('has columns for labels', () => {
    const labels = { 'example.com/team': 'shop', tier: 'gold' };
    const rows = [row('a', { restore: { name: 'a', namespace: 'v', uid: 'u', labels, spec: {} } }), row('b')];
    const lines = restoreTable(rows, { labelColumns: ['example.com/team'], showLabels: true }).split('\n');
    expect(lines[0]).toMatch(/SELECTOR +TEAM +LABELS$/);
    expect(lines[1]).toMatch(/<none> +shop +example\.com\/team=shop,tier=gold$/);
    expect(lines[2]).toMatch(/<none> +<none>$/);
    expect(new Set(lines.slice(0, 3).map((line) => line.search(/LABELS|example|<none>$/))).size).toBe(1);
  });

  it('is only headings for no restores', () => {
    expect(restoreTable([])).toBe(
      'NAME   BACKUP   STATUS   STARTED   COMPLETED   ERRORS   WARNINGS   CREATED   SELECTOR\n',
    );
  });
});
