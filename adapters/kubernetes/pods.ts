import type { ExecRequest, ExecResult, PodAccess, PodListener } from '../../domain/kubernetes/podAccess.ts';
import { CredentialSource } from './credentials.ts';
import { execInPod } from './exec.ts';
import type { KubeconfigOptions } from './kubeconfig.ts';
import { PodWatch } from './podWatch.ts';
import { KubernetesTransport } from './transport.ts';

/** A watch occupies its connection for minutes: those of the other requests are not for it. */
const WATCH_CONNECTIONS = 64;

export interface ClosablePodAccess extends PodAccess {
  /** Ends all watches. */
  close(): Promise<void>;
}

/**
 * Commands in pods and watches of pods, over connections of their own. No request is sent yet.
 * @throws KubeconfigError where there is no kubeconfig, no such context, or one that cannot be read.
 */
export async function createPodAccess(options: KubeconfigOptions = {}): Promise<ClosablePodAccess> {
  const credentials = await CredentialSource.load(options);
  const { environment } = options;
  return new Pods(credentials, new KubernetesTransport({ credentials, connections: WATCH_CONNECTIONS, environment }));
}

class Pods implements ClosablePodAccess {
  private readonly credentials: CredentialSource;
  private readonly transport: KubernetesTransport;
  private readonly watches = new Map<string, PodWatch>();

  constructor(credentials: CredentialSource, transport: KubernetesTransport) {
    this.credentials = credentials;
    this.transport = transport;
  }

  exec(request: ExecRequest): Promise<ExecResult> {
    return execInPod(this.credentials, request);
  }

  follow(labelSelector: string, pod: { namespace: string; name: string }, listener: PodListener): () => void {
    const known = this.watches.get(labelSelector);
    const watch =
      known ??
      new PodWatch(this.transport, labelSelector, () => {
        if (this.watches.get(labelSelector) === watch) this.watches.delete(labelSelector);
      });
    this.watches.set(labelSelector, watch);
    return watch.follow(pod, listener);
  }

  async close(): Promise<void> {
    for (const watch of [...this.watches.values()]) watch.stop();
    await this.transport.close();
  }
}
