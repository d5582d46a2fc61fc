import { getString, type JsonObject } from '../json.ts';

const RESTORE_STATUS_ANNOTATION = 'velero.io/restore-status';

/**
 * Whether the status of a new object is restored: the Restore's filter decides, the object's own annotation overrides it
 * (spec restore-pipeline.md §19, R-133…R-143).
 * @param item as it is to be created: an action or a resource modifier may have set the annotation.
 * @param statusFilter from `spec.restoreStatus`; undefined where the Restore has none.
 */
export function shouldRestoreStatus(
  item: JsonObject,
  groupResource: string,
  statusFilter: ((groupResource: string) => boolean) | undefined,
): boolean {
  const annotation = getString(item, ['metadata', 'annotations', RESTORE_STATUS_ANNOTATION]);
  switch (annotation?.trim().toLowerCase()) {
    case 'true':
      return true;
    case 'false':
      return false;
    default:
      return statusFilter?.(groupResource) ?? false;
  }
}
