import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withMutex } from '../../../cli/devServer/mutex.ts';
import { temporaryDirectory } from '../../unit/cli/temporaryDirectory.ts';

/** The id of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

describe('withMutex', () => {
  it('lets one in at a time', async () => {
    const path = join(await temporaryDirectory(), 'mutex');
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside++;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside--;
    };
    await Promise.all([withMutex(path, work), withMutex(path, work), withMutex(path, work)]);
    expect(most).toBe(1);
  });

  it('passes over a holder that was killed, and leaves nothing behind', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'mutex');
    await writeFile(path, `${deadPid()} some-id`);
    expect(await withMutex(path, () => Promise.resolve('done'))).toBe('done');
    expect(await readdir(directory)).toEqual([]);
  });

  it('is free again after an error', async () => {
    const path = join(await temporaryDirectory(), 'mutex');
    await expect(withMutex(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withMutex(path, () => Promise.resolve(1))).toBe(1);
  });
});
