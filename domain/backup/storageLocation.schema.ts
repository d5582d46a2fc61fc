import { z } from 'zod';

const secretKey = z.strictObject({ name: z.string(), key: z.string(), optional: z.boolean().optional() });

/** `spec` of a BackupStorageLocation (spec backup-format.md §8). */
export const storageLocationSpecSchema = z.strictObject({
  provider: z.string().min(1, 'the name of an object store plugin'),
  objectStorage: z.strictObject({
    bucket: z.string().min(1, 'the name of a bucket'),
    prefix: z.string().optional(),
    caCert: z.base64('base64 of a PEM bundle').optional(),
    caCertRef: secretKey.optional(),
  }),
  config: z.record(z.string(), z.string()).optional(),
  credential: secretKey.optional(),
  default: z.boolean().optional(),
  accessMode: z.enum(['ReadWrite', 'ReadOnly']).optional(),
  backupSyncPeriod: z.string().optional(),
  validationFrequency: z.string().optional(),
});

/** A whole manifest. Metadata and status hold whatever the API server put there. */
export const storageLocationManifestSchema = z.strictObject({
  apiVersion: z.literal('velero.io/v1'),
  kind: z.literal('BackupStorageLocation'),
  metadata: z.looseObject({ name: z.string().min(1, 'a name'), namespace: z.string().optional() }),
  spec: storageLocationSpecSchema,
  status: z.unknown().optional(),
});

/** Field names per object, for messages. */
export const STORAGE_LOCATION_FIELDS =
  'one of the fields of a BackupStorageLocation: provider, objectStorage (bucket, prefix, caCert, caCertRef), config, credential (name, key), default, accessMode, backupSyncPeriod, validationFrequency';
