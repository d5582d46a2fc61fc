import { describe, expect, it } from '@jest/globals';
import { CommandError } from '../../../cli/commandError.ts';
import { EXIT_CODES_HELP, exitCodeOf, exitCodes } from '../../../cli/exitCodes.ts';
import { reportError } from '../../../cli/reportError.ts';
import { InterruptRule, watchInterrupts } from '../../../cli/run/interrupts.ts';
import { duration, type ProgressView, plural, progressLine, progressPanel } from '../../../cli/run/progressText.ts';
import { RateMeter } from '../../../cli/run/rateMeter.ts';
import { type RestoreSummary, renderSummary, summaryObject, troubleOf } from '../../../cli/summary.ts';
import {
  RestoreNameTaken,
  type RestoreProgressReport,
  RestoreValidationFailed,
  TemporalUnreachable,
} from '../../../client/index.ts';
import { ObjectStoreError } from '../../../domain/backup/objectStore.ts';
import type { RestorePhase } from '../../../domain/restore/restore.ts';
import { noCounters } from '../../../domain/results/counters.ts';
import { RecordingTerminal } from './recordingTerminal.ts';

describe('exitCodeOf', () => {
  it.each<[RestorePhase, boolean, number]>([
    ['Completed', false, 0],
    ['PartiallyFailed', false, 2],
    ['Failed', false, 3],
    ['FailedValidation', false, 3],
    ['Failed', true, 4],
    ['InProgress', false, 1],
  ])('%s (cancelled: %s) is %s', (phase, cancelled, expected) => {
    expect(exitCodeOf(phase, cancelled)).toBe(expected);
  });

  it('gives every outcome a code of its own, and says all of them in the help', () => {
    const codes = Object.values(exitCodes);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(EXIT_CODES_HELP).toMatch(new RegExp(`^ {2}${code} {2}\\w`, 'm'));
  });
});

describe('InterruptRule', () => {
  it.each<[string, number[], (string | undefined)[]]>([
    ['once pauses', [0], ['pause']],
    ['twice within three seconds cancels', [0, 2_999], ['pause', 'cancel']],
    ['too late changes nothing', [0, 3_001], ['pause', undefined]],
    ['a third changes nothing', [0, 1_000, 1_500], ['pause', 'cancel', undefined]],
  ])('%s', (_, times, expected) => {
    const rule = new InterruptRule();
    expect(times.map((time) => rule.press(time))).toEqual(expected);
  });
});

describe('watchInterrupts', () => {
  it('SIGINT pauses with time to cancel; the next one cancels', async () => {
    const told: boolean[] = [];
    const interrupts = watchInterrupts((mayCancel) => told.push(mayCancel));
    try {
      expect(interrupts.requested).toBe(false);
      process.emit('SIGINT');
      await interrupts.paused;
      expect([interrupts.requested, interrupts.mayCancel]).toEqual([true, true]);
      process.emit('SIGINT');
      await interrupts.cancelled;
      expect(told).toEqual([true]);
    } finally {
      interrupts.stop();
    }
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('%s pauses at once', async (signal) => {
    const interrupts = watchInterrupts(() => undefined);
    try {
      process.emit(signal);
      await interrupts.paused;
      expect(interrupts.mayCancel).toBe(false);
    } finally {
      interrupts.stop();
    }
  });

  it('gives the signals back', () => {
    const before = process.listenerCount('SIGINT');
    const interrupts = watchInterrupts(() => undefined);
    expect(process.listenerCount('SIGINT')).toBe(before + 1);
    interrupts.stop();
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});

const report: RestoreProgressReport = {
  phase: 'InProgress',
  step: 'restoring pods',
  totalItems: 2_003,
  itemsDone: 812,
  counters: { ...noCounters, created: 812, warnings: 3, errors: 1 },
  waves: [
    { name: 'namespaces', total: 3, done: 3, failed: 0 },
    { name: 'pods', total: 2_000, done: 809, failed: 1 },
  ],
  runningShards: [],
  pace: { paused: false, maxInFlight: 0 },
  startTimestamp: '2026-11-30T09:00:00Z',
  troubles: [],
};

function view(more: Partial<RestoreProgressReport> = {}, pace: Partial<ProgressView> = {}): ProgressView {
  return { name: 'copy', report: { ...report, ...more }, rate: 96.4, secondsLeft: 12.3, ...pace };
}

describe('progressLine', () => {
  it('says wave, items, rate, time left and messages', () => {
    expect(progressLine(view())).toBe(
      'copy: restoring pods (wave 2 of 2): 812 of 2,003 items, 96/s, 12 s left; 3 warnings, 1 error',
    );
  });

  it('leaves out what is not known', () => {
    const unknown = { rate: undefined, secondsLeft: undefined };
    expect(progressLine(view({}, unknown))).toContain('812 of 2,003 items; 3 warnings');
    const planning = view({ step: 'planning', totalItems: 0, itemsDone: 0, waves: [] }, unknown);
    expect(progressLine(planning)).toBe('copy: planning');
  });

  it('shows how many hooks are done', () => {
    const line = progressLine(view({ hooks: { total: 3, done: 1, failed: 0 } }));
    expect(line).toContain(', 1 of 3 hooks done; 3 warnings');
  });

  it('says what the restore is held up by, on one line and without control characters', () => {
    const line = progressLine(view({ troubles: ['no answer\nfrom \u001b[31mhttps://api'] }));
    expect(line).toContain('; being retried: no answer from \\u001b[31mhttps://api');
  });
});

describe('progressPanel', () => {
  it('draws a bar', () => {
    expect(progressPanel(view(), 200)).toBe(
      'copy  InProgress  restoring pods (wave 2 of 2)\n' +
        '[#########...............] 812 of 2,003 items, 96/s, 12 s left; 3 warnings, 1 error',
    );
  });

  it('never draws more than the whole bar', () => {
    expect(progressPanel(view({ itemsDone: 3_000 }), 200)).toContain(`[${'#'.repeat(24)}]`);
  });

  it('cuts lines that would wrap', () => {
    const panel = progressPanel(view({ troubles: ['x'.repeat(300), 'second', 'third'] }), 40);
    expect(panel.split('\n')).toHaveLength(4);
    for (const line of panel.split('\n')) expect(Array.from(line).length).toBeLessThanOrEqual(40);
  });
});

describe('duration', () => {
  it.each([
    [0, '0 s'],
    [47.4, '47 s'],
    [60, '1 min'],
    [200, '3 min 20 s'],
    [7_500, '2 h 5 min'],
    [7_200, '2 h'],
    [-3, '0 s'],
  ])('%s seconds are %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});

describe('plural', () => {
  it.each([
    [0, '0 errors'],
    [1, '1 error'],
    [1_234, '1,234 errors'],
  ])('%s', (value, text) => {
    expect(plural(value, 'error')).toBe(text);
  });
});

function meter(...samples: [number, number][]): RateMeter {
  const made = new RateMeter();
  for (const [seconds, done] of samples) made.add(seconds * 1_000, done);
  return made;
}

describe('RateMeter', () => {
  it.each<[string, [number, number][], number | undefined]>([
    ['nothing', [], undefined],
    ['one look', [[0, 5]], undefined],
    [
      'less than a second',
      [
        [0, 0],
        [0.5, 50],
      ],
      undefined,
    ],
    [
      'a steady pace',
      [
        [0, 0],
        [1, 10],
        [2, 20],
      ],
      10,
    ],
    [
      'only the last 15 seconds',
      [
        [0, 0],
        [10, 1_000],
        [20, 1_010],
        [30, 1_020],
      ],
      1,
    ],
    [
      'a count that fell (a worker was lost)',
      [
        [0, 10],
        [2, 8],
      ],
      0,
    ],
  ])('measures %s', (_, samples, expected) => {
    expect(meter(...samples).perSecond).toBe(expected);
  });

  it('tells when the rest will be done', () => {
    expect(meter([0, 0], [2, 20]).secondsTo(120)).toBe(10);
    expect(meter([0, 0], [2, 20]).secondsTo(20)).toBeUndefined();
    expect(meter([0, 20], [2, 20]).secondsTo(100)).toBeUndefined();
    expect(meter().secondsTo(100)).toBeUndefined();
  });
});

describe('reportError', () => {
  function report(error: unknown, verbose = false): { exitCode: number; notes: string[] } {
    const terminal = new RecordingTerminal();
    return { exitCode: reportError(error, terminal, verbose), notes: terminal.notes };
  }

  describe('reportError', () => {
    it.each<[string, Error, number]>([
      ['a command error', new CommandError('Usage', 'no such flag'), 1],
      ['a command error with a code', new CommandError('Other', 'taken', { exitCode: 6 }), 6],
      ['a taken name', new RestoreNameTaken('a', 'Completed', 'restore/x', undefined), 6],
      ['an invalid restore', new RestoreValidationFailed('a', ['spec is wrong']), 3],
      ['an unreachable server', new TemporalUnreachable('127.0.0.1:7233', 'refused'), 1],
      ['a missing bucket', new ObjectStoreError('NoSuchBucket', 'directory /nope: there is no such directory'), 1],
    ])('%s is one line and its exit code', (_, error, exitCode) => {
      expect(report(error)).toEqual({ exitCode, notes: [`error: ${error.message}`] });
    });

    it('keeps messages of several lines, and control characters, on one line', () => {
      expect(report(new CommandError('X', 'first\nsecond \u001b[2J')).notes).toEqual([
        'error: first second \\u001b[2J',
      ]);
    });

    it('shows no stack, and says how to see more of what was not expected', () => {
      const { notes } = report(new TypeError('x is not a function'));
      expect(notes).toEqual(['error: x is not a function', '  (--verbose shows more)']);
    });

    it('shows causes with verbose', () => {
      const { notes } = report(new CommandError('X', 'outer', { cause: new Error('inner') }), true);
      expect(notes.join('\n')).toContain('Error: inner');
    });

    it('takes what is no error', () => {
      expect(report('text').notes[0]).toBe('error: text');
    });
  });
});

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
