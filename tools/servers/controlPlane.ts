import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControllerManager, type Controllers, startControllerManager } from './controllerManager.ts';
import { ensurePrograms } from './ensure.ts';
import { type Etcd, startEtcd } from './etcd.ts';
import type { TargetCluster } from './existingControlPlane.ts';
import { answersOk } from './httpProbe.ts';
import { type KubeApiServer, type KubeApiServerOptions, startKubeApiServer } from './kubeApiServer.ts';
import type { Log } from './progress.ts';

export interface ControlPlaneOptions {
  /** Gets everything of the control plane. One that was stopped is started again with its objects, keys and token. */
  readonly directory: string;
  /**
   * Which controllers run, see Controllers. `none`: no controller manager is needed; namespaces then never finish
   * deleting, and the admission plugin that wants a default ServiceAccount in every namespace is switched off.
   */
  readonly controllers: Controllers | 'none';
  /** Audit log of the API server: true for the metadata of every write, or a policy (YAML). Default false. */
  readonly audit?: boolean | string | undefined;
  /** Data folder of a stopped etcd to start from (copied). */
  readonly etcdData?: string | undefined;
  /** Default: free ports. */
  readonly ports?: ControlPlanePorts | undefined;
  readonly apiServerFlags?: readonly string[] | undefined;
  /** Make etcd write through to the disk. Default false. */
  readonly fsync?: boolean | undefined;
  /** The servers go on when this process ends. Default false. */
  readonly outlivesParent?: boolean | undefined;
  /** Gets progress lines when programs have to be built first; default: the error output. */
  readonly log?: Log | undefined;
}

interface ControlPlanePorts {
  readonly etcd?: number | undefined;
  readonly etcdPeer?: number | undefined;
  readonly apiServer?: number | undefined;
  readonly controllerManager?: number | undefined;
}

export interface ControlPlane extends TargetCluster {
  /** Bearer token of a user who may do everything. */
  readonly token: string;
  readonly etcd: Etcd;
  readonly apiServer: KubeApiServer;
  readonly controllerManager: ControllerManager | undefined;
  /** Stops everything, in reverse order of the start. */
  stop(): Promise<void>;
  /**
   * Stops the API server (if it still runs) and starts it on the same port, with other flags if given. The first lists
   * of custom resources may be answered 429 for a second or two.
   */
  restartApiServer(flags?: readonly string[]): Promise<void>;
}

/**
 * Starts etcd, an API server and a controller manager as processes of this machine and waits until namespace
 * `default` and (with controllers) its ServiceAccount are there.
 * @throws ServerMissing, ServerStartFailed
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const programs = await programsFor(options);
  const { directory, ports = {}, outlivesParent } = options;
  const stops: (() => Promise<unknown>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const etcd = await startEtcd({
      directory,
      copyFrom: options.etcdData,
      port: ports.etcd,
      peerPort: ports.etcdPeer,
      fsync: options.fsync,
      outlivesParent,
      program: programs.etcd,
    });
    stops.push(() => etcd.stop());
    const apiServerOptions: KubeApiServerOptions = {
      directory,
      etcdUrl: etcd.url,
      port: ports.apiServer,
      audit: options.audit,
      extraFlags: [
        ...(options.controllers === 'none' ? ['--disable-admission-plugins=ServiceAccount'] : []),
        ...(options.apiServerFlags ?? []),
      ],
      outlivesParent,
      program: programs.apiServer,
    };
    let apiServer = await startKubeApiServer(apiServerOptions);
    stops.push(() => apiServer.stop());
    const controllerManager =
      options.controllers === 'none'
        ? undefined
        : await startControllerManager({
            directory,
            controllers: options.controllers,
            port: ports.controllerManager,
            outlivesParent,
            program: programs.controllerManager,
          });
    if (controllerManager) stops.push(() => controllerManager.stop());
    await untilUsable(apiServer, controllerManager !== undefined);
    return {
      kubeconfigPath: apiServer.kubeconfigPath,
      url: apiServer.url,
      token: apiServer.token,
      etcd,
      get apiServer() {
        return apiServer;
      },
      controllerManager,
      stop: stopAll,
      async restartApiServer(flags) {
        await apiServer.stop();
        apiServer = await startKubeApiServer({
          ...apiServerOptions,
          port: apiServer.port,
          extraFlags: [...(apiServerOptions.extraFlags ?? []), ...(flags ?? [])],
        });
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

interface ControlPlanePrograms {
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string | undefined;
}

async function programsFor({ controllers, log }: ControlPlaneOptions): Promise<ControlPlanePrograms> {
  const options = log === undefined ? {} : { log };
  const two = await ensurePrograms(['etcd', 'kube-apiserver'], options);
  const third = controllers === 'none' ? undefined : await ensurePrograms(['kube-controller-manager'], options);
  return {
    etcd: two.etcd,
    apiServer: two['kube-apiserver'],
    controllerManager: third?.['kube-controller-manager'],
  };
}

async function untilUsable(server: KubeApiServer, withServiceAccount: boolean): Promise<void> {
  const certificateAuthority = await readFile(server.certificateFile, 'utf8');
  const namespace = `${server.url}/api/v1/namespaces/default`;
  const wanted = withServiceAccount ? [namespace, `${namespace}/serviceaccounts/default`] : [namespace];
  const deadline = Date.now() + 60_000;
  for (const url of wanted) {
    for (;;) {
      const signal = AbortSignal.timeout(2_000);
      const found = await answersOk(url, { token: server.token, certificateAuthority, signal }).catch(() => false);
      if (found) break;
      if (Date.now() > deadline) throw new Error(`${url} was not there 60 s after the start of the control plane`);
      await sleep(50);
    }
  }
}
