import { errorTypes } from '../domain/contract.ts';
import { ItemError } from '../domain/item/itemError.ts';
import type { ApiFailure } from '../domain/kubernetes/api.ts';
import { classifyFailure } from '../domain/kubernetes/fault.ts';

/**
 * The infrastructure cannot serve an item now: not the item's fault, so the activity is tried again without limit of attempts
 * (design §3 "Whose fault").
 */
export class InfrastructureFault extends Error {
  /** Tells the pure pipeline to pass this on instead of blaming the item. */
  readonly infrastructure = true;
  readonly type: string;
  readonly retryAfterMs: number | undefined;
  /** The namespace is going away: the one fault that is waited for only so long. */
  readonly terminating: boolean;

  constructor(
    type: string,
    message: string,
    options: { retryAfterMs?: number | undefined; terminating?: boolean } = {},
  ) {
    super(message);
    this.name = 'InfrastructureFault';
    this.type = type;
    this.retryAfterMs = options.retryAfterMs;
    this.terminating = options.terminating ?? false;
  }
}

export function notReady(failure: ApiFailure, options: { terminating?: boolean } = {}): InfrastructureFault {
  return new InfrastructureFault(errorTypes.KubernetesNotReady, failure.message, {
    retryAfterMs: failure.retryAfterMs,
    ...options,
  });
}

/** Lets pass what the API server refuses for good; a server that is not ready is nobody's fault. @throws InfrastructureFault */
export function throwUnlessRefused(failure: ApiFailure): void {
  if (classifyFailure(failure) !== 'item') throw notReady(failure);
}

/**
 * A refusal as the item's error.
 * @param what was being done, for its message.
 * @throws InfrastructureFault where the server is not ready: the item is tried again.
 */
export function refusal(failure: ApiFailure, what?: string): ItemError {
  throwUnlessRefused(failure);
  return new ItemError(what === undefined ? failure.message : `${what}: ${failure.message}`);
}
