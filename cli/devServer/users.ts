import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataDirectory } from './dataDirectory.ts';
import { isAlive } from './processes.ts';

/** Registers this process as one that uses the server: the last one stops it. */
export async function addUser({ usersDirectory }: DataDirectory): Promise<void> {
  await writeFile(join(usersDirectory, String(process.pid)), '', { mode: 0o600 });
}

export async function removeUser({ usersDirectory }: DataDirectory): Promise<void> {
  await rm(join(usersDirectory, String(process.pid)), { force: true });
}

/** Other processes that use the server and are alive; those that were killed are forgotten. */
export async function otherUsers({ usersDirectory }: DataDirectory): Promise<number[]> {
  const users: number[] = [];
  for (const name of await readdir(usersDirectory)) {
    const pid = Number(name);
    if (pid === process.pid) continue;
    if (Number.isSafeInteger(pid) && isAlive(pid)) users.push(pid);
    else await rm(join(usersDirectory, name), { force: true });
  }
  return users;
}

/** A new server has no users yet: what is left are ids from before, which may belong to other programs by now. */
export async function forgetUsers({ usersDirectory }: DataDirectory): Promise<void> {
  for (const name of await readdir(usersDirectory)) await rm(join(usersDirectory, name), { force: true });
}
