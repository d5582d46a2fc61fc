import { getArray, getIn, getString, isObject, type Json, type JsonObject } from '../../domain/json.ts';
import { parseJson } from '../../domain/jsonText.ts';
import type { ApiResult } from '../../domain/kubernetes/api.ts';
import { type FailureText, genericFailure } from './genericFailure.ts';
import type { TransportAnswer } from './transport.ts';

/**
 * Turns an answer into a result. A failure carries what the server's metav1.Status says or, where the body is none (a proxy
 * answered, or nobody serves the path), what client-go would make of the status code.
 * @returns undefined for a 2xx answer that is no JSON object: not an API server's.
 */
export function toApiResult(method: string, answer: TransportAnswer): ApiResult | undefined {
  const object = parseObject(answer.text);
  const date = dateOf(answer);
  if (answer.status >= 200 && answer.status < 300) {
    return object === undefined ? undefined : { ok: true, status: answer.status, object, date };
  }
  const failure = isFailureStatus(object) ? statusFailure(object) : genericFailure(method, answer);
  return {
    ok: false,
    status: answer.status,
    ...failure,
    retryAfterMs: retryAfterHeader(answer) ?? retryAfterDetail(object),
    date,
  };
}

function isFailureStatus(object: JsonObject | undefined): object is JsonObject {
  return object?.['kind'] === 'Status' && object['apiVersion'] === 'v1' && object['status'] !== 'Success';
}

function statusFailure(status: JsonObject): FailureText {
  const causes = getArray(status, ['details', 'causes']) ?? [];
  return {
    reason: getString(status, ['reason']) ?? '',
    message: getString(status, ['message']) ?? '',
    causes: causes.map((cause) => ({
      reason: getString(cause, ['reason']) ?? '',
      message: getString(cause, ['message']) ?? '',
      field: getString(cause, ['field']) ?? '',
    })),
  };
}

function parseObject(text: string): JsonObject | undefined {
  let parsed: Json;
  try {
    parsed = parseJson(text);
  } catch {
    return undefined;
  }
  return isObject(parsed) ? parsed : undefined;
}

/** Seconds, as Kubernetes sends it, or a date, as proxies may. */
function retryAfterHeader(answer: TransportAnswer): number | undefined {
  const header = headerOf(answer, 'retry-after');
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, until - (dateOf(answer)?.getTime() ?? Date.now()));
}

function retryAfterDetail(object: JsonObject | undefined): number | undefined {
  const seconds = getIn(object, ['details', 'retryAfterSeconds']);
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

/** The server's clock, where it told it. */
function dateOf(answer: TransportAnswer): Date | undefined {
  const date = new Date(headerOf(answer, 'date') ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function headerOf(answer: TransportAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}
