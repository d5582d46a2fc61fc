import { delimiter, join } from 'node:path';
import { isExecutable } from '../cache.ts';
import { runCommand } from '../command.ts';
import { ServerMissing } from '../serverMissing.ts';

/** Programs of the system that a real node needs beside the kubelet. */
export interface NodePrograms {
  readonly containerd: string;
  readonly ctr: string;
  readonly busybox: string;
  readonly cniDirectory: string;
}

const INSTALL = 'apt-get install -y containerd runc containernetworking-plugins busybox-static iptables';
const CNI_DIRECTORIES = ['/usr/lib/cni', '/opt/cni/bin'];

/**
 * Looks for what a real node needs beside the kubelet (docs/servers.md "A real node").
 * @returns the programs, or why there can be no real node on such a machine
 * @throws ServerMissing where there could be one, and programs are missing
 */
export async function findNodePrograms(): Promise<NodePrograms | string> {
  if (process.platform !== 'linux') return `a kubelet runs on Linux only, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'a kubelet needs root';
  const missing: string[] = [];
  const find = async (name: string): Promise<string> => {
    for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
      if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name);
    }
    missing.push(name);
    return '';
  };
  const [containerd, ctr, busybox] = [await find('containerd'), await find('ctr'), await find('busybox')];
  await find('runc');
  const cni = await firstExecutable(CNI_DIRECTORIES, 'bridge');
  if (cni === undefined) missing.push('the CNI plugin bridge');
  if (busybox !== '' && !(await isStatic(busybox))) missing.push('a static busybox');
  if (missing.length > 0 || cni === undefined) {
    throw new ServerMissing(`a real node needs ${missing.join(', ')}, which is not on this machine: ${INSTALL}`);
  }
  return { containerd, ctr, busybox, cniDirectory: cni };
}

async function firstExecutable(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) if (await isExecutable(join(folder, name))) return folder;
  return undefined;
}

/** In an image of its own there is no C library. */
async function isStatic(program: string): Promise<boolean> {
  const { code, output } = await runCommand('ldd', [program], { timeoutMs: 10_000 });
  return code !== 0 || output.includes('not a dynamic executable');
}
