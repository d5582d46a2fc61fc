import { describe, expect, it } from '@jest/globals';
import { parseBackupMetadata } from '../../../../domain/backup/backupMetadata.ts';

const file = 'backups/b/velero-backup.json';

function metadata(changes: object = {}): string {
  return JSON.stringify({ apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { name: 'b' }, ...changes });
}

describe('parseBackupMetadata', () => {
  it('reads what a restore needs and ignores the rest', () => {
    const text = metadata({
      metadata: { name: 'b', namespace: 'velero', labels: { 'velero.io/schedule-name': 's' }, uid: 'x', generation: 7 },
      spec: { storageLocation: 'default', snapshotMoveData: true, csiSnapshotTimeout: '10m0s', hooks: {}, ttl: '1h' },
      status: { version: 1, formatVersion: '1.1.0', phase: 'PartiallyFailed', startTimestamp: '2026-11-30T16:06:38Z' },
    });
    expect(parseBackupMetadata(text, file)).toEqual({
      name: 'b',
      namespace: 'velero',
      labels: { 'velero.io/schedule-name': 's' },
      storageLocation: 'default',
      snapshotMoveData: true,
      csiSnapshotTimeout: '10m0s',
      formatVersion: '1.1.0',
      phase: 'PartiallyFailed',
      startTimestamp: '2026-11-30T16:06:38Z',
    });
  });

  it.each([{}, { spec: null, status: null }, { spec: { snapshotMoveData: null }, status: {} }])(
    'fills in what Go leaves out: %j',
    (changes) => {
      expect(parseBackupMetadata(metadata(changes), file)).toEqual({
        name: 'b',
        namespace: '',
        labels: {},
        storageLocation: '',
        snapshotMoveData: false,
        csiSnapshotTimeout: undefined,
        formatVersion: '',
        phase: '',
        startTimestamp: undefined,
      });
    },
  );

  it.each<[string, string, string]>([
    ['not JSON', '<html>', 'not JSON: invalid JSON at character 0'],
    ['cut off', metadata().slice(0, -1), 'not JSON: unexpected end of JSON input'],
    ['a list', '[]', 'expected a JSON object of kind Backup'],
    [
      'another kind',
      metadata({ kind: 'Restore' }),
      'unexpected type: found velero.io/v1/Restore, expected velero.io/v1/Backup',
    ],
    [
      'another version',
      metadata({ apiVersion: 'v1' }),
      'unexpected type: found v1/Backup, expected velero.io/v1/Backup',
    ],
    [
      'no kind',
      '{"metadata":{"name":"b"}}',
      'unexpected type: found no apiVersion/no kind, expected velero.io/v1/Backup',
    ],
    ['no name', metadata({ metadata: {} }), 'metadata.name: found nothing, expected a string'],
    ['an empty name', metadata({ metadata: { name: '' } }), 'metadata.name: found "", expected the name of the backup'],
    [
      'a wrong type',
      metadata({ spec: { snapshotMoveData: 'yes' } }),
      'spec.snapshotMoveData: found "yes", expected a boolean',
    ],
    [
      'a label that is no text',
      metadata({ metadata: { name: 'b', labels: { a: 1 } } }),
      'metadata.labels.a: found 1, expected a string',
    ],
  ])('refuses %s', (_title, text, problem) => {
    expect(() => parseBackupMetadata(text, file)).toThrow(
      expect.objectContaining({ type: 'InvalidBackupFile', message: `${file}: ${problem}` }),
    );
  });
});
