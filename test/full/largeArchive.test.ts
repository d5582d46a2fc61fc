import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

const ITEMS = 200_000;
/** The planner must hold its plan beside this within 1 GiB. */
const MOST_MIB = 700;

jest.setTimeout(600_000);

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'large-archive-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe(`a backup of ${ITEMS} items`, () => {
  it('is unpacked and read with a heap of 512 MiB', async () => {
    const program = join(import.meta.dirname, 'largeArchiveChild.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--max-old-space-size=512',
      '--import',
      'tsx',
      program,
      directory,
      String(ITEMS),
    ]);
    process.stdout.write(`large archive: ${stdout}`);
    const result = JSON.parse(stdout) as { read: number; peakMiB: number };
    expect(result.read).toBe(ITEMS);
    expect(result.peakMiB).toBeLessThan(MOST_MIB);
  });
});
