import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  readBackup,
  readCsiVolumeSnapshots,
  readPodVolumeBackups,
  readVolumeInfos,
  readVolumeSnapshots,
} from '../../../../adapters/storage/backupFiles.ts';
import { DirectoryStore } from '../../../../adapters/storage/directoryStore.ts';
import { type BackupFile, backupFileKey, backupMetadataKey } from '../../../../domain/backup/layout.ts';
import type { ObjectStore } from '../../../../domain/backup/objectStore.ts';

let directory: string;
let store: DirectoryStore;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'backup-files-'));
  store = new DirectoryStore({ path: directory, prefix: '' });
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

const READERS: [BackupFile, (store: ObjectStore, backupName: string) => Promise<unknown[]>][] = [
  ['volumeInfo', readVolumeInfos],
  ['volumeSnapshots', readVolumeSnapshots],
  ['podVolumeBackups', readPodVolumeBackups],
  ['csiVolumeSnapshots', readCsiVolumeSnapshots],
];

describe.each(READERS)('%s', (file, read) => {
  const key = backupFileKey('b', file);

  it('R-308 is empty where the file is missing', async () => {
    expect(await read(store, 'b')).toEqual([]);
  });

  it.each(['null\n', '[]\n'])('is empty for %j', async (text) => {
    await store.put(key, gzipSync(text));
    expect(await read(store, 'b')).toEqual([]);
  });

  it('reads a list', async () => {
    await store.put(key, gzipSync('[{"spec":{},"metadata":{"name":"x"}},{"spec":{}}]\n'));
    expect(await read(store, 'b')).toHaveLength(2);
  });

  it.each<[string, Uint8Array, string]>([
    ['that is not gzip', Buffer.from('[]'), 'not gzip data, damaged, or too large (Z_DATA_ERROR)'],
    ['that is cut off', gzipSync('[]').subarray(0, 15), 'not gzip data, damaged, or too large (Z_BUF_ERROR)'],
    ['that is not JSON', gzipSync('secret'), 'not JSON: invalid JSON at character 0'],
    ['of another shape', gzipSync('{}'), 'expected a JSON list'],
  ])('refuses a file %s', async (_title, content, problem) => {
    await store.put(key, content);
    await expect(read(store, 'b')).rejects.toMatchObject({ type: 'InvalidBackupFile', message: `${key}: ${problem}` });
  });
});

describe('readBackup', () => {
  it('R-282 R-283 reads the metadata', async () => {
    const text = '{"apiVersion":"velero.io/v1","kind":"Backup","metadata":{"name":"b"},"status":{"phase":"Completed"}}';
    await store.put(backupMetadataKey('b'), Buffer.from(text));
    expect(await readBackup(store, 'b')).toMatchObject({ name: 'b', phase: 'Completed' });
  });

  it('R-284 says that there is no such backup, and where', async () => {
    await expect(readBackup(store, 'b')).rejects.toMatchObject({
      type: 'NotFound',
      message: `backup "b": no "backups/b/velero-backup.json" in directory ${directory}`,
    });
  });

  it('refuses a name that would lead elsewhere', async () => {
    await expect(readBackup(store, '../b')).rejects.toMatchObject({ type: 'InvalidKey' });
  });
});
