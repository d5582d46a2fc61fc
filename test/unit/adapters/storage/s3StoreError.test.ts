import { S3ServiceException } from '@aws-sdk/client-s3';
import { describe, expect, it } from '@jest/globals';
import { s3StoreError } from '../../../../adapters/storage/s3StoreError.ts';

function answer(name: string, httpStatusCode: number, message = 'UnknownError'): S3ServiceException {
  return new S3ServiceException({ name, message, $fault: 'client', $metadata: { httpStatusCode } });
}

function network(code: string, message = 'failed'): Error {
  return Object.assign(new Error(message), { code });
}

describe('s3StoreError', () => {
  it.each<[string, unknown, string, string]>([
    [
      'missing object',
      answer('NoSuchKey', 404, 'The key does not exist.'),
      'NotFound',
      'The key does not exist. (HTTP 404, NoSuchKey)',
    ],
    ['missing object, HEAD', answer('NotFound', 404), 'NotFound', 'no such object (HTTP 404, NotFound)'],
    ['missing bucket', answer('NoSuchBucket', 404, 'No.'), 'NoSuchBucket', 'No. (HTTP 404, NoSuchBucket)'],
    ['refused, HEAD', answer('403', 403), 'AccessDenied', '(HTTP 403)'],
    [
      'unknown access key',
      answer('InvalidAccessKeyId', 403, 'The key is unknown.'),
      'AccessDenied',
      'The key is unknown. (HTTP 403, InvalidAccessKeyId)',
    ],
    [
      'wrong secret key',
      answer('SignatureDoesNotMatch', 403, 'No match.'),
      'AccessDenied',
      'No match. (HTTP 403, SignatureDoesNotMatch)',
    ],
    [
      'another region',
      answer('PermanentRedirect', 301),
      'InvalidConfiguration',
      '(HTTP 301, PermanentRedirect); the bucket is in another region, see config.region',
    ],
    ['bad request', answer('InvalidArgument', 400, 'Bad.'), 'InvalidConfiguration', 'Bad. (HTTP 400, InvalidArgument)'],
    ['slow down', answer('SlowDown', 503, 'Slow.'), 'StoreUnavailable', 'Slow. (HTTP 503, SlowDown)'],
    ['too many', answer('TooManyRequests', 429), 'StoreUnavailable', '(HTTP 429, TooManyRequests)'],
    ['server error', answer('InternalError', 500, 'Oops.'), 'StoreUnavailable', 'Oops. (HTTP 500, InternalError)'],
    ['changed content', answer('PreconditionFailed', 412), 'StoreUnavailable', '(HTTP 412, PreconditionFailed)'],
    [
      'no connection',
      network('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'),
      'StoreUnavailable',
      'connect ECONNREFUSED 127.0.0.1:1',
    ],
    ['unknown host', network('ENOTFOUND', 'getaddrinfo ENOTFOUND x'), 'StoreUnavailable', 'getaddrinfo ENOTFOUND x'],
    [
      'untrusted certificate',
      network('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'),
      'InvalidConfiguration',
      'self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT); see caCert and insecureSkipTLSVerify',
    ],
    [
      'no credentials',
      Object.assign(new Error('Could not load.'), { name: 'CredentialsProviderError' }),
      'InvalidConfiguration',
      'Could not load. (CredentialsProviderError); see config.credentialsFile and config.profile',
    ],
    ['not an error', undefined, 'StoreUnavailable', 'undefined'],
  ])('%s', (_title, error, type, text) => {
    expect(s3StoreError(error, 'S3 bucket b: "k"')).toMatchObject({ type, message: `S3 bucket b: "k": ${text}` });
  });

  it('does not carry the error of the SDK, which holds requests with credentials', () => {
    expect(s3StoreError(answer('NoSuchKey', 404), 'x').cause).toBeUndefined();
  });
});
