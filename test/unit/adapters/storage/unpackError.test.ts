import { describe, expect, it } from '@jest/globals';
import { ArchiveError } from '../../../../adapters/storage/archiveError.ts';
import { unpackError } from '../../../../adapters/storage/unpackError.ts';
import { ObjectStoreError } from '../../../../domain/backup/objectStore.ts';

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
