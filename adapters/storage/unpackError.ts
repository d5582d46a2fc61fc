import { ObjectStoreError } from '../../domain/backup/objectStore.ts';
import { ArchiveError } from './archiveError.ts';
import { errorParts, isAbort } from './errorParts.ts';

/** Says what an error of unzipping, of reading the tar format or of writing means. */
export function unpackError(error: unknown, what: string, directory: string): unknown {
  if (error instanceof ArchiveError || error instanceof ObjectStoreError || isAbort(error)) return error;
  const { code, message } = errorParts(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ArchiveError('CacheFull', `${what}: no room left to unpack it in ${directory} (${code})`);
  }
  if (code === 'Z_BUF_ERROR' || message === 'Unexpected end of data') {
    return new ArchiveError('TruncatedArchive', `${what}: the archive ends too early`);
  }
  if (code?.startsWith('Z_') === true) {
    return new ArchiveError('NotAnArchive', `${what}: not gzip data, or damaged (${message})`);
  }
  // The other errors of the tar reader have no code; those of the file system do.
  if (code === undefined) return new ArchiveError('NotAnArchive', `${what}: not a tar archive, or damaged`);
  return new ArchiveError('CacheUnusable', `${what}: cannot be unpacked in ${directory} (${code})`);
}
