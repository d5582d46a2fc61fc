import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readStorageLocation } from '../../../domain/backup/storageLocation.ts';
import { projectFolder, readComposeFile, serviceNamed } from '../../../tools/compose/composeFile.ts';

const example = join(projectFolder, 'deploy', 'compose', 'storage-location.example.yaml');

describe('storage-location.example.yaml', () => {
  it('is a location that the worker can read', async () => {
    const location = readStorageLocation(parse(await readFile(example, 'utf8')), example);
    expect(location).toMatchObject({ name: 'default', provider: 'aws', bucket: 'backups' });
  });

  it('names its credentials where docker-compose.yml mounts the folder', async () => {
    const { spec } = parse(await readFile(example, 'utf8')) as { spec: { config: Record<string, string> } };
    const { volumes, command } = serviceNamed(await readComposeFile({ POSTGRES_PASSWORD: 'p' }), 'worker');
    const mount = volumes.find((volume) => volume.type === 'bind')?.target;
    expect(dirname(spec.config['credentialsFile'] ?? '')).toBe(mount);
    expect((command ?? []).filter((word) => word.startsWith('/')).map((path) => dirname(path))).toEqual([mount, mount]);
  });
});
