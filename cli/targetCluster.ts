import { KubeConfig } from '@kubernetes/client-node';

export interface KubernetesFlags {
  readonly kubeconfig?: string | undefined;
  readonly kubecontext?: string | undefined;
}

/**
 * Address of the API server that flags and environment lead to: what a restore is bound to, and what messages call the cluster.
 * Undefined where the kubeconfig cannot be read: the worker, which needs it, says why.
 */
export function targetServer({ kubeconfig, kubecontext }: KubernetesFlags): string | undefined {
  try {
    const config = new KubeConfig();
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
    if (kubecontext !== undefined) config.setCurrentContext(kubecontext);
    return config.getCurrentCluster()?.server;
  } catch {
    return undefined;
  }
}
