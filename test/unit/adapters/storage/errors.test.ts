import { S3ServiceException } from '@aws-sdk/client-s3';
import { describe, expect, it } from '@jest/globals';
import { ArchiveError } from '../../../../adapters/storage/archiveError.ts';
import { directoryStoreError } from '../../../../adapters/storage/directoryStoreError.ts';
import { s3StoreError } from '../../../../adapters/storage/s3StoreError.ts';
import { unpackError } from '../../../../adapters/storage/unpackError.ts';
import { ObjectStoreError } from '../../../../domain/backup/objectStore.ts';

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

describe('directoryStoreError', () => {
  it.each<[string, string, boolean, string]>([
    ['ENOENT', 'NotFound', false, 'no such object (ENOENT)'],
    ['EACCES', 'AccessDenied', false, 'access denied (EACCES)'],
    ['EROFS', 'AccessDenied', false, 'the file system is read-only (EROFS)'],
    ['ENAMETOOLONG', 'InvalidConfiguration', false, 'ENAMETOOLONG'],
    ['ENOSPC', 'StoreUnavailable', true, 'the disk is full (ENOSPC)'],
    ['EIO', 'StoreUnavailable', true, 'EIO'],
    ['ESTALE', 'StoreUnavailable', true, 'ESTALE'],
  ])('%s is %s', (code, type, retryable, text) => {
    const error = directoryStoreError(Object.assign(new Error('x'), { code }), 'directory /d: "k"');
    expect(error).toMatchObject({ type, retryable, message: `directory /d: "k": ${text}` });
  });

  it('leaves errors of the store alone', () => {
    const error = new ObjectStoreError('NoSuchBucket', 'x');
    expect(directoryStoreError(error, 'y')).toBe(error);
  });
});

function failure(code: string | undefined, message = 'failed'): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

describe('unpackError', () => {
  it.each<[string, unknown, string, boolean, string]>([
    ['full disk', failure('ENOSPC'), 'CacheFull', true, 'no room left to unpack it in /cache (ENOSPC)'],
    ['used up quota', failure('EDQUOT'), 'CacheFull', true, 'no room left to unpack it in /cache (EDQUOT)'],
    ['broken disk', failure('EIO'), 'CacheUnusable', true, 'cannot be unpacked in /cache (EIO)'],
    [
      'gzip cut off',
      failure('Z_BUF_ERROR', 'unexpected end of file'),
      'TruncatedArchive',
      false,
      'the archive ends too early',
    ],
    [
      'tar cut off',
      failure(undefined, 'Unexpected end of data'),
      'TruncatedArchive',
      false,
      'the archive ends too early',
    ],
    [
      'no gzip',
      failure('Z_DATA_ERROR', 'incorrect header check'),
      'NotAnArchive',
      false,
      'not gzip data, or damaged (incorrect header check)',
    ],
    ['no tar', failure(undefined, 'Invalid tar header. …'), 'NotAnArchive', false, 'not a tar archive, or damaged'],
  ])('%s', (_title, error, type, retryable, text) => {
    expect(unpackError(error, 'the backup', '/cache')).toMatchObject({
      type,
      retryable,
      message: `the backup: ${text}`,
    });
  });

  it.each<[string, Error]>([
    ['of the archive', new ArchiveError('EntryTooLarge', 'x')],
    ['of the store', new ObjectStoreError('StoreUnavailable', 'x')],
    ['of one who gave up', new DOMException('x', 'AbortError')],
  ])('leaves an error %s alone', (_title, error) => {
    expect(unpackError(error, 'the backup', '/cache')).toBe(error);
  });
});
