import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DirectoryStore } from '../../../adapters/storage/directoryStore.ts';
import { CommandError } from '../../../cli/commandError.ts';
import { lookUp } from '../../../cli/lookUp.ts';
import { RestoreFiles } from '../../../cli/restoreFiles.ts';
import { checkCanStart } from '../../../cli/run/existingRestore.ts';
import { summarizeStored } from '../../../cli/run/summarize.ts';
import { temporaryDirectory } from './temporaryDirectory.ts';

let bucket: string;
let files: RestoreFiles;

beforeEach(async () => {
  bucket = await temporaryDirectory();
  files = new RestoreFiles(new DirectoryStore({ path: bucket, prefix: '' }));
});

async function put(key: string, content: string | Buffer): Promise<void> {
  const path = join(bucket, key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** What a restore leaves in the work store. */
async function putRestore(name: string, uid: string, since: string, status?: object): Promise<void> {
  const restore = { name, namespace: 'velero', uid, spec: { backupName: 'nightly' } };
  const record = { restore, backup: { name: 'nightly' }, since };
  await put(`restores/${name}/durable/${uid}/restore.json`, JSON.stringify(record));
  if (status !== undefined) await put(`restores/${name}/durable/${uid}/status.json`, JSON.stringify(status));
}

describe('RestoreFiles', () => {
  it('finds a restore by its work files, with the status that it wrote at its end', async () => {
    await putRestore('copy', 'u-1', '2026-11-30T09:00:00Z', { phase: 'Completed' });
    const found = await files.find('copy');
    expect(found?.record.restore.uid).toBe('u-1');
    expect(found?.status).toEqual({ phase: 'Completed' });
    expect(await files.find('other')).toBeUndefined();
  });

  it('takes the newest of several', async () => {
    await putRestore('copy', 'a', '2026-11-30T09:00:00Z', { phase: 'Failed' });
    await putRestore('copy', 'b', '2026-11-30T11:00:00Z', { phase: 'Completed' });
    await putRestore('copy', 'c', '2026-11-30T10:00:00Z');
    expect((await files.find('copy'))?.record.restore.uid).toBe('b');
  });

  it('reads what Velero reads', async () => {
    expect(await files.results('copy')).toBeUndefined();
    await put('restores/copy/restore-copy-results.gz', gzipSync('{"errors":{"velero":["x"]},"warnings":{}}\n'));
    await put('restores/copy/restore-copy-resource-list.json.gz', gzipSync('{"v1/Pod":["shop/web(created)"]}\n'));
    expect((await files.results('copy'))?.errors).toEqual({ velero: ['x'] });
    expect(await files.resourceList('copy')).toEqual({ 'v1/Pod': ['shop/web(created)'] });
  });

  it('names a file that is broken', async () => {
    await put('restores/copy/restore-copy-results.gz', 'no gzip');
    await expect(files.results('copy')).rejects.toThrow('restores/copy/restore-copy-results.gz: expected a gzip file');
    await put('restores/copy/durable/u/restore.json', '{');
    await expect(files.find('copy')).rejects.toThrow('restores/copy/durable/u/restore.json: expected JSON');
  });
});

describe('deleting', () => {
  it('R-305 removes every file of the restore and of no other', async () => {
    await putRestore('copy', 'u-1', '2026-11-30T09:00:00Z', { phase: 'Completed' });
    await put('restores/copy/restore-copy-logs.gz', 'x');
    await putRestore('copy-2', 'u-2', '2026-11-30T09:00:00Z');

    expect(await files.delete('copy')).toBe(3);
    expect(await files.hasFiles('copy')).toBe(false);
    expect(await files.find('copy-2')).toBeDefined();
    expect(await files.delete('copy')).toBe(0);
  });

  it('R-310 leaves the restore findable where the store fails in the middle', async () => {
    await putRestore('copy', 'u-1', '2026-11-30T09:00:00Z', { phase: 'Completed' });
    class FailingStore extends DirectoryStore {
      override delete(): Promise<void> {
        return Promise.reject(new Error('the store is away'));
      }
    }
    const failing = new RestoreFiles(new FailingStore({ path: bucket, prefix: '' }));

    await expect(failing.delete('copy')).rejects.toThrow('the store is away');
    expect((await files.find('copy'))?.status).toEqual({ phase: 'Completed' });
  });
});

describe('lookUp', () => {
  it('finds a restore that Temporal has forgotten', async () => {
    const status = { phase: 'PartiallyFailed', errors: 1, startTimestamp: '2026-11-30T09:00:05Z' };
    await putRestore('copy', 'u-1', '2026-11-30T09:00:00Z', status);
    expect(await lookUp('copy', undefined, files)).toMatchObject({ restore: { uid: 'u-1' }, status });
  });

  it('says where it looked', async () => {
    await expect(lookUp('copy', undefined, files)).rejects.toThrow(`no restore named "copy" in directory ${bucket}`);
  });
});

describe('checkCanStart', () => {
  const restore = { name: 'copy', spec: { backupName: 'nightly' } };

  it('names the backup that is missing, and where', async () => {
    await expect(checkCanStart(restore, files)).rejects.toThrow(`no backup named "nightly" in directory ${bucket}`);
    await put('backups/nightly/velero-backup.json', '{}');
    await checkCanStart(restore, files);
  });

  it('does not take a name that has files, with an exit code of its own', async () => {
    await put('backups/nightly/velero-backup.json', '{}');
    await put('restores/copy/restore-copy-logs.gz', '');
    const refused = await checkCanStart(restore, files).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CommandError);
    expect(refused).toMatchObject({ type: 'RestoreNameTaken', exitCode: 6 });
  });
});

describe('summarizeStored', () => {
  it('tells of a restore that has ended, and of no other', async () => {
    await putRestore('copy', 'u-1', '2026-11-30T09:00:00Z');
    expect(await summarizeStored('copy', files)).toBeUndefined();
    await putRestore('copy', 'u-1', '2026-11-30T09:00:00Z', { phase: 'Failed', failureReason: 'cancelled' });
    expect(await summarizeStored('copy', files)).toMatchObject({ backupName: 'nightly', cancelled: true });
  });
});
