import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../command.ts';
import { ServerProcess } from '../process.ts';
import { writeBusyboxImages } from './busyboxImage.ts';
import type { NodePrograms } from './nodePrograms.ts';

/** Images that pods on the node can use, with `imagePullPolicy: Never` or `IfNotPresent`. */
export const BUSYBOX_IMAGE = 'localhost/busybox:1';
const PAUSE_IMAGE = 'localhost/pause:1';

export interface Containerd {
  readonly socket: string;
  readonly process: ServerProcess;
  stop(): Promise<void>;
}

/** Starts a containerd with folders and a socket of its own, and gives it the images. */
export async function startContainerd(directory: string, programs: NodePrograms): Promise<Containerd> {
  const root = join(directory, 'containerd');
  const cni = join(root, 'cni');
  await mkdir(cni, { recursive: true, mode: 0o700 });
  const socket = join(root, 'containerd.sock');
  await writeFile(join(root, 'config.toml'), configOf(root, socket, cni, programs.cniDirectory), { mode: 0o600 });
  await writeFile(join(cni, '10-bridge.conflist'), JSON.stringify(network(root)), { mode: 0o600 });
  const ctr = (...args: string[]) =>
    runCommand(programs.ctr, ['--address', socket, '-n', 'k8s.io', ...args], { timeoutMs: 60_000 });
  const server = await ServerProcess.start({
    name: 'containerd',
    program: programs.containerd,
    args: ['--config', join(root, 'config.toml')],
    logFile: join(directory, 'logs', 'containerd.log'),
    ready: async () => (await ctr('version')).code === 0,
  });
  try {
    const archive = join(root, 'images.tar');
    await writeBusyboxImages(archive, programs.busybox, [BUSYBOX_IMAGE, PAUSE_IMAGE]);
    const imported = await ctr('images', 'import', archive);
    if (imported.code !== 0) throw new Error(`ctr images import: ${imported.output}`);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { socket, process: server, stop: () => server.stop().then(() => undefined) };
}

function configOf(root: string, socket: string, cni: string, cniBinaries: string): string {
  return `version = 2
root = "${root}/root"
state = "${root}/state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "${PAUSE_IMAGE}"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniBinaries}"
    conf_dir = "${cni}"
`;
}

/** A node without a network is never ready; pods of tests use the host's. */
function network(root: string): object {
  return {
    cniVersion: '0.4.0',
    name: 'restore-test',
    plugins: [
      {
        type: 'bridge',
        bridge: 'rtest0',
        isGateway: true,
        ipMasq: false,
        ipam: { type: 'host-local', dataDir: join(root, 'ipam'), ranges: [[{ subnet: '10.244.0.0/24' }]] },
      },
    ],
  };
}
