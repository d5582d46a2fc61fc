import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import { type ObjectInfo, type ObjectStore, ObjectStoreError } from '../../domain/backup/objectStore.ts';
import type { S3Config } from '../../domain/backup/storageConfig.ts';
import { collectIfPresent } from './collect.ts';
import { errorParts } from './errorParts.ts';
import { type PartialContent, ReplacedError, readResumable } from './resumableRead.ts';
import type { ConnectedS3 } from './s3Client.ts';
import { s3StoreError } from './s3StoreError.ts';

/** An object store in an S3 bucket. Made by `openObjectStore`. */
export class S3Store implements ObjectStore {
  readonly description: string;
  private bucketSeen = false;

  /** @param key the 32 bytes of a customer key, where the location has one. */
  constructor(
    private readonly connection: ConnectedS3,
    private readonly config: S3Config,
    private readonly key: Uint8Array | undefined,
  ) {
    const prefix = config.prefix === '' ? '' : `, prefix ${config.prefix.slice(0, -1)}`;
    const where = config.s3Url === undefined ? `region ${connection.region}` : config.s3Url;
    this.description = `S3 bucket ${config.bucket}${prefix} at ${where}`;
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    try {
      const answer = await this.connection.client.send(
        new HeadObjectCommand({ ...this.address(key), ...this.customerKey() }),
      );
      return { key, size: answer.ContentLength ?? 0, etag: unquoted(answer.ETag) };
    } catch (error) {
      const mapped = s3StoreError(error, this.what(key));
      if (mapped.type !== 'NotFound') throw mapped;
      await this.checkBucket();
      return undefined;
    }
  }

  read(key: string, options: { signal?: AbortSignal } = {}): AsyncIterable<Uint8Array> {
    const { signal } = options;
    return readResumable(
      {
        what: this.what(key),
        request: (offset, etag) => this.request(key, offset, etag, signal),
        toError: (error) => s3StoreError(error, this.what(key)),
      },
      signal,
    );
  }

  async get(key: string, options: { maxBytes?: number } = {}): Promise<Uint8Array | undefined> {
    return collectIfPresent(this.read(key), this.what(key), options.maxBytes);
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    const command = new PutObjectCommand(this.putInput(key, content));
    await this.send(key, () => this.connection.client.send(command));
  }

  async create(key: string, content: Uint8Array): Promise<boolean> {
    // Some servers take no notice of the condition: with them only those who try at the very same time both succeed.
    if ((await this.head(key)) !== undefined) return false;
    try {
      await this.connection.client.send(new PutObjectCommand({ ...this.putInput(key, content), IfNoneMatch: '*' }));
      return true;
    } catch (error) {
      const { name } = errorParts(error);
      if (name === 'PreconditionFailed' || name === 'ConditionalRequestConflict') return false;
      if (name !== 'NotImplemented') throw s3StoreError(error, this.what(key));
    }
    await this.put(key, content);
    return true;
  }

  private putInput(key: string, content: Uint8Array): PutObjectCommandInput {
    return {
      ...this.address(key),
      ...this.customerKey(),
      ...this.writeOptions(),
      Body: content,
      ContentLength: content.length,
    };
  }

  async *list(prefix: string): AsyncIterable<ObjectInfo> {
    for await (const page of this.pages(prefix, undefined)) {
      for (const { Key, Size, ETag } of page.Contents ?? []) {
        if (Key === undefined) continue;
        yield { key: Key.slice(this.config.prefix.length), size: Size ?? 0, etag: unquoted(ETag) };
      }
    }
  }

  async listFolders(prefix: string): Promise<string[]> {
    const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
    const skipped = this.config.prefix.length + folder.length;
    const folders: string[] = [];
    for await (const page of this.pages(folder, '/')) {
      for (const { Prefix } of page.CommonPrefixes ?? []) {
        if (Prefix !== undefined) folders.push(Prefix.slice(skipped).replace(/\/$/, ''));
      }
    }
    return folders.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  }

  async delete(key: string): Promise<void> {
    try {
      await this.connection.client.send(new DeleteObjectCommand(this.address(key)));
    } catch (error) {
      const mapped = s3StoreError(error, this.what(key));
      if (mapped.type !== 'NotFound') throw mapped;
    }
  }

  private what(key: string): string {
    return `${this.description}: ${JSON.stringify(key)}`;
  }

  private address(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.config.bucket, Key: `${this.config.prefix}${key}` };
  }

  private customerKey(): { SSECustomerAlgorithm?: string; SSECustomerKey?: string } {
    if (this.key === undefined) return {};
    return { SSECustomerAlgorithm: 'AES256', SSECustomerKey: Buffer.from(this.key).toString('base64') };
  }

  private writeOptions(): Partial<PutObjectCommandInput> {
    const { kmsKeyId, serverSideEncryption, tagging, checksumAlgorithm } = this.config;
    return {
      ...(tagging === undefined ? {} : { Tagging: tagging }),
      ...(checksumAlgorithm === undefined ? {} : { ChecksumAlgorithm: checksumAlgorithm }),
      ...encryption(kmsKeyId, this.key === undefined ? serverSideEncryption : undefined),
    };
  }

  private async send<T>(key: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw s3StoreError(error, this.what(key));
    }
  }

  /** An answer to HEAD does not say whether the object or the bucket is missing. */
  private async checkBucket(): Promise<void> {
    if (this.bucketSeen) return;
    try {
      await this.connection.client.send(new HeadBucketCommand({ Bucket: this.config.bucket }));
    } catch (error) {
      const { type } = s3StoreError(error, this.description);
      if (type === 'NotFound' || type === 'NoSuchBucket') {
        throw new ObjectStoreError('NoSuchBucket', `${this.description}: there is no such bucket`);
      }
      // Who may not look at the bucket may still read from it.
      return;
    }
    this.bucketSeen = true;
  }

  private async *pages(prefix: string, delimiter: string | undefined): AsyncIterable<ListObjectsV2CommandOutput> {
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.config.bucket,
        Prefix: `${this.config.prefix}${prefix}`,
        ...(delimiter === undefined ? {} : { Delimiter: delimiter }),
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await this.send(prefix, () => this.connection.client.send(command));
      yield page;
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  private async request(
    key: string,
    offset: number,
    etag: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<PartialContent> {
    const command = new GetObjectCommand({
      ...this.address(key),
      ...this.customerKey(),
      ...(offset === 0 ? {} : { Range: `bytes=${offset}-` }),
      ...(etag === undefined ? {} : { IfMatch: etag }),
    });
    const answer = await this.connection.client
      .send(command, signal === undefined ? {} : { abortSignal: signal })
      .catch((error: unknown) => {
        if (errorParts(error).name === 'PreconditionFailed') throw new ReplacedError(this.what(key));
        throw error;
      });
    const body = answer.Body as Readable | undefined;
    return {
      etag: answer.ETag,
      length: answer.ContentLength,
      fromOffset: answer.ContentRange !== undefined,
      body: bytesOf(body, signal),
      discard: () => body?.destroy(),
    };
  }
}

function encryption(kmsKeyId: string | undefined, algorithm: string | undefined): Partial<PutObjectCommandInput> {
  if (kmsKeyId !== undefined) return { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: kmsKeyId };
  return algorithm === undefined
    ? {}
    : { ServerSideEncryption: algorithm as NonNullable<PutObjectCommandInput['ServerSideEncryption']> };
}

/** Some servers quote the ETag in one answer and not in another. */
function unquoted(etag: string | undefined): string {
  return (etag ?? '').replace(/^"(.*)"$/, '$1');
}

/** The bytes of a body, until the signal ends it. */
async function* bytesOf(body: Readable | undefined, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
  if (body === undefined) return;
  function stop(): void {
    body?.destroy(new DOMException('This operation was aborted', 'AbortError'));
  }
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    yield* body as AsyncIterable<Uint8Array>;
  } finally {
    signal?.removeEventListener('abort', stop);
    body.destroy();
  }
}
