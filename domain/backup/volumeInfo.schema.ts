import { z } from 'zod';

/** Go leaves empty texts out or writes null for nil pointers. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
const size = z
  .union([z.number(), z.bigint()])
  .nullish()
  .transform((value) => value ?? undefined);
function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** One entry of `N-volumeinfo.json.gz` (spec backup-format.md §2.3); some keys are capitalised in the file. */
export const volumeInfoSchema = z.object({
  pvcName: text,
  pvcNamespace: text,
  pvName: text,
  backupMethod: text,
  snapshotDataMoved: flag,
  preserveLocalSnapshot: flag,
  skipped: flag,
  skippedReason: text,
  startTimestamp: text,
  completionTimestamp: text,
  result: text,
  csiSnapshotInfo: optional(
    z.object({
      snapshotHandle: text,
      size,
      driver: text,
      vscName: text,
      operationID: text,
      volumeGroupSnapshotHandle: text,
    }),
  ),
  snapshotDataMovementInfo: optional(
    z.object({
      dataMover: text,
      uploaderType: text,
      retainedSnapshot: text,
      snapshotHandle: text,
      operationID: text,
      size,
      incrementalSize: size,
      Phase: text,
    }),
  ),
  nativeSnapshotInfo: optional(
    z.object({ snapshotHandle: text, volumeType: text, volumeAZ: text, iops: text, Phase: text }),
  ),
  pvbInfo: optional(
    z.object({
      snapshotHandle: text,
      size,
      incrementalSize: size,
      uploaderType: text,
      volumeName: text,
      podName: text,
      podNamespace: text,
      nodeName: text,
      Phase: text,
    }),
  ),
  pvInfo: optional(z.object({ reclaimPolicy: text, labels: optional(z.record(z.string(), z.string())) })),
});

/** One entry of `N-volumesnapshots.json.gz` (spec backup-format.md §2.2). */
export const volumeSnapshotSchema = z.object({
  spec: z.object({
    backupName: text,
    backupUID: text,
    location: text,
    persistentVolumeName: text,
    providerVolumeID: text,
    volumeType: text,
    volumeAZ: text,
    volumeIOPS: size,
  }),
  status: optional(z.object({ providerSnapshotID: text, phase: text })),
});
