import { whyNoTcp } from '../client/tcpProbe.ts';
import { CommandError } from './commandError.ts';

export interface KubernetesFlags {
  readonly kubeconfig?: string | undefined;
  readonly kubecontext?: string | undefined;
}

/** The cluster that flags and environment lead to. */
export interface TargetCluster {
  /** Address of the API server. */
  readonly server: string;
  /** A proxy stands between: whether the server can be reached shows only there. */
  readonly proxied: boolean;
}

const PROBE_TIMEOUT_MS = 5_000;

/** Undefined where the kubeconfig cannot be read: the worker, which needs it, says why. */
export async function targetCluster(
  { kubeconfig, kubecontext }: KubernetesFlags,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<TargetCluster | undefined> {
  try {
    // Loaded where it is needed: it is large.
    const { KubeConfig } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
    if (kubecontext !== undefined) config.setCurrentContext(kubecontext);
    const cluster = config.getCurrentCluster();
    if (cluster === null) return undefined;
    const variables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
    const proxied = cluster.proxyUrl !== undefined || variables.some((name) => Boolean(environment[name]));
    return { server: cluster.server, proxied };
  } catch {
    return undefined;
  }
}

/**
 * Makes sure that something listens where the API server should be, before a restore is started and its name used up.
 * @throws CommandError `ClusterUnreachable`
 */
export async function checkReachable({ server, proxied }: TargetCluster): Promise<void> {
  if (proxied || !URL.canParse(server)) return;
  const { hostname, port, protocol } = new URL(server);
  const standardPort = protocol === 'http:' ? 80 : 443;
  const reason = await whyNoTcp(
    hostname.replace(/^\[|\]$/g, ''),
    port === '' ? standardPort : Number(port),
    PROBE_TIMEOUT_MS,
  );
  if (reason === undefined) return;
  throw new CommandError('ClusterUnreachable', `the Kubernetes API server ${server} cannot be reached: ${reason}`);
}
