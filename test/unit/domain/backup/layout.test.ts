import { describe, expect, it } from '@jest/globals';
import {
  additionalEntryKey,
  backupFileKey,
  backupFolder,
  backupMetadataKey,
  messageKey,
  outcomeBlockKey,
  planBlockKey,
  planSummaryKey,
  restoreFileKey,
  resumeStateKey,
  workFolder,
} from '../../../../domain/backup/layout.ts';

const restore = { name: 'r1', uid: '36028628-84ac' };

describe('keys below bucket and prefix', () => {
  it.each<[string, string]>([
    [backupMetadataKey('b'), 'backups/b/velero-backup.json'],
    [backupFileKey('b', 'contents'), 'backups/b/b.tar.gz'],
    [backupFileKey('b', 'logs'), 'backups/b/b-logs.gz'],
    [backupFileKey('b', 'results'), 'backups/b/b-results.gz'],
    [backupFileKey('b', 'resourceList'), 'backups/b/b-resource-list.json.gz'],
    [backupFileKey('b', 'volumeSnapshots'), 'backups/b/b-volumesnapshots.json.gz'],
    [backupFileKey('b', 'podVolumeBackups'), 'backups/b/b-podvolumebackups.json.gz'],
    [backupFileKey('b', 'itemOperations'), 'backups/b/b-itemoperations.json.gz'],
    [backupFileKey('b', 'volumeInfo'), 'backups/b/b-volumeinfo.json.gz'],
    [backupFileKey('b', 'csiVolumeSnapshots'), 'backups/b/b-csi-volumesnapshots.json.gz'],
    [restoreFileKey('r1', 'logs'), 'restores/r1/restore-r1-logs.gz'],
    [restoreFileKey('r1', 'results'), 'restores/r1/restore-r1-results.gz'],
    [restoreFileKey('r1', 'resourceList'), 'restores/r1/restore-r1-resource-list.json.gz'],
    [restoreFileKey('r1', 'itemOperations'), 'restores/r1/restore-r1-itemoperations.json.gz'],
    [restoreFileKey('r1', 'volumeInfo'), 'restores/r1/r1-volumeinfo.json.gz'],
    [workFolder(restore), 'restores/r1/durable/36028628-84ac/'],
    [planSummaryKey(restore), 'restores/r1/durable/36028628-84ac/plan/summary.json'],
    [planBlockKey(restore, 7), 'restores/r1/durable/36028628-84ac/plan/00000007.ndjson'],
    [outcomeBlockKey(restore, 'shard-3-7'), 'restores/r1/durable/36028628-84ac/outcomes/shard-3-7.ndjson'],
    [resumeStateKey(restore, 12, 3), 'restores/r1/durable/36028628-84ac/state/00000012-3.json'],
    [additionalEntryKey(restore, 2 ** 48), 'restores/r1/durable/36028628-84ac/additional/281474976710656.json'],
    [messageKey(restore, 12, 1), 'restores/r1/durable/36028628-84ac/messages/00000012-00000001.txt'],
  ])('%s', (key, expected) => {
    expect(key).toBe(expected);
  });

  it.each(['', '.', '..', 'a/b', '../x', 'a\\b', 'a\0b'])('refuses the name %j', (name) => {
    expect(() => backupFolder(name)).toThrow(/backup name: .* expected a name without "\/"/);
    expect(() => workFolder({ name: 'r', uid: name })).toThrow(expect.objectContaining({ type: 'InvalidKey' }));
  });

  it.each([-1, 1.5, 1e9, Number.NaN])('refuses the block number %d', (block) => {
    expect(() => planBlockKey(restore, block)).toThrow(/plan block/);
  });
});
