import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { fromIni } from '@aws-sdk/credential-provider-ini';
import { ObjectStoreError } from '../../domain/backup/objectStore.ts';
import type { CustomerKeySource, S3Config } from '../../domain/backup/storageConfig.ts';
import type { SecretKeySelector } from '../../domain/backup/storageLocation.ts';
import { errorCode } from './errorParts.ts';

/** Reads one key of a Secret in Velero's namespace; undefined where it does not exist. */
export type ReadSecret = (selector: SecretKeySelector) => Promise<Uint8Array | undefined>;

type Credentials = Exclude<NonNullable<S3ClientConfig['credentials']>, (...args: never[]) => unknown>;
type CredentialProvider = () => Promise<Credentials>;

const CUSTOMER_KEY_BYTES = 32;

function invalid(problem: string): ObjectStoreError {
  return new ObjectStoreError('InvalidConfiguration', problem);
}

/** @throws ObjectStoreError `InvalidConfiguration` where there is no such key, or no cluster to read it from. */
export async function secretValue(
  field: string,
  selector: SecretKeySelector,
  readSecret: ReadSecret | undefined,
): Promise<Uint8Array> {
  const { name, key } = selector;
  if (readSecret === undefined) {
    throw invalid(`${field}: Secret ${name} can only be read in a cluster; expected a file in its place`);
  }
  const value = await readSecret(selector);
  if (value === undefined) throw invalid(`${field}: unable to get key for secret: Secret ${name} has no key ${key}`);
  return value;
}

/** The AWS SDK reads credentials from files only; this one lives for a moment in a directory of its own. */
async function withPrivateFile<T>(content: Uint8Array, use: (path: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'durable-restore-'));
  try {
    await chmod(directory, 0o700);
    const path = join(directory, 'credentials');
    await writeFile(path, content, { mode: 0o600 });
    return await use(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function fromFile(path: string, { profile, region }: S3Config): Promise<Credentials> {
  return fromIni({
    filepath: path,
    configFilepath: path,
    ignoreCache: true,
    ...(profile === undefined ? {} : { profile }),
    ...(region === undefined ? {} : { clientConfig: { region } }),
  })();
}

async function checkReadable(path: string): Promise<void> {
  try {
    await readFile(path);
  } catch (error) {
    throw invalid(`config.credentialsFile: ${path} cannot be read (${errorCode(error) ?? 'unknown error'})`);
  }
}

/**
 * Where the client gets its credentials: the Secret of the location, or its credentials file (an AWS INI file, read as shared
 * credentials and as shared config); undefined for the SDK's own chain. They are resolved once at the start, so that bad ones
 * are found here, and again when they expire.
 * @throws ObjectStoreError `InvalidConfiguration`
 */
export async function s3Credentials(
  config: S3Config,
  secret: SecretKeySelector | undefined,
  readSecret: ReadSecret | undefined,
): Promise<CredentialProvider | undefined> {
  const provider = await providerOf(config, secret, readSecret);
  if (provider === undefined) return undefined;
  try {
    await provider();
  } catch (error) {
    if (error instanceof ObjectStoreError) throw error;
    const source =
      secret === undefined ? `config.credentialsFile ${String(config.credentialsFile)}` : `Secret ${secret.name}`;
    throw invalid(
      `${source}: no usable credentials for profile ${config.profile ?? process.env['AWS_PROFILE'] ?? 'default'}`,
    );
  }
  return provider;
}

async function providerOf(
  config: S3Config,
  secret: SecretKeySelector | undefined,
  readSecret: ReadSecret | undefined,
): Promise<CredentialProvider | undefined> {
  if (secret !== undefined) {
    return async () => {
      const content = await secretValue('spec.credential', secret, readSecret);
      return withPrivateFile(content, (path) => fromFile(path, config));
    };
  }
  const path = config.credentialsFile;
  if (path === undefined) return undefined;
  await checkReadable(path);
  return () => fromFile(path, config);
}

/**
 * The key for encryption with a customer key: the first 32 bytes of a file, or exactly 32 bytes of a Secret.
 * @throws ObjectStoreError `InvalidConfiguration`
 */
export async function customerKey(source: CustomerKeySource, readSecret: ReadSecret | undefined): Promise<Uint8Array> {
  if (source.kind === 'secret') {
    const field = 'config.customerKeyEncryptionSecret';
    const value = await secretValue(field, source, readSecret);
    if (value.length === CUSTOMER_KEY_BYTES) return value;
    throw invalid(
      `${field}: key ${source.key} of Secret ${source.name} has ${value.length} bytes, expected ${CUSTOMER_KEY_BYTES}`,
    );
  }
  const field = `config.customerKeyEncryptionFile: ${source.path}`;
  const content = await readFile(source.path).catch((error: unknown) => {
    throw invalid(`${field} cannot be read (${errorCode(error) ?? 'unknown error'})`);
  });
  if (content.length >= CUSTOMER_KEY_BYTES) return content.subarray(0, CUSTOMER_KEY_BYTES);
  throw invalid(`${field} has ${content.length} bytes, expected at least ${CUSTOMER_KEY_BYTES}`);
}
