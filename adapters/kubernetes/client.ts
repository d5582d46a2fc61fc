import type { JsonObject } from '../../domain/json.ts';
import { renderJson } from '../../domain/jsonText.ts';
import {
  type ApiResult,
  type KubernetesApi,
  KubernetesUnreachable,
  type ObjectLocation,
  type PatchType,
  type ResourceLocation,
  type WriteOptions,
} from '../../domain/kubernetes/api.ts';
import type { ResourceTable } from '../../domain/kubernetes/resourceTable.ts';
import { toApiResult } from './apiResult.ts';
import { CredentialSource } from './credentials.ts';
import { Discovery } from './discovery.ts';
import type { KubeconfigOptions } from './kubeconfig.ts';
import { AdaptiveLimiter } from './limiter.ts';
import { readAllPages, readOnePage } from './objectList.ts';
import { collectionPath, objectPath, withQuery } from './paths.ts';
import { KubernetesTransport, type TransportRequest } from './transport.ts';

export interface KubernetesApiOptions extends KubeconfigOptions {
  /** Most connections to the API server, and so most requests at a time; default 64. */
  readonly connections?: number | undefined;
  /** Gets what deserves a line but is no error of a request, e.g. a pino logger. */
  readonly log?: KubernetesLog | undefined;
}

interface KubernetesLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** What the adaptive limit does at present, for metrics. */
type LimiterState = Pick<AdaptiveLimiter, 'limit' | 'inFlight' | 'waiting'>;

export interface ClosableKubernetesApi extends KubernetesApi {
  readonly limiter: LimiterState;
  /** Closes all connections when the requests under way have ended. */
  close(): Promise<void>;
}

const DEFAULT_CONNECTIONS = 64;
/** `/readyz` must not wait behind the very requests about which it is asked. */
const PROBE_CONNECTIONS = 2;
const READY_TIMEOUT_MS = 2_000;

const PATCH_CONTENT_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** Servers that cannot leave out the rest answer with the whole object. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/**
 * Connects to the cluster of a kubeconfig. No request is sent yet.
 * @throws KubeconfigError where there is no kubeconfig, no such context, or one that cannot be read.
 */
export async function createKubernetesApi(options: KubernetesApiOptions = {}): Promise<ClosableKubernetesApi> {
  const connections = options.connections ?? DEFAULT_CONNECTIONS;
  const limiter = new AdaptiveLimiter({ max: connections });
  const credentials = await CredentialSource.load(options);
  const { environment } = options;
  return new KubernetesClient({
    transport: new KubernetesTransport({ credentials, connections, environment }),
    probe: new KubernetesTransport({ credentials, connections: PROBE_CONNECTIONS, environment }),
    limiter,
    log: options.log,
  });
}

interface ClientParts {
  readonly transport: KubernetesTransport;
  readonly probe: KubernetesTransport;
  readonly limiter: AdaptiveLimiter;
  readonly log: KubernetesLog | undefined;
}

class KubernetesClient implements ClosableKubernetesApi {
  readonly server: string;
  readonly limiter: AdaptiveLimiter;
  private readonly transport: KubernetesTransport;
  private readonly probe: KubernetesTransport;
  private readonly discovery: Discovery;

  constructor({ transport, probe, limiter, log }: ClientParts) {
    this.transport = transport;
    this.probe = probe;
    this.limiter = limiter;
    this.server = transport.server;
    this.discovery = new Discovery((path, accept) => this.send({ method: 'GET', path, accept }), log);
  }

  get(location: ObjectLocation, options: { signal?: AbortSignal | undefined } = {}): Promise<ApiResult> {
    return this.limited({ method: 'GET', path: objectPath(location), signal: options.signal });
  }

  list(
    location: ResourceLocation,
    options: { labelSelector?: string; fieldSelector?: string; limit?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<ApiResult> {
    const { labelSelector, fieldSelector, limit, signal } = options;
    const readPage = (page: { readonly limit?: number; readonly continue?: string }): Promise<ApiResult> =>
      this.limited({
        method: 'GET',
        path: withQuery(collectionPath(location), { labelSelector, fieldSelector, ...page }),
        signal,
      });
    return limit === undefined ? readAllPages(readPage) : readOnePage(readPage, limit);
  }

  create(location: ResourceLocation, object: JsonObject, options: WriteOptions): Promise<ApiResult> {
    return this.write('POST', collectionPath(location), 'application/json', object, options);
  }

  replace(location: ObjectLocation, object: JsonObject, options: WriteOptions): Promise<ApiResult> {
    return this.write('PUT', objectPath(location, options.subresource), 'application/json', object, options);
  }

  patch(
    location: ObjectLocation,
    patch: JsonObject | JsonObject[],
    options: WriteOptions & { type: PatchType },
  ): Promise<ApiResult> {
    const contentType = PATCH_CONTENT_TYPES[options.type];
    return this.write('PATCH', objectPath(location, options.subresource), contentType, patch, options);
  }

  delete(location: ObjectLocation): Promise<ApiResult> {
    return this.limited({ method: 'DELETE', path: objectPath(location) });
  }

  async isReady(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, READY_TIMEOUT_MS, false);
    });
    const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
    const asked = this.probe.request({ method: 'GET', path: '/readyz', accept: '*/*', signal }).then(
      (answer) => answer.status === 200,
      () => false,
    );
    // The signal ends the request, but not a credential plugin that hangs.
    const ready = await Promise.race([asked, late]);
    clearTimeout(timer);
    return ready;
  }

  discover(options: { refresh?: boolean } = {}): Promise<ResourceTable> {
    return options.refresh === true ? this.discovery.refresh() : this.discovery.get();
  }

  async close(): Promise<void> {
    await Promise.all([this.transport.close(), this.probe.close()]);
  }

  private async write(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    contentType: string,
    content: JsonObject | JsonObject[],
    { fieldManager, metadataOnly, signal }: WriteOptions,
  ): Promise<ApiResult> {
    const body = renderJson(content);
    const accept = metadataOnly === true ? METADATA_ONLY : undefined;
    return this.limited({ method, path: withQuery(path, { fieldManager }), accept, contentType, body, signal });
  }

  /** Sends a request in its turn and lets the limit learn from the answer. */
  private limited(request: TransportRequest): Promise<ApiResult> {
    return this.limiter.run(async () => {
      const result = await this.send(request);
      if (result.status === 429) this.limiter.throttled(result.ok ? undefined : result.retryAfterMs);
      else if (result.status < 500) this.limiter.succeeded();
      return result;
    }, request.signal);
  }

  private async send(request: TransportRequest): Promise<ApiResult> {
    const answer = await this.transport.request(request);
    const result = toApiResult(request.method, answer);
    if (result !== undefined) return result;
    throw new KubernetesUnreachable(
      `${request.method} ${request.path.split('?', 1)[0] ?? ''}: ${this.server} answered ${answer.status} without a JSON object: is it a Kubernetes API server?`,
    );
  }
}
