import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Backup } from '../../../../domain/backup/backup.ts';
import { isDnsLabel, isDnsSubdomain } from '../../../../domain/restore/dnsName.ts';
import { restoreLabels, toLabelValue } from '../../../../domain/restore/labels.ts';
import { backupsOfSchedule, newestBackup, pickBackupForSchedule } from '../../../../domain/restore/schedule.ts';

describe('isDnsLabel', () => {
  it.each([
    ['a', true],
    ['0-a', true],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    ['', false],
    ['-a', false],
    ['a-', false],
    ['A', false],
    ['a.b', false],
    ['a_b', false],
    ['a\n', false],
  ])('%j %s', (text, expected) => {
    expect(isDnsLabel(text)).toBe(expected);
  });
});

describe('isDnsSubdomain', () => {
  it.each([
    ['a', true],
    ['a.b-c.0', true],
    [`${'a'.repeat(100)}.b`, true],
    ['a'.repeat(253), true],
    ['a'.repeat(254), false],
    ['', false],
    ['.a', false],
    ['a..b', false],
    ['a.-b', false],
    ['a/b', false],
    ['a\n', false],
  ])('%j %s', (text, expected) => {
    expect(isDnsSubdomain(text)).toBe(expected);
  });
});

describe('toLabelValue', () => {
  it.each([[''], ['short'], ['a'.repeat(63)]])('R-236 leaves %j as it is', (name) => {
    expect(toLabelValue(name)).toBe(name);
  });

  it('R-237 makes a long name 57 characters and 6 of its hash', () => {
    const name = `${'b'.repeat(57)}${'c'.repeat(20)}`;
    const value = toLabelValue(name);
    expect(value).toHaveLength(63);
    expect(value.slice(0, 57)).toBe('b'.repeat(57));
    expect(createHash('sha256').update(name).digest('hex').startsWith(value.slice(57))).toBe(true);
  });

  it('R-237 keeps long names apart that begin alike', () => {
    expect(toLabelValue('d'.repeat(64))).not.toBe(toLabelValue('d'.repeat(65)));
  });
});

describe('restoreLabels', () => {
  it('R-239 names backup and restore', () => {
    expect(restoreLabels('full', 'r'.repeat(64))).toEqual({
      'velero.io/backup-name': 'full',
      'velero.io/restore-name': toLabelValue('r'.repeat(64)),
    });
  });
});

function backup(name: string, phase: string, startTimestamp?: string, schedule = 'nightly'): Backup {
  return {
    name,
    namespace: 'velero',
    labels: schedule === '' ? {} : { 'velero.io/schedule-name': schedule },
    storageLocation: 'default',
    snapshotMoveData: false,
    csiSnapshotTimeout: undefined,
    formatVersion: '1.1.0',
    phase,
    startTimestamp,
  };
}

const none = ['No backups found for schedule', 'No completed backups found for schedule'];

describe('pickBackupForSchedule', () => {
  it.each<[string, Backup[], ReturnType<typeof pickBackupForSchedule>]>([
    ['golden schedule-without-backups', [], { errors: none }],
    [
      'R-311 only backups of another schedule',
      [backup('b', 'Completed', '2026-05-04T08:00:00Z', 'weekly')],
      { errors: none },
    ],
    ['a backup without labels', [backup('b', 'Completed', '2026-05-04T08:00:00Z', '')], { errors: none }],
    ['R-312 only one in progress', [backup('b', 'InProgress', '2026-05-04T08:00:00Z')], { errors: none.slice(1) }],
    ['R-313 a completed one', [backup('b', 'Completed', '2026-05-04T08:00:00Z')], { backupName: 'b' }],
    [
      'R-291 the newest completed one',
      [
        backup('old', 'Completed', '2026-05-03T08:00:00Z'),
        backup('new', 'Completed', '2026-05-04T08:00:00Z'),
        backup('broken', 'PartiallyFailed', '2026-05-05T08:00:00Z'),
        backup('other', 'Completed', '2026-05-06T08:00:00Z', 'weekly'),
      ],
      { backupName: 'new' },
    ],
  ])('%s', (_, backups, expected) => {
    expect(pickBackupForSchedule(backups, 'nightly')).toEqual(expected);
  });

  it('knows no schedule by the name of something that every object has', () => {
    expect(backupsOfSchedule([backup('b', 'Completed', undefined, 'weekly')], 'constructor')).toEqual([]);
  });
});

describe('newestBackup', () => {
  it('R-319 none completed among five phases', () => {
    const phases = ['', 'New', 'InProgress', 'Failed', 'PartiallyFailed'];
    expect(
      newestBackup(
        phases.map((phase, index) => backup(`b${index}`, phase)),
        ['Completed'],
      ),
    ).toBeUndefined();
  });

  it('R-320 the later of two completed ones', () => {
    const two = [
      backup('a', 'Completed', '2026-05-04T10:00:00+02:00'),
      backup('b', 'Completed', '2026-05-04T09:00:00Z'),
    ];
    expect(newestBackup(two, ['Completed'])?.name).toBe('b');
    expect(newestBackup(two.reverse(), ['Completed'])?.name).toBe('b');
  });

  it('R-449 among several phases', () => {
    const backups = [
      backup('deleting', 'Deleting', '2026-05-06T08:00:00Z'),
      backup('completed', 'Completed', '2026-05-04T08:00:00Z'),
      backup('partial', 'PartiallyFailed', '2026-05-05T08:00:00Z'),
    ];
    expect(newestBackup(backups, ['Completed', 'PartiallyFailed'])?.name).toBe('partial');
  });

  it('takes one without a start time for the oldest, and among equals always the same', () => {
    const [timeless, timed] = [backup('z', 'Completed'), backup('a', 'Completed', '1970-01-01T00:00:00Z')];
    expect(newestBackup([timeless, timed], ['Completed'])?.name).toBe('a');
    const [one, other] = [backup('one', 'Completed'), backup('other', 'Completed')];
    expect(newestBackup([one, other], ['Completed'])?.name).toBe('other');
    expect(newestBackup([other, one], ['Completed'])?.name).toBe('other');
  });
});
