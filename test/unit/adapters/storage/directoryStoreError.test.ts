import { describe, expect, it } from '@jest/globals';
import { directoryStoreError } from '../../../../adapters/storage/directoryStoreError.ts';
import { ObjectStoreError } from '../../../../domain/backup/objectStore.ts';

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
