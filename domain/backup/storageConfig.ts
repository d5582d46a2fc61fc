import { ObjectStoreError } from './objectStore.ts';
import { type BackupStorageLocation, providerName } from './storageLocation.ts';

/** Provider of a location that is a directory of this machine or of a mounted share. */
export const DIRECTORY_PROVIDER = 'directory';
const S3_PROVIDER = 'velero.io/aws';

export type CustomerKeySource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'secret'; readonly name: string; readonly key: string };

/** What an S3 client needs of a location (spec backup-format.md §8.1); undefined where the location says nothing. */
export interface S3Config {
  readonly bucket: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  readonly region: string | undefined;
  readonly s3Url: string | undefined;
  readonly forcePathStyle: boolean;
  readonly insecureSkipTLSVerify: boolean;
  readonly caCert: string | undefined;
  readonly profile: string | undefined;
  readonly credentialsFile: string | undefined;
  readonly kmsKeyId: string | undefined;
  readonly customerKey: CustomerKeySource | undefined;
  readonly serverSideEncryption: string | undefined;
  readonly tagging: string | undefined;
  /** Undefined for no checksum. */
  readonly checksumAlgorithm: ChecksumAlgorithm | undefined;
}

export interface DirectoryConfig {
  readonly path: string;
  readonly prefix: string;
}

const CHECKSUM_ALGORITHMS = ['CRC32', 'CRC32C', 'SHA1', 'SHA256', 'CRC64NVME'] as const;
type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];

const ALWAYS_ALLOWED = ['bucket', 'prefix', 'caCert'];
const S3_KEYS = [
  'region',
  's3Url',
  'publicUrl',
  'kmsKeyId',
  'customerKeyEncryptionFile',
  'customerKeyEncryptionSecret',
  's3ForcePathStyle',
  'signatureVersion',
  'credentialsFile',
  'profile',
  'serverSideEncryption',
  'insecureSkipTLSVerify',
  'enableSharedConfig',
  'tagging',
  'checksumAlgorithm',
];
const TRUE_TEXTS = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE_TEXTS = ['0', 'f', 'F', 'FALSE', 'false', 'False'];
const MOST_TAGS = 10;

function invalid(location: BackupStorageLocation, problem: string): ObjectStoreError {
  return new ObjectStoreError('InvalidConfiguration', `BackupStorageLocation ${location.name}: ${problem}`);
}

function checkKeys(location: BackupStorageLocation, valid: readonly string[]): void {
  const unknown = Object.keys(location.config).filter((key) => !valid.includes(key) && !ALWAYS_ALLOWED.includes(key));
  if (unknown.length === 0) return;
  throw invalid(location, `config has invalid keys [${unknown.sort().join(' ')}]; valid keys are [${valid.join(' ')}]`);
}

/** The value of a config key; an empty one counts as absent. */
function textOf(location: BackupStorageLocation, key: string): string | undefined {
  const value = Object.hasOwn(location.config, key) ? location.config[key] : undefined;
  return value === '' ? undefined : value;
}

/** Go's strconv.ParseBool; an empty text is false. */
function booleanOf(location: BackupStorageLocation, key: string): boolean {
  const text = textOf(location, key);
  if (text === undefined || FALSE_TEXTS.includes(text)) return false;
  if (TRUE_TEXTS.includes(text)) return true;
  const expected = [...TRUE_TEXTS, ...FALSE_TEXTS].join(' ');
  throw invalid(location, `config.${key}: found ${JSON.stringify(text)}, expected one of ${expected}`);
}

function urlOf(location: BackupStorageLocation, key: string): string | undefined {
  const text = textOf(location, key);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username !== undefined && url.username + url.password !== '') {
    throw invalid(location, `config.${key}: holds a user name or password, expected them in a credentials file`);
  }
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid(
      location,
      `config.${key}: found ${JSON.stringify(text)}, expected a URL that starts with http:// or https://`,
    );
  }
  return text;
}

function customerKeyOf(location: BackupStorageLocation): CustomerKeySource | undefined {
  const path = textOf(location, 'customerKeyEncryptionFile');
  if (path !== undefined) return { kind: 'file', path };
  const selector = textOf(location, 'customerKeyEncryptionSecret');
  if (selector === undefined) return undefined;
  const [name, key, ...rest] = selector.split('/');
  if (!name || !key || rest.length > 0) {
    throw invalid(
      location,
      `config.customerKeyEncryptionSecret: found ${JSON.stringify(selector)}, expected secretName/key`,
    );
  }
  return { kind: 'secret', name, key };
}

function checkKeyOptions(location: BackupStorageLocation): void {
  const given = ['kmsKeyId', 'customerKeyEncryptionFile', 'customerKeyEncryptionSecret'].filter(
    (key) => textOf(location, key) !== undefined,
  );
  if (given.length > 1) throw invalid(location, `config.${given.join(', config.')}: expected at most one of them`);
}

function taggingOf(location: BackupStorageLocation): string | undefined {
  const text = textOf(location, 'tagging');
  if (text === undefined) return undefined;
  const pairs = text.split('&');
  const wellFormed = pairs.every((pair) => /^[^=]+=[^=]*$/.test(pair));
  // Velero's plugin rejects a single pair, so such a location would be unusable beside it.
  if (pairs.length < 2 || pairs.length > MOST_TAGS || !wellFormed) {
    throw invalid(
      location,
      `config.tagging: found ${JSON.stringify(text)}, expected 2 to ${MOST_TAGS} pairs k=v joined by &`,
    );
  }
  return text;
}

function checksumOf(location: BackupStorageLocation): ChecksumAlgorithm | undefined {
  if (!Object.hasOwn(location.config, 'checksumAlgorithm')) return 'CRC32';
  const text = textOf(location, 'checksumAlgorithm');
  if (text === undefined) return undefined;
  const known = CHECKSUM_ALGORITHMS.find((algorithm) => algorithm === text);
  if (known !== undefined) return known;
  const expected = CHECKSUM_ALGORITHMS.join(', ');
  throw invalid(
    location,
    `config.checksumAlgorithm: found ${JSON.stringify(text)}, expected one of ${expected} or an empty text`,
  );
}

function trimSlashes(text: string): string {
  return text.replace(/^\/+|\/+$/g, '');
}

function prefixOf(location: BackupStorageLocation): string {
  const prefix = trimSlashes(location.prefix);
  return prefix === '' ? '' : `${prefix}/`;
}

/**
 * Checks the config of a `velero.io/aws` location (spec backup-format.md §8, §8.1).
 * @throws ObjectStoreError `InvalidConfiguration`
 */
export function s3Config(location: BackupStorageLocation): S3Config {
  checkKeys(location, S3_KEYS);
  checkKeyOptions(location);
  urlOf(location, 'publicUrl');
  const bucket = trimSlashes(location.bucket);
  if (bucket === '' || (bucket.includes('/') && !bucket.startsWith('arn:aws:s3:'))) {
    throw invalid(
      location,
      `backup storage location's bucket name ${JSON.stringify(bucket)} must not contain a '/' (if using a prefix, put it in the 'Prefix' field instead)`,
    );
  }
  return {
    bucket,
    prefix: prefixOf(location),
    region: textOf(location, 'region'),
    s3Url: urlOf(location, 's3Url'),
    forcePathStyle: booleanOf(location, 's3ForcePathStyle'),
    insecureSkipTLSVerify: booleanOf(location, 'insecureSkipTLSVerify'),
    caCert: location.caCert ?? textOf(location, 'caCert'),
    profile: textOf(location, 'profile'),
    credentialsFile: textOf(location, 'credentialsFile'),
    kmsKeyId: textOf(location, 'kmsKeyId'),
    customerKey: customerKeyOf(location),
    serverSideEncryption: textOf(location, 'serverSideEncryption'),
    tagging: taggingOf(location),
    checksumAlgorithm: checksumOf(location),
  };
}

/**
 * A location of provider `directory`: `objectStorage.bucket` is the absolute path of the directory that holds `backups/` and
 * `restores/`, or their common prefix. It takes no config.
 * @throws ObjectStoreError `InvalidConfiguration`
 */
export function directoryConfig(location: BackupStorageLocation): DirectoryConfig {
  checkKeys(location, []);
  const path = location.bucket;
  if (!path.startsWith('/') && !/^[A-Za-z]:[\\/]/.test(path)) {
    throw invalid(
      location,
      `objectStorage.bucket: found ${JSON.stringify(path)}, expected the absolute path of a directory`,
    );
  }
  const prefix = prefixOf(location);
  if (/(^|\/)\.\.?\//.test(prefix) || prefix.includes('//')) {
    throw invalid(location, `objectStorage.prefix: found ${JSON.stringify(prefix)}, expected a path below the bucket`);
  }
  return { path, prefix };
}

/** Whether one of our stores serves a location; others need their Velero plugin. */
export function isBuiltInProvider(location: BackupStorageLocation): boolean {
  return location.provider === DIRECTORY_PROVIDER || providerName(location) === S3_PROVIDER;
}

/** Which of our stores serves a location. @throws ObjectStoreError `InvalidConfiguration` for providers that need a plugin. */
export function storeKind(location: BackupStorageLocation): 's3' | 'directory' {
  if (location.provider === DIRECTORY_PROVIDER) return 'directory';
  if (providerName(location) === S3_PROVIDER) return 's3';
  throw invalid(
    location,
    `spec.provider: found ${JSON.stringify(location.provider)}, which needs its Velero plugin; expected aws (S3) or ${DIRECTORY_PROVIDER}`,
  );
}
