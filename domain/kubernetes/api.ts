import type { JsonObject } from '../json.ts';
import type { ResourceTable } from './resourceTable.ts';

/** Where an object or a list of objects lives in the API server. The group is empty for the core group. */
export interface ResourceLocation {
  readonly group: string;
  readonly version: string;
  /** Plural resource name, e.g. `deployments`. */
  readonly resource: string;
  /** Left out for cluster-scoped resources. */
  readonly namespace?: string | undefined;
}

export interface ObjectLocation extends ResourceLocation {
  readonly name: string;
}

/** An answer of the API server with a 2xx status. */
export interface ApiSuccess {
  readonly ok: true;
  readonly status: number;
  readonly object: JsonObject;
  /** The API server's own clock, from the Date header (1 s resolution). */
  readonly date: Date | undefined;
}

/** Any other answer: a value, because whose fault it is depends on the caller (design §3). */
export interface ApiFailure {
  readonly ok: false;
  readonly status: number;
  /** metav1.Status reason, e.g. `AlreadyExists`; empty where the body was no Status. */
  readonly reason: string;
  /** metav1.Status message, as client-go would show it; never holds request or object bodies we added. */
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
  readonly retryAfterMs: number | undefined;
  readonly date: Date | undefined;
}

export type ApiResult = ApiSuccess | ApiFailure;

export type PatchType = 'merge' | 'json' | 'strategic';

export interface WriteOptions {
  readonly fieldManager: string;
  readonly subresource?: 'status';
  /** The answer need not hold more than the object's metadata, which spares the API server and us the rest. */
  readonly metadataOnly?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The Kubernetes API as a restore needs it. Every method throws `KubernetesUnreachable` where there was no HTTP answer (a
 * create may have gone through nevertheless) and returns every HTTP answer as a value.
 */
export interface KubernetesApi {
  /** Server URL, for messages. */
  readonly server: string;
  get(location: ObjectLocation, options?: { signal?: AbortSignal | undefined }): Promise<ApiResult>;
  /** One page, or with `all` every page, of the list; `object.items` holds the objects. */
  list(
    location: ResourceLocation,
    options?: { labelSelector?: string; fieldSelector?: string; limit?: number; signal?: AbortSignal | undefined },
  ): Promise<ApiResult>;
  create(location: ResourceLocation, object: JsonObject, options: WriteOptions): Promise<ApiResult>;
  replace(location: ObjectLocation, object: JsonObject, options: WriteOptions): Promise<ApiResult>;
  patch(
    location: ObjectLocation,
    patch: JsonObject | JsonObject[],
    options: WriteOptions & { type: PatchType },
  ): Promise<ApiResult>;
  delete(location: ObjectLocation): Promise<ApiResult>;
  /** Whether `/readyz` answers 200 within 2 s: tells a broken webhook from a broken API server (design §3). */
  isReady(): Promise<boolean>;
  /** What the API server serves. Cached; `refresh` asks again (single flight). */
  discover(options?: { refresh?: boolean }): Promise<ResourceTable>;
}

/** No HTTP answer: connection refused, reset, timed out, TLS or credentials failure before a request was sent. */
export class KubernetesUnreachable extends Error {
  readonly type = 'KubernetesUnreachable';
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KubernetesUnreachable';
  }
}
