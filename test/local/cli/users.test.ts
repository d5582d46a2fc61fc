import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type DataDirectory, openDataDirectory } from '../../../cli/devServer/dataDirectory.ts';
import { addUser, forgetUsers, otherUsers, removeUser } from '../../../cli/devServer/users.ts';
import { temporaryDirectory } from '../../unit/cli/temporaryDirectory.ts';

async function directory(): Promise<DataDirectory> {
  return openDataDirectory(await temporaryDirectory());
}

describe('users of a server', () => {
  it('are other processes that live; those that were killed are forgotten', async () => {
    const data = await directory();
    await addUser(data);
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    await writeFile(join(data.usersDirectory, String(dead)), '');
    await writeFile(join(data.usersDirectory, String(process.ppid)), '');
    expect(await otherUsers(data)).toEqual([process.ppid]);
    expect((await readdir(data.usersDirectory)).sort()).toEqual([process.pid, process.ppid].map(String).sort());
  });

  it('can be removed and forgotten', async () => {
    const data = await directory();
    await addUser(data);
    await removeUser(data);
    expect(await readdir(data.usersDirectory)).toEqual([]);
    await writeFile(join(data.usersDirectory, String(process.ppid)), '');
    await forgetUsers(data);
    expect(await otherUsers(data)).toEqual([]);
  });
});
