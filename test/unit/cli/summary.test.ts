import { describe, expect, it } from '@jest/globals';
import { type RestoreSummary, renderSummary, summaryObject, troubleOf } from '../../../cli/summary.ts';

const summary: RestoreSummary = {
  name: 'copy',
  backupName: 'nightly',
  status: {
    phase: 'PartiallyFailed',
    warnings: 1,
    errors: 12,
    startTimestamp: '2026-11-30T09:00:00Z',
    completionTimestamp: '2026-11-30T09:01:10Z',
    progress: { totalItems: 20, itemsRestored: 20 },
  },
  cancelled: false,
  counters: { created: 8, updated: 0, skipped: 1, failed: 12, warnings: 1, errors: 12 },
  results: {
    warnings: { cluster: ['exists'] },
    errors: {
      velero: ['a\u001b[2J'],
      namespaces: { shop: Array.from({ length: 11 }, (_, index) => `error ${index}`) },
    },
  },
  files: 'restores/copy/ in directory /srv',
  uiUrl: 'http://127.0.0.1:8233/x',
};

describe('renderSummary', () => {
  it('says phase, counts, time, messages with their scopes and where more is', () => {
    const lines = renderSummary(summary).split('\n');
    expect(lines[0]).toBe('Restore copy: PartiallyFailed');
    expect(lines).toContain('  Items:       21: 8 created, 0 updated, 1 skipped, 12 failed');
    expect(lines).toContain('  Time:        1 min 10 s, ended 2026-11-30 09:01:10 +0000 UTC');
    expect(lines).toContain('    cluster: exists');
    expect(lines).toContain('    a\\u001b[2J');
    expect(lines).toContain('    shop: error 8');
    expect(lines).not.toContain('    shop: error 9');
    expect(lines).toContain('    … and 2 more');
    expect(lines).toContain('  Files:       restores/copy/ in directory /srv');
    expect(lines).toContain('  Temporal UI: http://127.0.0.1:8233/x');
  });

  it('falls back on the status where the files are not known', () => {
    const text = renderSummary({ name: 'copy', backupName: 'nightly', status: summary.status, cancelled: false });
    expect(text).toContain('  Items:       20 of 20\n');
    expect(text).toContain('  Errors:      12\n');
  });

  it('says why a restore failed, and that it was cancelled', () => {
    const failed = { ...summary, status: { phase: 'Failed', failureReason: 'tarball is broken' } } as const;
    expect(renderSummary(failed)).toContain('  Reason:      tarball is broken\n');
    const cancelled = renderSummary({ ...failed, cancelled: true });
    expect(cancelled).toContain('Restore copy: Failed (cancelled)\n');
    expect(cancelled).not.toContain('Reason:');
  });

  it('lists validation errors and no messages that cannot be there', () => {
    const status = { phase: 'FailedValidation', validationErrors: ['first', 'second'] } as const;
    const text = renderSummary({ name: 'copy', backupName: 'nightly', status, cancelled: false });
    expect(text).toBe(
      'Restore copy: FailedValidation\n  Backup:      nightly\n  Invalid:     first\n  Invalid:     second\n',
    );
  });
});

describe('troubleOf', () => {
  it('is one line for what did not restore anything', () => {
    const invalid = { phase: 'FailedValidation', validationErrors: ['no backup', 'bad\nmapping'] } as const;
    expect(troubleOf({ ...summary, status: invalid })).toBe(
      'restore copy failed validation, nothing was changed: no backup; bad mapping',
    );
    const failed = { phase: 'Failed', failureReason: 'no gzip' } as const;
    expect(troubleOf({ ...summary, status: failed })).toBe('restore copy failed: no gzip');
    expect(troubleOf({ ...summary, status: failed, cancelled: true })).toBeUndefined();
    expect(troubleOf(summary)).toBeUndefined();
  });
});

describe('summaryObject', () => {
  it('has the phase at the top, for programs', () => {
    expect(summaryObject(summary)).toMatchObject({ name: 'copy', phase: 'PartiallyFailed', cancelled: false });
  });
});
