import { ObjectStoreError, type ObjectStoreErrorType } from '../../domain/backup/objectStore.ts';
import { errorCode } from './errorParts.ts';

const TYPES: Readonly<Record<string, ObjectStoreErrorType>> = {
  ENOENT: 'NotFound',
  ENOTDIR: 'NotFound',
  EISDIR: 'NotFound',
  EACCES: 'AccessDenied',
  EPERM: 'AccessDenied',
  EROFS: 'AccessDenied',
  ENAMETOOLONG: 'InvalidConfiguration',
  ELOOP: 'InvalidConfiguration',
};

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'no such object',
  ENOTDIR: 'no such object',
  EISDIR: 'no such object',
  EACCES: 'access denied',
  EPERM: 'access denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'too many open files',
};

/** Says what a file system error means for an object store; what is not known to last counts as passing trouble. */
export function directoryStoreError(error: unknown, what: string): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error;
  const code = errorCode(error) ?? 'unknown error';
  const problem = PROBLEMS[code];
  const text = problem === undefined ? code : `${problem} (${code})`;
  return new ObjectStoreError(TYPES[code] ?? 'StoreUnavailable', `${what}: ${text}`, { cause: error });
}
