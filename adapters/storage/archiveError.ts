export type ArchiveErrorType =
  | 'EntryTooLarge'
  | 'ArchiveTooLarge'
  | 'TruncatedArchive'
  /** Not a gzip-compressed tar archive, or a damaged one. */
  | 'NotAnArchive'
  | 'InvalidEntryName'
  | 'UnsupportedEntry'
  | 'EntryNotFound'
  /** The backup was replaced since the caller learnt its ETag. */
  | 'BackupChanged'
  | 'CacheFull'
  | 'CacheUnusable';

/** A backup's tarball that cannot be used, or the place where it is unpacked. */
export class ArchiveError extends Error {
  readonly type: ArchiveErrorType;
  constructor(type: ArchiveErrorType, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ArchiveError';
    this.type = type;
  }

  /** Whether trying again later can help. */
  get retryable(): boolean {
    return this.type === 'CacheFull' || this.type === 'CacheUnusable';
  }
}
