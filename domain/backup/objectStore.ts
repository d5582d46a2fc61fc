/** What is known of a stored object without reading it. */
export interface ObjectInfo {
  readonly key: string;
  readonly size: number;
  /** Changes whenever the content does. */
  readonly etag: string;
}

/**
 * The object store of a BackupStorageLocation (spec backup-format.md §8). Keys are relative to bucket and prefix and never
 * start with `/`. Methods throw `ObjectStoreError`.
 */
export interface ObjectStore {
  /** Bucket, prefix and address, for messages; never a credential. */
  readonly description: string;
  /** Undefined where there is no such object; any other trouble throws. */
  head(key: string): Promise<ObjectInfo | undefined>;
  /** Streams the content; a connection lost on the way is resumed where it broke off. Throws `NotFound` at the first read. */
  read(key: string, options?: { signal?: AbortSignal }): AsyncIterable<Uint8Array>;
  /** Whole content of a small object; undefined where there is none. `maxBytes` (default 64 MiB) guards memory. */
  get(key: string, options?: { maxBytes?: number }): Promise<Uint8Array | undefined>;
  /** Creates or replaces; readers see the old or the new content, never a part. */
  put(key: string, content: Uint8Array): Promise<void>;
  /** Creates, and never replaces: false where there is such an object already. Of several who try at once, one succeeds. */
  create(key: string, content: Uint8Array): Promise<boolean>;
  /** Keys below `prefix`, sorted. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** "Folders" directly below `prefix`, without the prefix and without the trailing `/`, sorted. */
  listFolders(prefix: string): Promise<string[]>;
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>;
}

export type ObjectStoreErrorType =
  | 'NotFound'
  | 'AccessDenied'
  | 'NoSuchBucket'
  | 'InvalidConfiguration'
  | 'StoreUnavailable';

export class ObjectStoreError extends Error {
  readonly type: ObjectStoreErrorType;
  constructor(type: ObjectStoreErrorType, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ObjectStoreError';
    this.type = type;
  }

  /** Whether trying again later can help. */
  get retryable(): boolean {
    return this.type === 'StoreUnavailable';
  }
}
