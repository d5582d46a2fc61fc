import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cacheDirectory, cacheKey } from '../../../tools/servers/cache.ts';
import { type Program, programs } from '../../../tools/servers/programs.ts';
import { temporaryFolder } from './temporaryFolder.ts';

function programOf(name: string): Program {
  return programs.find((program) => program.name === name)!;
}

describe('cacheDirectory', () => {
  it.each([
    ['its own variable first', { DURABLE_RESTORE_CACHE: '/a/b', XDG_CACHE_HOME: '/x' }, '/a/b'],
    ['its own variable, made absolute', { DURABLE_RESTORE_CACHE: 'a' }, resolve('a')],
    ['then the XDG folder', { XDG_CACHE_HOME: '/x' }, '/x/durable-restore'],
    ['a relative XDG folder does not count', { XDG_CACHE_HOME: 'x' }, join(homedir(), '.cache', 'durable-restore')],
    ['then the home folder', {}, join(homedir(), '.cache', 'durable-restore')],
    [
      'empty is as if not set',
      { DURABLE_RESTORE_CACHE: '', XDG_CACHE_HOME: '' },
      join(homedir(), '.cache', 'durable-restore'),
    ],
  ])('%s', (_, environment, expected) => {
    expect(cacheDirectory(environment)).toBe(expected);
  });
});

describe('cacheKey', () => {
  it('of a Python package is name, version and platform', async () => {
    const key = await cacheKey(programOf('rclone'));
    expect(key).toBe(`rclone-${programOf('rclone').version}-${process.platform}-${process.arch}`);
  });

  it.each(['go.mod', 'go.sum'])('of a Go module changes with %s, and with nothing else', async (changed) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'etcd'));
    await writeFile(join(folder, 'etcd', 'go.mod'), 'module a');
    await writeFile(join(folder, 'etcd', 'go.sum'), 'sums');
    const before = await cacheKey(programOf('etcd'), folder);
    expect(before).toMatch(/^etcd-v[\d.]+-\w+-\w+-[0-9a-f]{12}$/);
    await writeFile(join(folder, 'etcd', 'unrelated'), 'text');
    expect(await cacheKey(programOf('etcd'), folder)).toBe(before);
    await writeFile(join(folder, 'etcd', changed), 'changed');
    expect(await cacheKey(programOf('etcd'), folder)).not.toBe(before);
  });

  it('tells the programs of one module apart', async () => {
    const keys = await Promise.all(programs.map((program) => cacheKey(program)));
    expect(new Set(keys).size).toBe(programs.length);
  });
});
