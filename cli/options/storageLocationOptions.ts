import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { DIRECTORY_PROVIDER } from '../../domain/backup/storageConfig.ts';
import {
  type BackupStorageLocation,
  DEFAULT_LOCATION_NAME,
  parseStorageLocations,
  StorageLocationError,
  selectStorageLocation,
} from '../../domain/backup/storageLocation.ts';
import { parseMapFlag } from '../../domain/restore/flagValues.ts';
import { CommandError } from '../commandError.ts';
import { readInput } from '../readInput.ts';
import { collect } from './values.ts';

/** Flags that say where the backups are. */
export interface StorageLocationFlags {
  /** Files; from the environment one file. */
  readonly storageLocation?: readonly string[] | string;
  readonly storageLocationName?: string;
  readonly backupDir?: string;
  readonly provider?: string;
  readonly bucket?: string;
  readonly prefix?: string;
  readonly config?: readonly string[];
  readonly cacert?: string;
}

/** Adds the flags; the names of Velero's `backup-location create` where it has them. */
export function addStorageLocationFlags(command: Command): Command {
  return command
    .optionsGroup('Where the backups are (one of: a file, a directory, a bucket):')
    .addOption(
      new Option('--storage-location <file>', 'BackupStorageLocation manifests or specs, YAML or JSON; may be repeated')
        .env('DURABLE_RESTORE_STORAGE_LOCATION')
        .argParser(collect),
    )
    .option('--storage-location-name <name>', 'which location, where there are several')
    .option('--backup-dir <directory>', 'directory with the layout of a bucket (backups/, restores/)')
    .option('--bucket <bucket>', 'bucket of an object store')
    .option('--prefix <prefix>', 'folder in the bucket or directory')
    .option('--provider <provider>', 'kind of object store (default: aws, which is any S3)')
    .option(
      '--config <k=v,...>',
      "settings of the provider, Velero's keys: region, s3Url, s3ForcePathStyle, …",
      collect,
    )
    .option('--cacert <file>', 'certificates to trust for the object store, PEM');
}

/**
 * Every location that the flags give.
 * @throws CommandError, StorageLocationError, RestoreFlagsError
 */
export async function readStorageLocations(flags: StorageLocationFlags): Promise<BackupStorageLocation[]> {
  const { backupDir, bucket } = flags;
  // The environment's file is a default: flags for a directory or bucket go before it.
  const byFlags = backupDir !== undefined || bucket !== undefined;
  const files = [flags.storageLocation ?? []].flat();
  if (backupDir !== undefined && bucket !== undefined) {
    throw new CommandError('Usage', '--backup-dir and --bucket cannot be used together');
  }
  if (byFlags) return [await locationOfFlags(flags)];
  const locations: BackupStorageLocation[] = [];
  for (const file of files) locations.push(...parseStorageLocations(await readInput(file), file));
  const names = locations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new StorageLocationError(
      `${files.join(', ')}: metadata.name: found ${JSON.stringify(twice)} twice, expected different names`,
    );
  }
  return locations;
}

/** The one location to use; undefined where no flag and no environment variable gives any. */
export async function readStorageLocation(flags: StorageLocationFlags): Promise<BackupStorageLocation | undefined> {
  const locations = await readStorageLocations(flags);
  return locations.length === 0 ? undefined : selectStorageLocation(locations, flags.storageLocationName);
}

/** @throws CommandError `Usage` */
export async function requireStorageLocation(flags: StorageLocationFlags): Promise<BackupStorageLocation> {
  const location = await readStorageLocation(flags);
  if (location !== undefined) return location;
  throw new CommandError(
    'Usage',
    'where are the backups? Give --backup-dir DIRECTORY, --bucket BUCKET, or --storage-location FILE',
  );
}

async function locationOfFlags(flags: StorageLocationFlags): Promise<BackupStorageLocation> {
  const { backupDir, bucket, prefix = '', config = [], cacert } = flags;
  return {
    name: flags.storageLocationName ?? DEFAULT_LOCATION_NAME,
    namespace: 'velero',
    provider: backupDir === undefined ? (flags.provider ?? 'aws') : DIRECTORY_PROVIDER,
    bucket: backupDir === undefined ? (bucket ?? '') : resolve(backupDir),
    prefix,
    caCert: cacert === undefined ? undefined : await readInput(cacert),
    caCertRef: undefined,
    credential: undefined,
    config: parseMapFlag('config', config, '='),
    accessMode: 'ReadWrite',
    default: true,
  };
}
