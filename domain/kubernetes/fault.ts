import type { ApiFailure } from './api.ts';

/**
 * Whose fault a refusal of the API server is (design §3, "Whose fault"):
 * - `throttled`, `terminating`, `quotaUnknown`: the cluster's, for a while; to be retried without limit;
 * - `unauthorized`: the worker's credentials ran out in the middle; somebody renews them (validation has refused bad ones);
 * - `serverError`: the cluster's while `/readyz` fails, otherwise that of a webhook or an aggregated API, so the item's after
 *   a few tries;
 * - `item`: the item's, at once.
 */
export type Fault = 'throttled' | 'unauthorized' | 'terminating' | 'quotaUnknown' | 'serverError' | 'item';

const TERMINATING_REASON = 'NamespaceTerminating';
const TERMINATING_MESSAGE = 'because it is being terminated';
/** The quota controller has not yet counted what a new ResourceQuota limits. */
const QUOTA_UNKNOWN_MESSAGE = 'status unknown for quota';

/** Only HTTP answers have a fault; where there was none the caller holds a `KubernetesUnreachable`. */
export function classifyFailure({ status, message, causes }: ApiFailure): Fault {
  if (status === 429) return 'throttled';
  if (status === 401) return 'unauthorized';
  if (causes.some(({ reason }) => reason === TERMINATING_REASON) || message.includes(TERMINATING_MESSAGE)) {
    return 'terminating';
  }
  if (message.includes(QUOTA_UNKNOWN_MESSAGE)) return 'quotaUnknown';
  return status >= 500 ? 'serverError' : 'item';
}
