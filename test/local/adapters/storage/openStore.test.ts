import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenStoreOptions, openObjectStore } from '../../../../adapters/storage/openStore.ts';
import type { ObjectStore } from '../../../../domain/backup/objectStore.ts';
import { type BackupStorageLocation, readStorageLocation } from '../../../../domain/backup/storageLocation.ts';
import { selfSignedCertificate } from './certificate.ts';
import { S3Recorder } from './s3Recorder.ts';

const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'environment-key',
  AWS_SECRET_ACCESS_KEY: 'environment-secret',
  AWS_EC2_METADATA_DISABLED: 'true',
};

let server: S3Recorder;
let directory: string;
let savedEnvironment: NodeJS.ProcessEnv;

beforeEach(async () => {
  savedEnvironment = { ...process.env };
  Object.assign(process.env, ENVIRONMENT);
  directory = await mkdtemp(join(tmpdir(), 'open-store-'));
  server = await S3Recorder.start();
});

afterEach(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
  for (const key of Object.keys(process.env)) if (!(key in savedEnvironment)) Reflect.deleteProperty(process.env, key);
  Object.assign(process.env, savedEnvironment);
});

function location(
  config: Record<string, string> = {},
  changes: Partial<BackupStorageLocation> = {},
): BackupStorageLocation {
  const base = readStorageLocation({ provider: 'aws', objectStorage: { bucket: 'b' } }, 'test');
  return { ...base, config: { s3Url: server.url, s3ForcePathStyle: 'true', ...config }, ...changes };
}

function open(config: Record<string, string> = {}, options: OpenStoreOptions = {}): Promise<ObjectStore> {
  return openObjectStore(location(config), options);
}

/** Header of the only request so far. */
function sent(name: string): string | string[] | undefined {
  expect(server.requests).toHaveLength(1);
  return server.requests[0]?.headers[name];
}

async function keyOf(config: Record<string, string>, options: OpenStoreOptions = {}): Promise<string | undefined> {
  const store = await open(config, options);
  await store.put('k', Buffer.from('x'));
  return /Credential=([^/]+)\//.exec(String(sent('authorization')))?.[1];
}

describe('writing', () => {
  it('sends the content as it is, with a checksum in a header', async () => {
    await (await open()).put('restores/r/a b+ü.json', Buffer.from('hello'));
    expect(server.requests[0]).toMatchObject({
      method: 'PUT',
      url: '/b/restores/r/a%20b%2B%C3%BC.json?x-id=PutObject',
      body: Buffer.from('hello'),
    });
    expect(sent('x-amz-checksum-crc32')).toBe('NhCmhg==');
    expect(sent('content-encoding')).toBeUndefined();
    expect(sent('x-amz-trailer')).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['CRC32C', 'x-amz-checksum-crc32c', 'mnG7TA=='],
    ['SHA256', 'x-amz-checksum-sha256', 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='],
  ])('sends the checksum %s where the location says so', async (checksumAlgorithm, header, value) => {
    await (await open({ checksumAlgorithm })).put('k', Buffer.from('hello'));
    expect(sent(header)).toBe(value);
    expect(sent('x-amz-checksum-crc32')).toBeUndefined();
  });

  it('sends no checksum where the location wants none', async () => {
    await (await open({ checksumAlgorithm: '' })).put('k', Buffer.from('hello'));
    expect(Object.keys(server.requests[0]!.headers).filter((name) => name.includes('checksum'))).toEqual([]);
  });

  it.each<[string, Record<string, string>, Record<string, string | undefined>]>([
    ['nothing', {}, { 'x-amz-server-side-encryption': undefined, 'x-amz-tagging': undefined }],
    ['serverSideEncryption', { serverSideEncryption: 'AES256' }, { 'x-amz-server-side-encryption': 'AES256' }],
    [
      'kmsKeyId, which goes before serverSideEncryption',
      { kmsKeyId: 'key-1', serverSideEncryption: 'AES256' },
      { 'x-amz-server-side-encryption': 'aws:kms', 'x-amz-server-side-encryption-aws-kms-key-id': 'key-1' },
    ],
    ['tagging', { tagging: 'a=1&b=2' }, { 'x-amz-tagging': 'a=1&b=2' }],
  ])('honours %s', async (_title, config, headers) => {
    await (await open(config)).put('k', Buffer.from('x'));
    for (const [name, value] of Object.entries(headers)) expect(sent(name)).toBe(value);
  });
});

describe('customer keys', () => {
  const key = Buffer.from('0123456789abcdef0123456789ABCDEF');
  const headers = {
    'x-amz-server-side-encryption-customer-algorithm': 'AES256',
    'x-amz-server-side-encryption-customer-key': key.toString('base64'),
    'x-amz-server-side-encryption-customer-key-md5': createHash('md5').update(key).digest('base64'),
  };

  it('are sent on put, head and get; the file may be longer', async () => {
    const path = join(directory, 'key');
    await writeFile(path, Buffer.concat([key, Buffer.from('\n')]));
    const store = await open({ customerKeyEncryptionFile: path, serverSideEncryption: 'AES256' });
    await store.put('k', Buffer.from('x'));
    await store.head('k');
    await store.get('k');
    expect(server.requests.map(({ method }) => method)).toEqual(['PUT', 'HEAD', 'GET']);
    for (const request of server.requests) {
      expect(request.headers).toMatchObject(headers);
      expect(request.headers['x-amz-server-side-encryption']).toBeUndefined();
    }
  });

  it('come from a Secret', async () => {
    const selectors: unknown[] = [];
    const store = await open(
      { customerKeyEncryptionSecret: 'name/key' },
      {
        readSecret: (selector) => {
          selectors.push(selector);
          return Promise.resolve(key);
        },
      },
    );
    await store.put('k', Buffer.from('x'));
    expect(selectors).toEqual([expect.objectContaining({ name: 'name', key: 'key' })]);
    expect(sent('x-amz-server-side-encryption-customer-key')).toBe(key.toString('base64'));
  });

  it.each<[string, Uint8Array | undefined, string]>([
    ['too short', key.subarray(1), 'key key of Secret name has 31 bytes, expected 32'],
    ['too long', Buffer.alloc(33), 'key key of Secret name has 33 bytes, expected 32'],
    ['missing', undefined, 'unable to get key for secret: Secret name has no key key'],
  ])('are refused where the Secret is %s', async (_title, value, problem) => {
    const opening = open({ customerKeyEncryptionSecret: 'name/key' }, { readSecret: () => Promise.resolve(value) });
    await expect(opening).rejects.toMatchObject({
      type: 'InvalidConfiguration',
      message: `config.customerKeyEncryptionSecret: ${problem}`,
    });
  });

  it('are refused where the file is too short or missing', async () => {
    const path = join(directory, 'key');
    await expect(open({ customerKeyEncryptionFile: path })).rejects.toThrow(
      `config.customerKeyEncryptionFile: ${path} cannot be read (ENOENT)`,
    );
    await writeFile(path, 'short');
    await expect(open({ customerKeyEncryptionFile: path })).rejects.toThrow(
      `config.customerKeyEncryptionFile: ${path} has 5 bytes, expected at least 32`,
    );
  });
});

describe('credentials', () => {
  const FILE = `[default]
aws_access_key_id = file-key
aws_secret_access_key = hunter2
[other]
aws_access_key_id = other-key
aws_secret_access_key = hunter2
`;

  it('come from the environment where the location names none', async () => {
    expect(await keyOf({})).toBe('environment-key');
  });

  it.each<[string, string | undefined, string]>([
    ['the default profile', undefined, 'file-key'],
    ['another profile', 'other', 'other-key'],
  ])('come from the credentials file: %s', async (_title, profile, expected) => {
    const path = join(directory, 'cloud');
    await writeFile(path, FILE);
    expect(await keyOf({ credentialsFile: path, ...(profile === undefined ? {} : { profile }) })).toBe(expected);
  });

  it('come from a profile of the shared file', async () => {
    process.env['AWS_SHARED_CREDENTIALS_FILE'] = join(directory, 'shared');
    process.env['AWS_CONFIG_FILE'] = join(directory, 'none');
    Reflect.deleteProperty(process.env, 'AWS_ACCESS_KEY_ID');
    await writeFile(join(directory, 'shared'), FILE);
    expect(await keyOf({ profile: 'other' })).toBe('other-key');
  });

  it('come from a Secret, and leave no file behind', async () => {
    process.env['TMPDIR'] = directory;
    const readSecret = () => Promise.resolve(Buffer.from(FILE));
    const store = await openObjectStore(location({}, { credential: { name: 'cloud', key: 'aws' } }), { readSecret });
    await store.put('k', Buffer.from('x'));
    expect(sent('authorization')).toContain('Credential=file-key/');
    expect(await readdir(directory)).toEqual([]);
  });

  it.each<[string, Record<string, string>, string | undefined, string]>([
    ['a missing file', {}, undefined, 'config.credentialsFile: PATH cannot be read (ENOENT)'],
    [
      'a file without credentials',
      {},
      '[default]\nregion = x\n',
      'config.credentialsFile PATH: no usable credentials for profile default',
    ],
    [
      'a missing profile',
      { profile: 'nobody' },
      FILE,
      'config.credentialsFile PATH: no usable credentials for profile nobody',
    ],
  ])('are refused at once: %s', async (_title, config, content, problem) => {
    const path = join(directory, 'cloud');
    if (content !== undefined) await writeFile(path, content);
    await expect(open({ ...config, credentialsFile: path })).rejects.toMatchObject({
      type: 'InvalidConfiguration',
      message: problem.replace('PATH', path),
    });
    expect(server.requests).toEqual([]);
  });

  it('of a Secret need a cluster', async () => {
    await expect(openObjectStore(location({}, { credential: { name: 'cloud', key: 'aws' } }))).rejects.toThrow(
      'spec.credential: Secret cloud can only be read in a cluster; expected a file in its place',
    );
  });

  it('never appear in an error', async () => {
    const path = join(directory, 'cloud');
    await writeFile(path, FILE);
    server.answer = () => ({
      status: 403,
      body: '<Error><Code>SignatureDoesNotMatch</Code><Message>The signature does not match.</Message><AWSAccessKeyId>file-key</AWSAccessKeyId><StringToSign>hunter2</StringToSign></Error>',
    });
    const store = await open({ credentialsFile: path });
    const error: unknown = await store.put('k', Buffer.from('x')).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      type: 'AccessDenied',
      message: `S3 bucket b at ${server.url}: "k": The signature does not match. (HTTP 403, SignatureDoesNotMatch)`,
    });
    expect((error as Error).cause).toBeUndefined();
    expect(JSON.stringify(error) + String(error)).not.toMatch(/hunter2|file-key/);
  });
});

describe('the bucket’s region', () => {
  /** The SDK’s own way to another address, as `s3Url` would make the look-up needless. */
  function openWithoutUrl(config: Record<string, string> = {}): Promise<ObjectStore> {
    process.env['AWS_ENDPOINT_URL_S3'] = server.url;
    return openObjectStore(location({}, { config: { s3ForcePathStyle: 'true', ...config } }));
  }

  it.each([200, 301, 403])('is looked up, also in an answer %d', async (status) => {
    server.answer = () => ({ status, headers: { 'x-amz-bucket-region': 'eu-central-1' } });
    const store = await openWithoutUrl();
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['HEAD /b/']);
    expect(server.requests[0]!.headers.authorization).toContain('/us-east-1/s3/');
    expect(store.description).toBe('S3 bucket b at region eu-central-1');
    server.answer = () => ({});
    await store.put('k', Buffer.from('x'));
    expect(server.requests[1]!.headers.authorization).toContain('/eu-central-1/s3/');
  });

  it('is not looked up where it is given', async () => {
    const store = await openWithoutUrl({ region: 'eu-west-1' });
    expect(server.requests).toEqual([]);
    expect(store.description).toBe('S3 bucket b at region eu-west-1');
  });

  it.each<[string, number, string, string]>([
    ['there is no such bucket', 404, 'NoSuchBucket', 'region of S3 bucket "b": there is no such bucket'],
    [
      'the server does not say it',
      200,
      'InvalidConfiguration',
      'region of S3 bucket "b": the server does not say it; expected config.region',
    ],
    ['it is refused', 403, 'AccessDenied', 'region of S3 bucket "b": (HTTP 403)'],
  ])('cannot be looked up: %s', async (_title, status, type, message) => {
    server.answer = () => ({ status });
    await expect(openWithoutUrl()).rejects.toMatchObject({ type, message });
  });
});

describe('TLS', () => {
  let secure: S3Recorder;
  let cert: string;

  beforeEach(async () => {
    const certificate = selfSignedCertificate();
    cert = certificate.cert;
    secure = await S3Recorder.start(certificate);
  });

  afterEach(async () => {
    await secure.stop();
  });

  it('refuses a certificate that nobody vouches for', async () => {
    const store = await open({ s3Url: secure.url });
    await expect(store.put('k', Buffer.from('x'))).rejects.toThrow(
      /^S3 bucket b at https:.*: "k": .*self-signed certificate/,
    );
    expect(secure.requests).toEqual([]);
  });

  it.each<[string, () => BackupStorageLocation]>([
    ['objectStorage.caCert', () => location({ s3Url: secure.url }, { caCert: cert })],
    ['config.caCert', () => location({ s3Url: secure.url, caCert: cert })],
    ['caCertRef', () => location({ s3Url: secure.url }, { caCertRef: { name: 'ca', key: 'pem' } })],
    ['insecureSkipTLSVerify', () => location({ s3Url: secure.url, insecureSkipTLSVerify: 'true' })],
  ])('accepts it with %s', async (_title, locationOf) => {
    const store = await openObjectStore(locationOf(), { readSecret: () => Promise.resolve(Buffer.from(cert)) });
    await store.put('k', Buffer.from('x'));
    expect(secure.requests).toHaveLength(1);
  });
});

describe('connections', () => {
  it('are kept between requests', async () => {
    const store = await open();
    for (let i = 0; i < 5; i += 1) await store.put('k', Buffer.from('x'));
    expect(server.requests.every(({ headers }) => headers.connection === 'keep-alive')).toBe(true);
    expect(server.connections).toBe(1);
  });
});

describe('lists', () => {
  it('asks for every page', async () => {
    const pages: Record<string, string> = {
      '': '<IsTruncated>true</IsTruncated><NextContinuationToken>two</NextContinuationToken><Contents><Key>p/backups/a</Key><Size>1</Size><ETag>"e1"</ETag></Contents>',
      two: '<IsTruncated>false</IsTruncated><Contents><Key>p/backups/b</Key><Size>2</Size><ETag>e2</ETag></Contents>',
    };
    server.answer = ({ url }) => {
      const token = new URL(url, server.url).searchParams.get('continuation-token') ?? '';
      return { body: `<ListBucketResult>${pages[token] ?? ''}</ListBucketResult>` };
    };
    const store = await openObjectStore(location({}, { prefix: '/p/' }));
    const found = [];
    for await (const object of store.list('backups/')) found.push(object);
    expect(found).toEqual([
      { key: 'backups/a', size: 1, etag: 'e1' },
      { key: 'backups/b', size: 2, etag: 'e2' },
    ]);
    expect(new URL(server.requests[0]!.url, server.url).searchParams.get('prefix')).toBe('p/backups/');
  });
});

describe('other locations', () => {
  it('opens a directory', async () => {
    const store = await openObjectStore(location({}, { provider: 'directory', bucket: directory, config: {} }));
    await store.put('restores/r/x', Buffer.from('x'));
    expect(store.description).toBe(`directory ${directory}`);
    expect(await readdir(directory)).toEqual(['restores']);
  });

  it('says at once that a directory is missing', async () => {
    const missing = location({}, { provider: 'directory', bucket: join(directory, 'x'), config: {} });
    await expect(openObjectStore(missing)).rejects.toMatchObject({ type: 'NoSuchBucket' });
  });

  it('says that another provider needs its plugin', async () => {
    await expect(openObjectStore(location({}, { provider: 'gcp' }))).rejects.toThrow(
      '"gcp", which needs its Velero plugin',
    );
  });
});
