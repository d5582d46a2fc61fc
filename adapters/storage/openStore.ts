import type { ObjectStore } from '../../domain/backup/objectStore.ts';
import { directoryConfig, s3Config, storeKind } from '../../domain/backup/storageConfig.ts';
import type { BackupStorageLocation } from '../../domain/backup/storageLocation.ts';
import { DirectoryStore } from './directoryStore.ts';
import { connectS3 } from './s3Client.ts';
import { customerKey, type ReadSecret, s3Credentials, secretValue } from './s3Credentials.ts';
import { S3Store } from './s3Store.ts';

export interface OpenStoreOptions {
  /** Needed where the location selects Secrets (`credential`, `caCertRef`, `customerKeyEncryptionSecret`). */
  readonly readSecret?: ReadSecret;
}

async function openS3(location: BackupStorageLocation, { readSecret }: OpenStoreOptions): Promise<ObjectStore> {
  const config = s3Config(location);
  const { caCertRef, credential } = location;
  const caCert =
    caCertRef === undefined
      ? config.caCert
      : Buffer.from(await secretValue('spec.objectStorage.caCertRef', caCertRef, readSecret)).toString('utf8');
  const key = config.customerKey === undefined ? undefined : await customerKey(config.customerKey, readSecret);
  const credentials = await s3Credentials(config, credential, readSecret);
  return new S3Store(await connectS3({ ...config, caCert }, credentials), config, key);
}

/**
 * Opens the object store of a location (spec backup-format.md §8): `aws` (`velero.io/aws`) is S3, `directory` a directory whose
 * path is `objectStorage.bucket`. Credentials are resolved here, so that bad ones are found at once.
 * @throws ObjectStoreError `InvalidConfiguration` for a bad config and for providers that need a plugin, `NoSuchBucket` for a
 *   missing directory; a missing S3 bucket shows at the first request.
 */
export async function openObjectStore(
  location: BackupStorageLocation,
  options: OpenStoreOptions = {},
): Promise<ObjectStore> {
  if (storeKind(location) === 's3') return openS3(location, options);
  const store = new DirectoryStore(directoryConfig(location));
  await store.checkBucket();
  return store;
}
