import { LRUCache } from 'lru-cache';
import type { ObjectStore } from '../../domain/backup/objectStore.ts';
import { defaultRestoreOptions, type RestoreRef } from '../../domain/contract.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import type { PodAccess } from '../../domain/kubernetes/podAccess.ts';
import { WorkStore } from '../workStore.ts';
import { HookStore } from './hookStore.ts';

/** Everything that hooks touch outside their own process. */
export interface HookDependencies {
  readonly kubernetes: Pick<KubernetesApi, 'get'>;
  readonly pods: PodAccess;
  /** @throws UnknownStorageLocation where the worker is not configured with that location. */
  openStore(storageLocation: string): Promise<ObjectStore>;
}

/** What a worker keeps of a restore with hooks between its activities. */
export interface HookSession {
  readonly hooks: HookStore;
  /** How long hooks without a wait of their own wait; 0 = without limit. */
  readonly hookTimeoutMs: number;
}

const OPEN_SESSIONS = 64;

/** Opens the sessions of a worker; unlike those of items they need no backup. */
export class HookSessions {
  private readonly dependencies: HookDependencies;
  private readonly open = new LRUCache<string, HookSession, RestoreRef>({
    max: OPEN_SESSIONS,
    fetchMethod: (_uid, _stale, { context }) => this.load(context),
  });

  constructor(dependencies: HookDependencies) {
    this.dependencies = dependencies;
  }

  get(ref: RestoreRef): Promise<HookSession> {
    return this.open.forceFetch(ref.uid, { context: ref });
  }

  private async load(ref: RestoreRef): Promise<HookSession> {
    const store = await this.dependencies.openStore(ref.storageLocation);
    const { options } = await new WorkStore(store, ref).readRecord();
    const { hookTimeoutMs } = { ...defaultRestoreOptions, ...options };
    return { hooks: new HookStore(store, ref), hookTimeoutMs };
  }
}
