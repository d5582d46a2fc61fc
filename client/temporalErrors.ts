import { isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import {
  RestoreClientError,
  TemporalAccessDenied,
  TemporalNamespaceNotFound,
  TemporalRequestFailed,
  TemporalUnreachable,
} from './errors.ts';

/** Codes of gRPC that mean something to a caller. */
export const grpcCodes = {
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  failedPrecondition: 9,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** What is inside the SDK's own errors: the answer of the server. */
export function grpcFault(error: unknown): { readonly code: number; readonly details: string } | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (isGrpcServiceError(at)) return { code: at.code, details: at.details };
  }
  return undefined;
}

/** Messages of gRPC begin with what every reader of ours already knows. */
function shortReason(details: string): string {
  const [first = ''] = details.replace(/^No connection established\. Last error: (?:Error: )?/, '').split('\n');
  return first.replace(/\. Resolution note:.*$/, '').trim();
}

/** Turns an error of the SDK into one of ours that says who did not answer, or what was refused. Ours are passed through. */
export function toClientError(error: unknown, target: { readonly address: string; readonly namespace: string }): Error {
  if (error instanceof RestoreClientError) return error;
  const options = { cause: error };
  if (error instanceof NamespaceNotFoundError) {
    return new TemporalNamespaceNotFound(
      `Temporal server ${target.address} has no namespace ${JSON.stringify(target.namespace)}`,
      options,
    );
  }
  const fault = grpcFault(error);
  if (fault === undefined) return error instanceof Error ? error : new Error(String(error));
  switch (fault.code) {
    case grpcCodes.deadlineExceeded:
      return new TemporalUnreachable(target.address, 'no answer in time', options);
    case grpcCodes.unavailable:
      return new TemporalUnreachable(target.address, shortReason(fault.details) || 'connection refused', options);
    case grpcCodes.unauthenticated:
    case grpcCodes.permissionDenied:
      return new TemporalAccessDenied(
        `Temporal server ${target.address} refused access to namespace ${JSON.stringify(target.namespace)}: ${shortReason(fault.details)}`,
        options,
      );
    default:
      return new TemporalRequestFailed(
        `Temporal server ${target.address} refused the request: ${shortReason(fault.details)}`,
        options,
      );
  }
}
