import type { ApiFailure } from '../../domain/kubernetes/api.ts';
import type { TransportAnswer } from './transport.ts';

/** What a failure says beside the HTTP status. */
export type FailureText = Pick<ApiFailure, 'reason' | 'message' | 'causes'>;

/** As client-go: so much of a body that is no Status goes into a message. */
const MAX_TEXT_LENGTH = 2048;

/** Reasons and messages of client-go for answers without a Status; `text` is the body, or `unknown` where it is no text. */
const KNOWN: Readonly<Record<number, (text: string) => readonly [reason: string, message: string]>> = {
  400: () => ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: () => ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: (text) => ['Forbidden', text],
  404: () => ['NotFound', 'the server could not find the requested resource'],
  405: () => ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: (text) => [
    'NotAcceptable',
    text === '' || text === 'unknown'
      ? 'the server was unable to respond with a content type that the client supports'
      : text,
  ],
  409: () => ['Conflict', 'the server reported a conflict'],
  415: (text) => ['UnsupportedMediaType', text],
  422: () => ['Invalid', 'the server rejected our request due to an error in our request'],
  429: () => ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: () => ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: () => [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

/** What client-go shows for an answer whose body is no metav1.Status. */
export function genericFailure(method: string, { status, headers, text: body }: TransportAnswer): FailureText {
  const text = isText(headers['content-type']) ? body.slice(0, MAX_TEXT_LENGTH).trim() : 'unknown';
  const [reason, message] = (KNOWN[status] ?? fallback(status))(text);
  return {
    reason: status === 409 && method === 'POST' ? 'AlreadyExists' : reason,
    message,
    causes: [{ reason: 'UnexpectedServerResponse', message: text, field: '' }],
  };
}

function fallback(status: number): (text: string) => readonly [string, string] {
  if (status < 500) {
    return () => ['', `the server responded with the status code ${status} but did not return more information`];
  }
  return (text) => [
    'InternalError',
    `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`,
  ];
}

function isText(contentType: string | string[] | undefined): boolean {
  const first = typeof contentType === 'string' ? contentType : contentType?.[0];
  return first === undefined || first === '' || first.trimStart().toLowerCase().startsWith('text/');
}
