import type { ApiFailure, ApiResult, KubernetesApi } from '../../domain/kubernetes/api.ts';
import { classifyFailure } from '../../domain/kubernetes/fault.ts';
import { pause } from '../activity.ts';
import { notReady } from '../infrastructureFault.ts';

/** Five tries over 15 s before a server error of a ready API server is the item's own (design §3). */
const SERVER_ERROR_DELAYS_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000];

/** A Retry-After up to this long is sat out on the spot, also in a group. */
const SHORT_RETRY_AFTER_MS = 5_000;

/** Thrown where an item must wait and its neighbours must not: the shard runs it as an activity of its own. */
export class MustWait extends Error {
  readonly type = 'MustWait';
}

export interface Patience {
  /** False in a group: whatever would have to wait throws {@link MustWait}. */
  readonly mayWait: boolean;
}

export interface SettleOptions {
  /** Further failures that may pass by themselves and are treated like server errors. */
  readonly isTransient?: ((failure: ApiFailure) => boolean) | undefined;
  /** False where the server had its tries with an earlier call: a server error of a ready API server stands at once. */
  readonly retriesServerErrors?: boolean | undefined;
}

/**
 * Makes a call to the API server and sees whose fault a failure is (design §3). Returns successes and the item's own failures.
 * @throws InfrastructureFault, KubernetesUnreachable; MustWait in a group.
 */
export async function settle(
  kubernetes: KubernetesApi,
  patience: Patience,
  call: () => Promise<ApiResult>,
  { isTransient = () => false, retriesServerErrors = true }: SettleOptions = {},
): Promise<ApiResult> {
  for (const delay of [...SERVER_ERROR_DELAYS_MS, undefined]) {
    const result = await call();
    if (result.ok) return result;
    const fault = classifyFailure(result);
    if (fault === 'item' && !isTransient(result)) return result;
    const retryAfterMs = result.retryAfterMs ?? delay ?? SHORT_RETRY_AFTER_MS;
    if (fault === 'throttled' && delay !== undefined && retryAfterMs <= SHORT_RETRY_AFTER_MS) {
      await pause(retryAfterMs);
      continue;
    }
    if (!patience.mayWait) throw new MustWait(result.message);
    if (fault === 'throttled' || fault === 'quotaUnknown' || fault === 'unauthorized') throw notReady(result);
    if (fault === 'terminating') throw notReady(result, { terminating: true });
    if (fault === 'serverError' && !(await kubernetes.isReady())) throw notReady(result);
    if (delay === undefined || (fault === 'serverError' && !retriesServerErrors)) return result;
    await pause(delay);
  }
  throw new Error('unreachable: the last try returns');
}
