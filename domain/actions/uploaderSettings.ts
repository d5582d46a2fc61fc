import type { RestoreSpec } from '../restore/restore.ts';

/** The Restore's uploader configuration as data movers and pod volume restores take it; undefined where it has none. */
export function uploaderSettings({ uploaderConfig }: RestoreSpec): Record<string, string> | undefined {
  if (uploaderConfig === undefined) return undefined;
  const { writeSparseFiles = false, parallelFilesDownload = 0 } = uploaderConfig;
  return {
    WriteSparseFiles: String(writeSparseFiles),
    ...(parallelFilesDownload > 0 ? { ParallelFilesDownload: String(parallelFilesDownload) } : {}),
  };
}
