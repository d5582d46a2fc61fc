import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { restoreLabels, toLabelValue } from '../../../../domain/restore/labels.ts';

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
