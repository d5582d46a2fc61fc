import { readFile, writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { type ClosableKubernetesApi, createKubernetesApi } from '../../adapters/kubernetes/client.ts';
import { startControllerManager } from '../servers/controllerManager.ts';
import { startEtcd } from '../servers/etcd.ts';
import { type KubeApiServer, startKubeApiServer } from '../servers/kubeApiServer.ts';

/** A running API server of our own with a client of it. */
export interface Target {
  readonly kubernetes: ClosableKubernetesApi;
  readonly kubeconfigPath: string;
  /** etcd's data, which may be copied when the target is stopped. */
  readonly dataDirectory: string;
  stop(): Promise<void>;
}

/**
 * Starts etcd, an API server and the three controllers that golden targets ran, on a copy of a stopped target's data (golden
 * README, "How it was made").
 */
export async function startTarget(directory: string, etcdData: string): Promise<Target> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const etcd = await startEtcd({ directory, copyFrom: etcdData });
    stops.push(() => etcd.stop());
    const apiServer = await startKubeApiServer({ directory, etcdUrl: etcd.url });
    stops.push(() => apiServer.stop());
    // Like there without any certificate to hand on, so that token Secrets get none.
    const extraFlags = ['--root-ca-file=', `--kubeconfig=${await trustingKubeconfig(apiServer)}`];
    const controllers = await startControllerManager({ directory, controllers: 'minimal', extraFlags });
    stops.push(() => controllers.stop());
    const kubernetes = await createKubernetesApi({ kubeconfig: apiServer.kubeconfigPath });
    stops.push(() => kubernetes.close());
    return { kubernetes, kubeconfigPath: apiServer.kubeconfigPath, dataDirectory: etcd.dataDirectory, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A copy of the server's kubeconfig that names no certificate authority. */
async function trustingKubeconfig({ kubeconfigPath }: KubeApiServer): Promise<string> {
  const config = parse(await readFile(kubeconfigPath, 'utf8')) as { clusters: { cluster: { server: string } }[] };
  const clusters = config.clusters.map(({ cluster: { server }, ...rest }) => {
    return { ...rest, cluster: { server, 'insecure-skip-tls-verify': true } };
  });
  const path = `${kubeconfigPath}.controllers`;
  await writeFile(path, stringify({ ...config, clusters }), { mode: 0o600 });
  return path;
}
