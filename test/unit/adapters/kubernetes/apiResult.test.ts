import { describe, expect, it } from '@jest/globals';
import { toApiResult } from '../../../../adapters/kubernetes/apiResult.ts';

const DATE = 'Mon, 30 Nov 2026 12:00:00 GMT';

function answer(status: number, text: string, headers: Record<string, string> = {}) {
  return { status, text, headers: { 'content-type': 'application/json', date: DATE, ...headers } };
}

describe('toApiResult: success', () => {
  it("gives the object, the status and the server's clock, and keeps integers of 64 bits", () => {
    const result = toApiResult('POST', answer(201, '{"n":9007199254740993}'));

    expect(result).toEqual({ ok: true, status: 201, object: { n: 9007199254740993n }, date: new Date(DATE) });
  });

  it.each(['', 'ok', '[]', '"text"', '<html>login</html>', '{'])('is no API answer: %p', (text) => {
    expect(toApiResult('GET', answer(200, text))).toBeUndefined();
  });
});

describe('toApiResult: failure with a Status', () => {
  it('gives reason, message and causes of the Status', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'Pod "a" is invalid',
      reason: 'Invalid',
      details: { causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' }, {}] },
      code: 422,
    };

    expect(toApiResult('POST', answer(422, JSON.stringify(status)))).toEqual({
      ok: false,
      status: 422,
      reason: 'Invalid',
      message: 'Pod "a" is invalid',
      causes: [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' },
        { reason: '', message: '', field: '' },
      ],
      retryAfterMs: undefined,
      date: new Date(DATE),
    });
  });

  it.each<[string, Record<string, string>, object, number | undefined]>([
    ['seconds in the header', { 'retry-after': '3' }, {}, 3_000],
    ['a date in the header', { 'retry-after': 'Mon, 30 Nov 2026 12:00:05 GMT' }, {}, 5_000],
    ['a date that has passed', { 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, {}, 0],
    ['something else in the header', { 'retry-after': 'soon' }, {}, undefined],
    ['seconds in the Status', {}, { details: { retryAfterSeconds: 7 } }, 7_000],
    ['both: the header counts', { 'retry-after': '3' }, { details: { retryAfterSeconds: 7 } }, 3_000],
    ['nothing', {}, {}, undefined],
  ])('takes the pause from %s', (_what, headers, details, retryAfterMs) => {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'TooManyRequests', ...details };

    expect(toApiResult('GET', answer(429, JSON.stringify(status), headers))).toMatchObject({ retryAfterMs });
  });
});

describe('toApiResult: failure without a Status reads as in client-go', () => {
  it.each([
    [400, 'GET', 'BadRequest', 'the server rejected our request for an unknown reason'],
    [401, 'GET', 'Unauthorized', 'the server has asked for the client to provide credentials'],
    [403, 'GET', 'Forbidden', 'body of a proxy'],
    [404, 'GET', 'NotFound', 'the server could not find the requested resource'],
    [405, 'POST', 'MethodNotAllowed', 'the server does not allow this method on the requested resource'],
    [406, 'GET', 'NotAcceptable', 'body of a proxy'],
    [409, 'POST', 'AlreadyExists', 'the server reported a conflict'],
    [409, 'PATCH', 'Conflict', 'the server reported a conflict'],
    [415, 'PATCH', 'UnsupportedMediaType', 'body of a proxy'],
    [418, 'GET', '', 'the server responded with the status code 418 but did not return more information'],
    [422, 'POST', 'Invalid', 'the server rejected our request due to an error in our request'],
    [429, 'GET', 'TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
    [
      500,
      'GET',
      'InternalError',
      'an error on the server ("body of a proxy") has prevented the request from succeeding',
    ],
    [
      502,
      'GET',
      'InternalError',
      'an error on the server ("body of a proxy") has prevented the request from succeeding',
    ],
    [503, 'GET', 'ServiceUnavailable', 'the server is currently unable to handle the request'],
    [
      504,
      'POST',
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request',
    ],
  ])('%d to %s: %s', (status, method, reason, message) => {
    const text = { 'content-type': 'text/plain; charset=utf-8' };

    expect(toApiResult(method, answer(status, ' body of a proxy\n', text))).toMatchObject({
      ok: false,
      status,
      reason,
      message,
      causes: [{ reason: 'UnexpectedServerResponse', message: 'body of a proxy', field: '' }],
    });
  });

  it('does not show a body that is no text, nor more than 2048 characters of one that is', () => {
    const html = toApiResult('GET', answer(500, 'x'.repeat(5_000), { 'content-type': 'text/html' }));

    expect(toApiResult('GET', answer(500, '{"a":1}'))).toMatchObject({
      message: 'an error on the server ("unknown") has prevented the request from succeeding',
    });
    expect(html).toMatchObject({ causes: [{ message: 'x'.repeat(2_048) }] });
  });
});
