import { describe, expect, it } from '@jest/globals';
import { duration, type ProgressView, plural, progressLine, progressPanel } from '../../../cli/run/progressText.ts';
import type { RestoreProgressReport } from '../../../client/index.ts';
import { noCounters } from '../../../domain/results/counters.ts';

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
