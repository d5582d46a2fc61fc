import { S3ServiceException } from '@aws-sdk/client-s3';
import { ObjectStoreError, type ObjectStoreErrorType } from '../../domain/backup/objectStore.ts';
import { type ErrorParts, errorParts } from './errorParts.ts';

const NAMES: Readonly<Record<string, ObjectStoreErrorType>> = {
  NoSuchKey: 'NotFound',
  NotFound: 'NotFound',
  NoSuchBucket: 'NoSuchBucket',
  PreconditionFailed: 'StoreUnavailable',
  InvalidBucketName: 'InvalidConfiguration',
  PermanentRedirect: 'InvalidConfiguration',
  AuthorizationHeaderMalformed: 'InvalidConfiguration',
  CredentialsProviderError: 'InvalidConfiguration',
  InvalidAccessKeyId: 'AccessDenied',
  SignatureDoesNotMatch: 'AccessDenied',
  ExpiredToken: 'AccessDenied',
  InvalidToken: 'AccessDenied',
  RequestTimeout: 'StoreUnavailable',
  SlowDown: 'StoreUnavailable',
};

/** What the SDK calls an error that the server gave no code for. */
const NAMELESS = ['Error', 'Unknown', 'UnknownError'];

const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/;

function typeOfStatus(status: number): ObjectStoreErrorType {
  if (status === 401 || status === 403) return 'AccessDenied';
  if (status === 404) return 'NotFound';
  if (status === 408 || status === 429 || status >= 500) return 'StoreUnavailable';
  return 'InvalidConfiguration';
}

function hintOf({ name, code }: ErrorParts, status: number | undefined): string {
  if (CERTIFICATE_CODE.test(code ?? '')) return '; see caCert and insecureSkipTLSVerify';
  if (name === 'PermanentRedirect' || status === 301) return '; the bucket is in another region, see config.region';
  if (name === 'CredentialsProviderError') return '; see config.credentialsFile and config.profile';
  return '';
}

function textOf({ name, message, code }: ErrorParts, status: number | undefined): string {
  const known = code ?? (NAMELESS.includes(name) ? '' : name);
  const answer =
    status === undefined ? known : `HTTP ${status}${known === '' || known === String(status) ? '' : `, ${known}`}`;
  // An answer to HEAD has no body: the SDK then makes up a name and the message "UnknownError".
  const useful = message === 'UnknownError' || message === known ? '' : message;
  const missing = useful === '' && status === 404 ? 'no such object' : useful;
  const detail = answer === '' || missing.includes(answer) ? '' : `(${answer})`;
  return [missing, detail].filter((part) => part !== '').join(' ');
}

function typeOf({ name, code }: ErrorParts, status: number | undefined): ObjectStoreErrorType {
  const byName = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (byName !== undefined) return byName;
  if (status !== undefined) return typeOfStatus(status);
  return CERTIFICATE_CODE.test(code ?? '') ? 'InvalidConfiguration' : 'StoreUnavailable';
}

/**
 * Says what an error of the S3 client means. It carries the server's code and message but not the error itself: the SDK
 * hangs whole requests and answers on it.
 */
export function s3StoreError(error: unknown, what: string): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error;
  const parts = errorParts(error);
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  const text = `${textOf(parts, status)}${hintOf(parts, status)}`;
  return new ObjectStoreError(typeOf(parts, status), `${what}: ${text === '' ? 'unknown error' : text}`);
}
