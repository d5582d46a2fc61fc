import { parseItem } from '../backup/parseItem.ts';
import { getString } from '../json.ts';
import type { BackupVolumes } from './persistentVolume.ts';
import { itemPath, type PlanSource } from './planSource.ts';

const DATA_UPLOADS = 'datauploads.velero.io';

/**
 * Claims whose data was moved, from the backup's own DataUploads: for backups without volume info (spec restore-pipeline.md §12). Velero looks at the
 * ConfigMaps that it has made from them by then.
 */
export async function withDataUploadClaims(
  source: Pick<PlanSource, 'entries' | 'readItems'>,
  volumes: BackupVolumes,
): Promise<BackupVolumes> {
  if (volumes.methodByVolume.size > 0) return volumes;
  const uploads = [...source.entries()].filter(({ groupResource }) => groupResource === DATA_UPLOADS);
  const claims = new Set<string>();
  for await (const read of source.readItems(uploads)) {
    if (!('text' in read)) continue;
    try {
      const upload = parseItem(read.text, itemPath(read.item));
      const namespace = getString(upload, ['spec', 'sourceNamespace']) ?? '';
      claims.add(`${namespace}/${getString(upload, ['spec', 'sourcePVC']) ?? ''}`);
    } catch {
      // An unreadable item is reported where it is chosen to be restored.
    }
  }
  return { ...volumes, dataUploadClaims: claims };
}
