import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { discoverPlugins } from '../../../../adapters/plugins/discoverPlugins.ts';
import { PluginRegistry } from '../../../../adapters/plugins/pluginRegistry.ts';

let directory: string;
const logged: string[] = [];
const log = (level: string, message: string): void => {
  logged.push(`${level}: ${message}`);
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stray-programs-'));
  logged.length = 0;
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function program(name: string, script: string, mode = 0o755): Promise<void> {
  const path = join(directory, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, mode);
}

describe('a plugin directory (plugin-protocol.md §5)', () => {
  it('is read with its folders, in the order of names; what cannot be run is told', async () => {
    await mkdir(join(directory, 'b'));
    await program('c', '');
    await program('b/inner', '');
    await program('a', '');
    await program('notes.txt', '', 0o644);
    await program('windows.EXE', '', 0o644);
    await symlink(join(directory, 'a'), join(directory, 'link'));
    const found = await discoverPlugins(directory, log);
    expect(found.map((path) => path.slice(directory.length + 1))).toEqual(['a', 'b/inner', 'c', 'link', 'windows.EXE']);
    expect(logged).toEqual([`warn: ${join(directory, 'notes.txt')} is not executable: no plugin`]);
  });

  it('that is missing means no plugins', async () => {
    const registry = await PluginRegistry.open({ directory: join(directory, 'missing'), log });
    expect(registry.offered).toEqual([]);
    expect(await registry.restoreItemActions()).toEqual([]);
    expect(logged).toEqual([`warn: plugin directory ${join(directory, 'missing')} does not exist: no plugins`]);
    await registry.close();
  });
});

describe('a program that is no plugin keeps the worker from starting, by its name', () => {
  it.each([
    [
      'prints garbage',
      'echo this is no plugin; sleep 60',
      /plugin stray: unrecognized remote plugin message: "this is no plugin"/,
    ],
    [
      'prints garbage without an end of line',
      'printf garbage',
      /plugin stray: unrecognized remote plugin message: "garbage"/,
    ],
    ['exits at once', 'exit 3', /plugin stray: plugin exited before we could connect \(exit code 3\)/],
    [
      'speaks another protocol version',
      'echo "1|1|unix|/tmp/x|grpc|"; sleep 60',
      /plugin stray: incompatible API version "1"/,
    ],
    [
      'speaks net/rpc',
      'echo "1|2|unix|/tmp/x|netrpc|"; sleep 60',
      /plugin stray: unsupported plugin protocol "netrpc"/,
    ],
    ['says nothing', 'sleep 60', /plugin stray: timeout while waiting for plugin to start/],
    [
      'listens nowhere',
      'echo "1|2|unix|/tmp/nowhere-at-all|grpc|"; sleep 60',
      /plugin stray does not tell what it offers: .*code = Unavailable/,
    ],
  ])('%s', async (_title, script, message) => {
    await program('stray', script);
    await expect(PluginRegistry.open({ directory, log, startTimeoutMs: 3_000 })).rejects.toThrow(message);
  });

  it('cannot be run by this system', async () => {
    await writeFile(join(directory, 'stray'), 'neither script nor binary');
    await chmod(join(directory, 'stray'), 0o755);
    await expect(PluginRegistry.open({ directory, log, startTimeoutMs: 3_000 })).rejects.toThrow(/plugin stray: /);
  });

  it('leaves no process and no socket directory behind', async () => {
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('velero-plugins-'));
    await program('stray', `echo $$ > ${join(directory, 'pid')}; echo garbage; exec sleep 600`, 0o755);
    await expect(PluginRegistry.open({ directory, log })).rejects.toThrow(/unrecognized/);
    const pid = Number(await readFile(join(directory, 'pid'), 'utf8'));
    for (let tries = 0; tries < 50 && isAlive(pid); tries++) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAlive(pid)).toBe(false);
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith('velero-plugins-'));
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
