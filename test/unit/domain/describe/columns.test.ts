import { describe, expect, it } from '@jest/globals';
import { alignColumns, DESCRIBE_COLUMNS, type Line, TABLE_COLUMNS } from '../../../../domain/describe/columns.ts';

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
