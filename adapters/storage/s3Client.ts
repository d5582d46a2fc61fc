import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { HeadBucketCommand, S3Client, type S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3';
import { ObjectStoreError } from '../../domain/backup/objectStore.ts';
import type { S3Config } from '../../domain/backup/storageConfig.ts';
import { s3StoreError } from './s3StoreError.ts';

const FIRST_REGION = 'us-east-1';
const CONNECTION_TIMEOUT_MS = 10_000;
/** Until the answer begins, so it covers the upload of a large object. */
const ANSWER_TIMEOUT_MS = 300_000;
const IDLE_TIMEOUT_MS = 60_000;
/** At least the parallel activities of a worker. */
const MOST_SOCKETS = 64;

/** Node.js replaces its list by `ca`; Velero adds to the system's. */
async function trustedCertificates(caCert: string | undefined): Promise<string[] | undefined> {
  if (caCert === undefined) return undefined;
  const extraFile = process.env['NODE_EXTRA_CA_CERTS'];
  const extra = extraFile === undefined ? '' : await readFile(extraFile, 'utf8').catch(() => '');
  return [...rootCertificates, ...(extra === '' ? [] : [extra]), caCert];
}

async function requestHandler(config: S3Config): Promise<NonNullable<S3ClientConfig['requestHandler']>> {
  const ca = await trustedCertificates(config.caCert);
  const agent = { keepAlive: true, maxSockets: MOST_SOCKETS };
  return {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: ANSWER_TIMEOUT_MS,
    throwOnRequestTimeout: true,
    socketTimeout: IDLE_TIMEOUT_MS,
    httpAgent: agent,
    httpsAgent: { ...agent, rejectUnauthorized: !config.insecureSkipTLSVerify, ...(ca === undefined ? {} : { ca }) },
  };
}

/** S3 names the region in a header of every answer, refusals and redirects included. */
function regionInAnswer(error: unknown): string | undefined {
  if (!(error instanceof S3ServiceException)) return undefined;
  const headers = error.$response?.headers as Record<string, string | undefined> | undefined;
  return headers?.['x-amz-bucket-region'];
}

async function lookUpRegion(config: S3Config, options: S3ClientConfig): Promise<string> {
  const what = `region of S3 bucket "${config.bucket}"`;
  const client = new S3Client({ ...options, region: FIRST_REGION });
  try {
    const answer = await client.send(new HeadBucketCommand({ Bucket: config.bucket }));
    if (answer.BucketRegion !== undefined && answer.BucketRegion !== '') return answer.BucketRegion;
  } catch (error) {
    const region = regionInAnswer(error);
    if (region !== undefined && region !== '') return region;
    const { type, message } = s3StoreError(error, what);
    const noBucket = type === 'NotFound';
    throw new ObjectStoreError(
      noBucket ? 'NoSuchBucket' : type,
      noBucket ? `${what}: there is no such bucket` : message,
    );
  } finally {
    client.destroy();
  }
  throw new ObjectStoreError('InvalidConfiguration', `${what}: the server does not say it; expected config.region`);
}

async function regionOf(config: S3Config, options: S3ClientConfig): Promise<string> {
  if (config.region !== undefined) return config.region;
  if (config.s3Url === undefined) return lookUpRegion(config, options);
  // The signature needs a region; servers at an address of their own mostly ignore which.
  return process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? FIRST_REGION;
}

export interface ConnectedS3 {
  readonly client: S3Client;
  readonly region: string;
}

/**
 * Makes the client of a location. Where neither `region` nor `s3Url` is given, the bucket's region is looked up.
 * @throws ObjectStoreError
 */
export async function connectS3(
  config: S3Config,
  credentials: S3ClientConfig['credentials'] | undefined,
): Promise<ConnectedS3> {
  const options: S3ClientConfig = {
    forcePathStyle: config.forcePathStyle,
    // With the SDK's default, older servers store the checksum's framing as part of the object.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: await requestHandler(config),
    ...(config.s3Url === undefined ? {} : { endpoint: config.s3Url }),
    ...(config.profile === undefined ? {} : { profile: config.profile }),
    ...(credentials === undefined ? {} : { credentials }),
  };
  const region = await regionOf(config, options);
  return { client: new S3Client({ ...options, region }), region };
}
