import type { RestoreResult } from '../domain/contract.ts';
import type { RestoreProgressReport } from './progress.ts';
import type { RestoreClient } from './restoreClient.ts';
import type { RestoreDescription } from './restoreDescription.ts';
import type { ResultOptions } from './waitForResult.ts';

export interface RestoreIdentity {
  readonly name: string;
  /** Velero's namespace. */
  readonly namespace: string;
  readonly uid: string;
  readonly workflowId: string;
  readonly runId: string;
  /** It was running already: nothing new was started. */
  readonly attached: boolean;
}

/** One restore, as {@link RestoreClient.start} returns it. */
export class RestoreHandle implements RestoreIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly attached: boolean;
  private readonly restores: RestoreClient;

  constructor(restores: RestoreClient, identity: RestoreIdentity) {
    this.restores = restores;
    this.name = identity.name;
    this.namespace = identity.namespace;
    this.uid = identity.uid;
    this.workflowId = identity.workflowId;
    this.runId = identity.runId;
    this.attached = identity.attached;
  }

  /** See {@link RestoreClient.get}. */
  describe(): Promise<RestoreDescription> {
    return this.restores.get(this.name, this.namespace);
  }

  /** See {@link RestoreClient.progress}. */
  progress(): Promise<RestoreProgressReport> {
    return this.restores.progress(this.name, this.namespace);
  }

  /** See {@link RestoreClient.result}. */
  result(options?: ResultOptions): Promise<RestoreResult> {
    return this.restores.result(this.name, options, this.namespace);
  }

  /** See {@link RestoreClient.delete}. */
  delete(): Promise<boolean> {
    return this.restores.delete(this.name, this.namespace);
  }

  /** See {@link RestoreClient.cancel}. */
  cancel(): Promise<void> {
    return this.restores.cancel(this.name, this.namespace);
  }
}
