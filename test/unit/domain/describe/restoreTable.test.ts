import { describe, expect, it } from '@jest/globals';
import { type RestoreTableRow, restoreTable } from '../../../../domain/describe/restoreTable.ts';

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
