import { randomInt } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKubernetesApi } from '../../../adapters/kubernetes/client.ts';
import { getArray, getString } from '../../../domain/json.ts';
import type { KubernetesApi } from '../../../domain/kubernetes/api.ts';
import { runCommand } from '../command.ts';
import type { ControlPlane } from '../controlPlane.ts';
import { ensurePrograms } from '../ensure.ts';
import { withFreePorts } from '../freePort.ts';
import { answersOk } from '../httpProbe.ts';
import { ServerProcess } from '../process.ts';
import { startContainerd } from './containerd.ts';
import type { NodePrograms } from './nodePrograms.ts';

export const NODE_NAME = 'real-node';
/** Must not be a loopback address of the usual range: the API server connects to it. One for each node that this process starts. */
function newAddress(): string {
  return `172.30.${randomInt(0, 255)}.${randomInt(1, 255)}`;
}

/** What the API server of a control plane with a real node has to be started with. */
export const realNodeApiServerFlags: readonly string[] = [
  '--kubelet-preferred-address-types=InternalIP',
  // The controller that would take the taint of a new node away does not run.
  '--disable-admission-plugins=TaintNodesByCondition',
];

export interface RealNode {
  readonly name: string;
  readonly kubelet: ServerProcess;
  stop(): Promise<void>;
}

/**
 * Lets pods of the control plane really run: a scheduler, containerd and a kubelet, as root on this machine. The control plane must have been
 * started with {@link realNodeApiServerFlags}.
 */
export async function startRealNode(
  directory: string,
  controlPlane: ControlPlane,
  programs: NodePrograms,
): Promise<RealNode> {
  const kubernetes = await ensurePrograms(['kube-scheduler', 'kubelet']);
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    stops.push(() => unmountBelow(directory));
    const containerd = await startContainerd(directory, programs);
    stops.push(() => containerd.stop());
    stops.push(() => removePods(programs, containerd.socket));
    const address = newAddress();
    await addAddress(address);
    stops.push(() => runCommand('ip', ['addr', 'del', `${address}/32`, 'dev', 'lo'], { timeoutMs: 5_000 }));
    const scheduler = await startScheduler(kubernetes['kube-scheduler'], directory, controlPlane.kubeconfigPath);
    stops.push(() => scheduler.stop());
    const kubelet = await startKubelet(kubernetes.kubelet, {
      directory,
      controlPlane,
      socket: containerd.socket,
      address,
    });
    stops.push(() => kubelet.stop());
    return { name: NODE_NAME, kubelet, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function addAddress(address: string): Promise<void> {
  const added = await runCommand('ip', ['addr', 'add', `${address}/32`, 'dev', 'lo'], { timeoutMs: 5_000 });
  if (added.code !== 0 && !/File exists|already assigned/.test(added.output))
    throw new Error(`ip addr add: ${added.output}`);
}

/** Volumes and file systems of containers, which would keep the folder from being removed; the deepest first. */
async function unmountBelow(directory: string): Promise<void> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').flatMap((line) => line.split(' ')[1] ?? []);
  const below = mounts.filter((path) => path.startsWith(`${directory}/`)).sort((a, b) => b.length - a.length);
  for (const path of below) await runCommand('umount', ['-l', path], { timeoutMs: 5_000 });
}

/** Containers outlive their kubelet. */
async function removePods({ ctr }: NodePrograms, socket: string): Promise<void> {
  const run = (...args: string[]) =>
    runCommand(ctr, ['--address', socket, '-n', 'k8s.io', ...args], { timeoutMs: 20_000 });
  const ids = async (kind: string): Promise<string[]> => {
    const { output } = await run(kind, 'ls', '-q');
    return output.split('\n').filter((line) => line !== '');
  };
  for (const id of await ids('tasks')) {
    await run('tasks', 'kill', '-s', 'SIGKILL', id);
    await run('tasks', 'rm', '-f', id);
  }
  for (const id of await ids('containers')) await run('containers', 'rm', id);
}

function startScheduler(program: string, directory: string, kubeconfig: string): Promise<ServerProcess> {
  return withFreePorts([undefined], ([port = 0]) =>
    ServerProcess.start({
      name: 'kube-scheduler',
      program,
      args: [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--bind-address=127.0.0.1', `--secure-port=${port}`],
      logFile: join(directory, 'logs', 'kube-scheduler.log'),
      ready: (signal) => answersOk(`https://127.0.0.1:${port}/healthz`, { signal }),
    }),
  );
}

interface KubeletOptions {
  readonly directory: string;
  readonly controlPlane: ControlPlane;
  readonly socket: string;
  readonly address: string;
}

async function startKubelet(program: string, options: KubeletOptions): Promise<ServerProcess> {
  const { directory, controlPlane, socket, address } = options;
  const root = join(directory, 'kubelet');
  await mkdir(root, { recursive: true, mode: 0o700 });
  const kubernetes = await createKubernetesApi({ kubeconfig: controlPlane.kubeconfigPath });
  const started = withFreePorts([undefined], async ([port = 0]) => {
    const config = join(root, 'config.json');
    await writeFile(config, JSON.stringify(configOf(address, port, socket, join(root, 'logs'))), { mode: 0o600 });
    await rm(join(root, 'pki'), { recursive: true, force: true });
    return ServerProcess.start({
      name: 'kubelet',
      program,
      args: [
        `--config=${config}`,
        `--kubeconfig=${controlPlane.kubeconfigPath}`,
        `--root-dir=${join(root, 'root')}`,
        `--cert-dir=${join(root, 'pki')}`,
        `--hostname-override=${NODE_NAME}`,
        `--node-ip=${address}`,
      ],
      logFile: join(directory, 'logs', 'kubelet.log'),
      readyTimeoutMs: 120_000,
      ready: (signal) => nodeIsReady(kubernetes, signal),
    });
  });
  return started.finally(() => kubernetes.close());
}

function configOf(address: string, port: number, socket: string, logs: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address,
    port,
    podLogsDir: logs,
    readOnlyPort: 0,
    healthzPort: 0,
    containerRuntimeEndpoint: `unix://${socket}`,
    failCgroupV1: false,
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    localStorageCapacityIsolation: false,
    makeIPTablesUtilChains: false,
    cgroupDriver: 'cgroupfs',
    evictionHard: {},
    // A closed test machine.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
  };
}

async function nodeIsReady(kubernetes: KubernetesApi, signal: AbortSignal): Promise<boolean> {
  const node = await kubernetes.get({ group: '', version: 'v1', resource: 'nodes', name: NODE_NAME }, { signal });
  if (!node.ok) return false;
  const conditions = getArray(node.object, ['status', 'conditions']) ?? [];
  return conditions.some((one) => getString(one, ['type']) === 'Ready' && getString(one, ['status']) === 'True');
}
