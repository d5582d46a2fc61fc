import { createHash } from 'node:crypto';
import { type ObjectInfo, type ObjectStore, ObjectStoreError } from '../../domain/backup/objectStore.ts';
import { messageOf } from '../../domain/messageOf.ts';
import { type CallSpec, type PluginHost, unaryCall } from './pluginHost.ts';
import { readStream, writeStream } from './pluginStream.ts';
import type { ServiceName } from './protocol.ts';

const SERVICE: ServiceName = 'generated.ObjectStore';
const CALL_TIMEOUT_MS = 120_000;
const PUT_TIMEOUT_MS = 600_000;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
/** A broken stream is begun anew so often. */
const READ_TRIES = 5;

/** Backups never change, and their metadata names their times: its content tells two backups of one name apart. */
const METADATA_FILE = 'velero-backup.json';

export interface PluginObjectStoreOptions {
  /** A process of its own: a plugin program keeps one configuration for each name. */
  readonly host: PluginHost;
  /** Registered name, e.g. `velero.io/gcp`. */
  readonly name: string;
  readonly bucket: string;
  /** Of the location; without a `/` at its end. */
  readonly prefix: string;
  /** As Velero hands it to the plugin: with bucket, prefix, caCert and credentialsFile. */
  readonly config: Readonly<Record<string, string>>;
}

/**
 * The object store of a plugin program (spec plugin-protocol.md §6.5). Plugins know neither sizes nor versions of objects: sizes are 0, and a
 * version is told from the backup's metadata beside the object. Creating is not atomic: two who create the same object at the same
 * moment may both succeed.
 */
export class PluginObjectStore implements ObjectStore {
  readonly description: string;
  private readonly options: PluginObjectStoreOptions;

  private constructor(options: PluginObjectStoreOptions) {
    this.options = options;
    const { name, bucket, prefix } = options;
    this.description = `${name} bucket ${bucket}${prefix === '' ? '' : `, prefix ${prefix}`}`;
  }

  /** Initialises the plugin; it is done again in each new process. @throws ObjectStoreError */
  static async open(options: PluginObjectStoreOptions): Promise<PluginObjectStore> {
    const store = new PluginObjectStore(options);
    const { host, name, config } = options;
    const spec = { service: SERVICE, method: 'Init', timeoutMs: CALL_TIMEOUT_MS, repeatable: true };
    try {
      await host.prime(async (process) => {
        await unaryCall(process, spec, { plugin: name, config });
      });
    } catch (error) {
      throw store.refused('InvalidConfiguration', host.callError(spec, error));
    }
    return store;
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    const { exists } = await this.call<{ exists: boolean }>('ObjectExists', this.object(key));
    return exists ? { key, size: 0, etag: await this.versionOf(key) } : undefined;
  }

  async *read(key: string, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<Uint8Array> {
    let received = 0;
    for (let tries = 1; ; tries++) {
      let skip = received;
      try {
        const process = await this.options.host.process();
        const request = this.object(key);
        for await (const { data } of readStream<{ data: Uint8Array }>(process, SERVICE, 'GetObject', request, signal)) {
          const fresh = data.subarray(Math.min(skip, data.length));
          skip -= data.length - fresh.length;
          received += fresh.length;
          if (fresh.length > 0) yield fresh;
        }
        return;
      } catch (error) {
        signal?.throwIfAborted();
        if (received === 0 && !(await this.exists(key))) {
          throw this.refused('NotFound', new Error(`${key}: no such object`));
        }
        // From the beginning: plugins cannot send a part.
        if (tries >= READ_TRIES) throw this.failed('GetObject', error);
      }
    }
  }

  async get(
    key: string,
    { maxBytes = DEFAULT_MAX_BYTES }: { maxBytes?: number } = {},
  ): Promise<Uint8Array | undefined> {
    if (!(await this.exists(key))) return undefined;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.read(key)) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw this.refused(
          'InvalidConfiguration',
          new Error(`${key}: more than ${maxBytes} bytes, which is too large`),
        );
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    for (let tries = 1; ; tries++) {
      const process = await this.options.host.process();
      try {
        await writeStream(process, SERVICE, 'PutObject', this.object(key), content, PUT_TIMEOUT_MS);
        return;
      } catch (error) {
        // Writing the same again does no harm.
        const died = await this.options.host.deathBehind(process, error);
        if (died === undefined || tries >= READ_TRIES) throw this.failed('PutObject', error);
      }
    }
  }

  async create(key: string, content: Uint8Array): Promise<boolean> {
    if (await this.exists(key)) return false;
    await this.put(key, content);
    return true;
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    const { plugin, bucket } = this.object('');
    const request = { plugin, bucket, prefix: this.whole(prefix) };
    const { keys } = await this.call<{ keys: readonly string[] }>('ListObjects', request);
    for (const key of [...keys].sort()) yield { key: key.slice(this.whole('').length), size: 0, etag: '' };
  }

  async listFolders(prefix: string): Promise<string[]> {
    const { plugin, bucket } = this.object('');
    const whole = this.whole(prefix);
    const request = { plugin, bucket, delimiter: '/', prefix: whole };
    const { prefixes } = await this.call<{ prefixes: readonly string[] }>('ListCommonPrefixes', request);
    return prefixes.map((folder) => folder.slice(whole.length).replace(/\/$/, '')).sort();
  }

  async delete(key: string): Promise<void> {
    await this.call('DeleteObject', this.object(key));
  }

  private async exists(key: string): Promise<boolean> {
    return (await this.call<{ exists: boolean }>('ObjectExists', this.object(key))).exists;
  }

  private async versionOf(key: string): Promise<string> {
    const beside = `${key.slice(0, key.lastIndexOf('/') + 1)}${METADATA_FILE}`;
    const metadata = await this.get(beside);
    return createHash('sha256')
      .update(metadata ?? '')
      .digest('hex');
  }

  private whole(key: string): string {
    const { prefix } = this.options;
    return prefix === '' ? key : `${prefix}/${key}`;
  }

  private object(key: string): { readonly plugin: string; readonly bucket: string; readonly key: string } {
    return { plugin: this.options.name, bucket: this.options.bucket, key: this.whole(key) };
  }

  private async call<Response>(method: string, request: object): Promise<Response> {
    const spec: CallSpec = { service: SERVICE, method, timeoutMs: CALL_TIMEOUT_MS, repeatable: true };
    try {
      return await this.options.host.call<Response>(spec, request);
    } catch (error) {
      throw this.refused('StoreUnavailable', error);
    }
  }

  private failed(method: string, error: unknown): ObjectStoreError {
    const spec = { service: SERVICE, method, timeoutMs: PUT_TIMEOUT_MS, repeatable: false };
    return this.refused('StoreUnavailable', this.options.host.callError(spec, error));
  }

  private refused(type: ObjectStoreError['type'], error: unknown): ObjectStoreError {
    const message = messageOf(error);
    return new ObjectStoreError(type, `${this.description}: ${message}`, { cause: error });
  }
}
