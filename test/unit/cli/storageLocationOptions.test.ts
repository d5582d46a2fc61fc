import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import {
  addStorageLocationFlags,
  readStorageLocation,
  readStorageLocations,
  requireStorageLocation,
  type StorageLocationFlags,
} from '../../../cli/options/storageLocationOptions.ts';
import { temporaryDirectory } from './temporaryDirectory.ts';

function parse(...argv: string[]): StorageLocationFlags {
  return addStorageLocationFlags(new Command().exitOverride()).parse(argv, { from: 'user' }).opts();
}

function manifest(name: string, isDefault = false): string {
  return JSON.stringify({
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: { name },
    spec: { provider: 'directory', objectStorage: { bucket: `/srv/${name}` }, default: isDefault },
  });
}

async function file(text: string): Promise<string> {
  const path = join(await temporaryDirectory(), 'location.yaml');
  await writeFile(path, text);
  return path;
}

describe('storage location flags', () => {
  it('take a directory', async () => {
    expect(await readStorageLocation(parse('--backup-dir', 'backups', '--prefix', 'east'))).toMatchObject({
      name: 'default',
      provider: 'directory',
      bucket: resolve('backups'),
      prefix: 'east',
    });
  });

  it('take a bucket with the settings of its provider', async () => {
    const location = await readStorageLocation(
      parse('--bucket=velero', '--config=region=eu,s3ForcePathStyle=true', '--config=s3Url=http://s3:9000'),
    );
    expect(location).toMatchObject({
      provider: 'aws',
      bucket: 'velero',
      config: { region: 'eu', s3ForcePathStyle: 'true', s3Url: 'http://s3:9000' },
    });
  });

  it('take files, several times', async () => {
    const files = [await file(manifest('a')), await file(manifest('b', true))];
    const flags = parse('--storage-location', files[0]!, '--storage-location', files[1]!);
    expect((await readStorageLocations(flags)).map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await readStorageLocation(flags))?.name).toBe('b');
    expect((await readStorageLocation({ ...flags, storageLocationName: 'a' }))?.name).toBe('a');
  });

  it('refuse a name that is given twice or is not there', async () => {
    const path = await file(manifest('a'));
    const twice = parse('--storage-location', path, '--storage-location', path);
    await expect(readStorageLocations(twice)).rejects.toThrow('found "a" twice');
    const flags = parse('--storage-location', path, '--storage-location-name', 'z');
    await expect(readStorageLocation(flags)).rejects.toThrow('no BackupStorageLocation "z", there are: a');
  });

  it('refuse a directory together with a bucket', async () => {
    await expect(readStorageLocations(parse('--backup-dir=a', '--bucket=b'))).rejects.toThrow(
      'cannot be used together',
    );
  });

  it('go before the file of the environment', async () => {
    const flags = { storageLocation: '/no/such/file', backupDir: '/srv/velero' };
    expect((await readStorageLocation(flags))?.bucket).toBe('/srv/velero');
    await expect(readStorageLocation({ storageLocation: '/no/such/file' })).rejects.toThrow(
      '/no/such/file: there is no such file',
    );
  });

  it('say which flags there are where one is needed', async () => {
    expect(await readStorageLocation({})).toBeUndefined();
    await expect(requireStorageLocation({})).rejects.toThrow(
      '--backup-dir DIRECTORY, --bucket BUCKET, or --storage-location FILE',
    );
  });
});
