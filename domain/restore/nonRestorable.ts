/** Never restored; appended to the excluded resources of every Restore in this order (spec restore-pipeline.md §3 step 0). */
export const NON_RESTORABLE_RESOURCES: readonly string[] = [
  'nodes',
  'events',
  'events.events.k8s.io',
  'backups.velero.io',
  'restores.velero.io',
  'resticrepositories.velero.io',
  'csinodes.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'backuprepositories.velero.io',
];
