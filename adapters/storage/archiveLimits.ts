/** Bounds of what an archive may hold, and of the cache. */
export interface ArchiveLimits {
  /** Largest item in bytes; default 100 MiB. */
  readonly itemBytes: number;
  /** Largest archive in bytes, decompressed; default 64 GiB. */
  readonly archiveBytes: number;
  /** Most items in an archive, each version counted; default 4,000,000. */
  readonly items: number;
  /** Room for unpacked archives in bytes; what is in use may go beyond it. Default 20 GiB. */
  readonly cacheBytes: number;
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  itemBytes: 100 * MIB,
  archiveBytes: 64 * GIB,
  items: 4_000_000,
  cacheBytes: 20 * GIB,
};
