import { z } from 'zod';

/** Go leaves zero values out and may write `null` for an empty map or pointer. */
const text = z.string().nullish();

/** What is read of `velero-backup.json`; unknown fields are of no interest (spec backup-format.md §2.1, §7). */
export const backupMetadataSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string().min(1, 'the name of the backup'),
    namespace: text,
    labels: z.record(z.string(), z.string()).nullish(),
  }),
  spec: z
    .looseObject({ storageLocation: text, snapshotMoveData: z.boolean().nullish(), csiSnapshotTimeout: text })
    .nullish(),
  status: z.looseObject({ formatVersion: text, phase: text, startTimestamp: text }).nullish(),
});
