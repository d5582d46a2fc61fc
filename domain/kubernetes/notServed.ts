import type { ApiFailure } from './api.ts';

/**
 * Whether nobody serves the path that was asked for: its CustomResourceDefinition is not there. The API server then answers with
 * bare text and not with a Status, as it does where an object or its namespace is missing.
 */
export function isNotServed({ status, causes }: Pick<ApiFailure, 'status' | 'causes'>): boolean {
  return status === 404 && causes.some(({ reason }) => reason === 'UnexpectedServerResponse');
}
