import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  backupMetadataKey,
  type RestoreFile,
  restoreFileKey,
  restoreFolder,
  restoreRecordKey,
  restoreStatusKey,
} from '../domain/backup/layout.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import type { BackupStorageLocation } from '../domain/backup/storageLocation.ts';
import { parseObjectList } from '../domain/backup/volumeInfo.ts';
import type { RestoreRecord } from '../domain/contract.ts';
import { hookSummaryKey } from '../domain/hooks/hookKeys.ts';
import type { HookSummary } from '../domain/hooks/hookSummary.ts';
import type { JsonObject } from '../domain/json.ts';
import type { RestoreStatus } from '../domain/restore/restore.ts';
import { parseResourceList, type ResourceListContent } from '../domain/results/resourceList.ts';
import { parseResultsFile, type Results } from '../domain/results/results.ts';
import { CommandError } from './commandError.ts';
import { loadWorker } from './loadWorker.ts';

const decompress = promisify(gunzip);
const text = new TextDecoder();
const PARALLEL_DELETES = 16;

/** What the store keeps of a restore after Temporal has forgotten it. */
export interface StoredRestore {
  readonly record: RestoreRecord;
  /** Undefined where it has not ended. */
  readonly status: RestoreStatus | undefined;
}

/** What restores leave in the object store: Velero's result files and our work files. */
export class RestoreFiles {
  readonly description: string;
  private readonly store: ObjectStore;

  constructor(store: ObjectStore) {
    this.store = store;
    this.description = store.description;
  }

  /** @throws ObjectStoreError where the location cannot be used */
  static async open(location: BackupStorageLocation): Promise<RestoreFiles> {
    const { openStorageLocation } = await loadWorker();
    return new RestoreFiles(await openStorageLocation(location));
  }

  async hasBackup(name: string): Promise<boolean> {
    return (await this.store.head(backupMetadataKey(name))) !== undefined;
  }

  /** Whether anything of a restore of that name is in the store. */
  async hasFiles(restoreName: string): Promise<boolean> {
    for await (const _ of this.store.list(restoreFolder(restoreName))) return true;
    return false;
  }

  /**
   * Deletes everything of a restore, its work files last: until they are gone the restore can be found.
   * @returns how many objects that were.
   */
  async delete(restoreName: string): Promise<number> {
    const keys: string[] = [];
    for await (const { key } of this.store.list(restoreFolder(restoreName))) keys.push(key);
    const isRecord = (key: string): boolean => key.endsWith('/restore.json');
    const ordered = [...keys.filter((key) => !isRecord(key)), ...keys.filter(isRecord)];
    for (let start = 0; start < ordered.length; start += PARALLEL_DELETES) {
      await Promise.all(ordered.slice(start, start + PARALLEL_DELETES).map((key) => this.store.delete(key)));
    }
    return keys.length;
  }

  /** Undefined where it has not been written yet. */
  async results(restoreName: string): Promise<Results | undefined> {
    const content = await this.file(restoreName, 'results');
    return content === undefined ? undefined : parseResultsFile(content);
  }

  async resourceList(restoreName: string): Promise<ResourceListContent | undefined> {
    const content = await this.file(restoreName, 'resourceList');
    return content === undefined ? undefined : parseResourceList(content);
  }

  /** How each hook of the newest restore of that name ended; undefined where there were none, or they have not ended. */
  async hooks(restoreName: string): Promise<HookSummary | undefined> {
    const found = await this.find(restoreName);
    if (found === undefined) return undefined;
    return this.json<HookSummary>(hookSummaryKey({ name: restoreName, uid: found.record.restore.uid }));
  }

  /** What was done with volumes; undefined where it has not been written yet. */
  async volumeInfo(restoreName: string): Promise<JsonObject[] | undefined> {
    const content = await this.file(restoreName, 'volumeInfo');
    return content === undefined ? undefined : parseObjectList(content, restoreFileKey(restoreName, 'volumeInfo'));
  }

  /** Operations that actions have started, as far as they have come; undefined where it has not been written yet. */
  async itemOperations(restoreName: string): Promise<JsonObject[] | undefined> {
    const content = await this.file(restoreName, 'itemOperations');
    return content === undefined ? undefined : parseObjectList(content, restoreFileKey(restoreName, 'itemOperations'));
  }

  /** The restore's log as stored, still compressed; undefined where it has not been written yet. */
  async log(restoreName: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const key = restoreFileKey(restoreName, 'logs');
    return (await this.store.head(key)) === undefined ? undefined : this.store.read(key);
  }

  /** The newest restore of that name of which the store has work files. */
  async find(restoreName: string): Promise<StoredRestore | undefined> {
    let newest: StoredRestore | undefined;
    for (const uid of await this.store.listFolders(`${restoreFolder(restoreName)}durable/`)) {
      const identity = { name: restoreName, uid };
      const record = await this.json<RestoreRecord>(restoreRecordKey(identity));
      if (record === undefined || (newest !== undefined && newest.record.since > record.since)) continue;
      newest = { record, status: await this.json<RestoreStatus>(restoreStatusKey(identity)) };
    }
    return newest;
  }

  private async file(restoreName: string, file: RestoreFile): Promise<string | undefined> {
    const key = restoreFileKey(restoreName, file);
    const content = await this.store.get(key);
    if (content === undefined) return undefined;
    try {
      return text.decode(await decompress(content));
    } catch (error) {
      throw new CommandError('InvalidRestoreFile', `${this.description}: ${key}: expected a gzip file`, {
        cause: error,
      });
    }
  }

  private async json<T>(key: string): Promise<T | undefined> {
    const content = await this.store.get(key);
    if (content === undefined) return undefined;
    try {
      return JSON.parse(text.decode(content)) as T;
    } catch (error) {
      throw new CommandError('InvalidRestoreFile', `${this.description}: ${key}: expected JSON`, { cause: error });
    }
  }
}
