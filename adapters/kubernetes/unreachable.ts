import { isNativeError } from 'node:util/types';
import { KubernetesUnreachable } from '../../domain/kubernetes/api.ts';

/** Codes of a connection that broke under a request: the next attempt gets another connection. */
const RESET_CODES: readonly string[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Whether the connection broke off, as it does where the server or a load balancer closes one that was idle. */
export function isConnectionReset(error: unknown): boolean {
  return RESET_CODES.includes(codeOf(error) ?? '') || RESET_CODES.includes(codeOf(causeOf(error)) ?? '');
}

/**
 * The error for a request that got no answer. Its message names what was asked, the server and the system's error code, and
 * nothing of the request's or the answer's body.
 */
export function unreachable(what: string, server: string, error: unknown): KubernetesUnreachable {
  return new KubernetesUnreachable(`${what}: no answer from ${server}: ${describe(error)}`, { cause: error });
}

function describe(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  // Where a name has several addresses the error of each is inside, and the outer one has no message.
  const inner = 'errors' in error && Array.isArray(error.errors) ? (error.errors[0] as unknown) : error.cause;
  const message = error.message === '' && isNativeError(inner) ? inner.message : error.message;
  const code = codeOf(error) ?? codeOf(inner);
  return code === undefined || message.includes(code) ? message : `${code} ${message}`;
}

function codeOf(error: unknown): string | undefined {
  if (!isNativeError(error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function causeOf(error: unknown): unknown {
  return isNativeError(error) ? error.cause : undefined;
}
