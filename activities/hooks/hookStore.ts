import type { RestoreIdentity } from '../../domain/backup/layout.ts';
import type { ObjectStore } from '../../domain/backup/objectStore.ts';
import type { PodHooks } from '../../domain/hooks/hook.ts';
import { type HookFile, hookFileKey, hookSummaryKey, podHooksKey } from '../../domain/hooks/hookKeys.ts';
import type { HookOutput } from '../../domain/hooks/hookLog.ts';
import type { HookOutcome } from '../../domain/hooks/hookOutcome.ts';
import type { HookSummary } from '../../domain/hooks/hookSummary.ts';
import { readStoredJson, toStoredJson } from '../storedJson.ts';

const decoder = new TextDecoder();

export class HookStoreError extends Error {
  readonly type = 'WorkStore';
}

/**
 * Hooks of one restore in its work store. What is once on record is never replaced, so that neither a second attempt nor a reset of the
 * workflow changes what became of a command.
 */
export class HookStore {
  private readonly store: ObjectStore;
  private readonly restore: RestoreIdentity;

  constructor(store: ObjectStore, restore: RestoreIdentity) {
    this.store = store;
    this.restore = restore;
  }

  /** The hooks as they are on record, which are the given ones unless there were others before. */
  async recordPod(index: number, pod: PodHooks): Promise<PodHooks> {
    const key = podHooksKey(this.restore, index);
    return (await this.create(key, pod)) ? pod : ((await this.json<PodHooks>(key)) ?? pod);
  }

  /** @throws HookStoreError where there is none. */
  async readPod(index: number): Promise<PodHooks> {
    const key = podHooksKey(this.restore, index);
    const pod = await this.json<PodHooks>(key);
    if (pod !== undefined) return pod;
    throw new HookStoreError(`${key} is missing in ${this.store.description}: the restore's work files were removed`);
  }

  /** Marks a command as started. @returns false where it is marked already. */
  start(index: number, hook: number, by: object): Promise<boolean> {
    return this.create(this.key(index, hook, 'started'), by);
  }

  async isStarted(index: number, hook: number): Promise<boolean> {
    return (await this.store.head(this.key(index, hook, 'started'))) !== undefined;
  }

  readOutcome(index: number, hook: number): Promise<HookOutcome | undefined> {
    return this.json<HookOutcome>(this.key(index, hook, 'outcome.json'));
  }

  /** @returns the outcome that is on record now: an earlier one stands. */
  async recordOutcome(index: number, outcome: HookOutcome): Promise<HookOutcome> {
    const key = this.key(index, outcome.number, 'outcome.json');
    return (await this.create(key, outcome)) ? outcome : ((await this.json<HookOutcome>(key)) ?? outcome);
  }

  /** Nothing is kept of an output without content. */
  async writeOutput(index: number, hook: number, stdout: Uint8Array, stderr: Uint8Array): Promise<void> {
    if (stdout.length > 0) await this.store.put(this.key(index, hook, 'stdout'), stdout);
    if (stderr.length > 0) await this.store.put(this.key(index, hook, 'stderr'), stderr);
  }

  async readOutput(index: number, outcome: HookOutcome): Promise<HookOutput> {
    const read = async (file: HookFile, bytes: number | undefined): Promise<string> => {
      if (bytes === undefined || bytes === 0) return '';
      return decoder.decode(await this.store.get(this.key(index, outcome.number, file)));
    };
    return { stdout: await read('stdout', outcome.stdoutBytes), stderr: await read('stderr', outcome.stderrBytes) };
  }

  async writeSummary(summary: HookSummary): Promise<void> {
    await this.store.put(hookSummaryKey(this.restore), toStoredJson(summary));
  }

  private key(index: number, hook: number, file: HookFile): string {
    return hookFileKey(this.restore, index, hook, file);
  }

  private create(key: string, content: object): Promise<boolean> {
    return this.store.create(key, toStoredJson(content));
  }

  private json<T>(key: string): Promise<T | undefined> {
    return readStoredJson<T>(this.store, key);
  }
}
