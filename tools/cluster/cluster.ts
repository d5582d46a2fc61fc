import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { controllersAtHand } from '../servers/controllersAtHand.ts';
import { startControlPlane } from '../servers/controlPlane.ts';
import { freePort, isFree } from '../servers/freePort.ts';
import { answersOk } from '../servers/httpProbe.ts';
import { withLock } from '../servers/lock.ts';
import type { Log } from '../servers/progress.ts';
import { isThatProgram, stopProgram } from './runningProgram.ts';
import type { ClusterServer, ClusterState } from './state.schema.ts';
import { readState, removeState, writeState } from './state.ts';

export interface ServerHealth extends ClusterServer {
  readonly health: 'healthy' | 'not answering' | 'not running';
}

/** How each server of the cluster in that directory is; empty when there is no cluster. */
export async function clusterHealth(directory: string): Promise<ServerHealth[]> {
  const state = await readState(directory);
  if (state === undefined) return [];
  return Promise.all(state.servers.map(async (server) => ({ ...server, health: await healthOf(server, directory) })));
}

async function healthOf(server: ClusterServer, directory: string): Promise<ServerHealth['health']> {
  if (!(await isThatProgram(server.pid, server.program, directory))) return 'not running';
  const signal = AbortSignal.timeout(3_000);
  const answers = await answersOk(server.healthUrl, { signal }).catch(() => false);
  return answers ? 'healthy' : 'not answering';
}

/**
 * Starts the cluster of that directory, or what of it is not well, and leaves it running. Objects, keys, token and
 * (where they are free) ports are those of the last time.
 * @param allControllers undefined keeps what is running; the first time that is the minimal set
 * @throws ServerMissing, ServerStartFailed
 */
export async function clusterUp(
  directory: string,
  allControllers: boolean | undefined,
  log: Log,
): Promise<{ state: ClusterState; started: boolean }> {
  const onWait = (holder: number | undefined): void => {
    log(`waiting for process ${holder ?? 'unknown'}, which works on the same cluster`);
  };
  return withLock(join(directory, 'up.lock'), { onWait }, async () => {
    const before = await readState(directory);
    const controllers = await wantedControllers(before, allControllers, log);
    if (before !== undefined) {
      const health = await clusterHealth(directory);
      const well = health.every((server) => server.health === 'healthy');
      if (well && controllers === before.controllers) return { state: before, started: false };
      await stopServers(before, directory);
    }
    log(`starting etcd, kube-apiserver${controllers === 'none' ? '' : ', kube-controller-manager'}`);
    const state = await start(directory, controllers, before, log);
    await writeState(directory, state);
    return { state, started: true };
  });
}

async function wantedControllers(
  before: ClusterState | undefined,
  allControllers: boolean | undefined,
  log: Log,
): Promise<ClusterState['controllers']> {
  if (allControllers) return 'all';
  if (before !== undefined) return before.controllers;
  const controllers = await controllersAtHand();
  if (controllers === 'none') {
    log('KUBEBUILDER_ASSETS has no kube-controller-manager: going without one (namespaces will not finish deleting)');
  }
  return controllers;
}

async function start(
  directory: string,
  controllers: ClusterState['controllers'],
  before: ClusterState | undefined,
  log: Log,
): Promise<ClusterState> {
  const plane = await startControlPlane({
    directory,
    controllers,
    ports: {
      etcd: await stillFree(before?.ports.etcd),
      etcdPeer: await stillFree(before?.ports.etcdPeer),
      apiServer: await stillFree(before?.ports.apiServer),
      controllerManager: await stillFree(before?.ports.controllerManager),
    },
    fsync: true,
    outlivesParent: true,
    log,
  });
  const { etcd, apiServer, controllerManager } = plane;
  return {
    controllers,
    url: plane.url,
    kubeconfig: plane.kubeconfigPath,
    ports: {
      etcd: etcd.port,
      etcdPeer: etcd.peerPort,
      apiServer: apiServer.port,
      ...(controllerManager === undefined ? {} : { controllerManager: controllerManager.port }),
    },
    servers: [
      { ...identity(etcd.process), healthUrl: `${etcd.url}/health` },
      // Open to everyone by Kubernetes' own default roles, so that no token is needed here.
      { ...identity(apiServer.process), healthUrl: `${apiServer.url}/readyz` },
      ...(controllerManager === undefined
        ? []
        : [{ ...identity(controllerManager.process), healthUrl: `${controllerManager.url}/healthz` }]),
    ],
  };
}

function identity({ name, pid, program }: Omit<ClusterServer, 'healthUrl'>): Omit<ClusterServer, 'healthUrl'> {
  return { name, pid, program };
}

async function stillFree(port: number | undefined): Promise<number> {
  return port !== undefined && (await isFree(port)) ? port : freePort();
}

/**
 * Stops the cluster of that directory.
 * @param deleteData also delete its objects, keys, kubeconfig and logs
 * @returns the names of the servers that were running
 */
export async function clusterDown(directory: string, deleteData: boolean): Promise<string[]> {
  const stopped = await withLock(join(directory, 'up.lock'), {}, async () => {
    const state = await readState(directory);
    const names = state === undefined ? [] : await stopServers(state, directory);
    // Without data there are no ports worth remembering.
    if (deleteData) await removeState(directory);
    return names;
  });
  if (deleteData) {
    for (const name of ['etcd', 'certs', 'logs', 'sa.key', 'sa.pub', 'tokens.csv', 'kubeconfig']) {
      await rm(join(directory, name), { recursive: true, force: true });
    }
  }
  return stopped;
}

async function stopServers(state: ClusterState, directory: string): Promise<string[]> {
  const stopped: string[] = [];
  for (const { name, pid, program } of [...state.servers].reverse()) {
    if (await stopProgram(pid, program, directory)) stopped.push(name);
  }
  return stopped;
}
