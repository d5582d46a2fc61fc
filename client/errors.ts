import type { RestorePhase, RestoreStatus } from '../domain/restore/restore.ts';

/** An error of {@link RestoreClient}; `type` is stable and meant for programs, the message for people. */
export abstract class RestoreClientError extends Error {
  abstract readonly type: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Thrown when no Temporal server answers at the address in time. */
export class TemporalUnreachable extends RestoreClientError {
  readonly type = 'TemporalUnreachable';
  readonly address: string;

  constructor(address: string, reason: string, options?: ErrorOptions) {
    super(`Temporal server ${address} cannot be reached: ${reason}`, options);
    this.address = address;
  }
}

/** Thrown when the Temporal server refuses the credentials (API key, client certificate) or a permission is missing. */
export class TemporalAccessDenied extends RestoreClientError {
  readonly type = 'TemporalAccessDenied';
}

/** Thrown when the Temporal server has no such namespace. */
export class TemporalNamespaceNotFound extends RestoreClientError {
  readonly type = 'TemporalNamespaceNotFound';
}

/** Thrown when the Temporal connection settings (profile, file, certificates) cannot be used. */
export class InvalidTemporalConfig extends RestoreClientError {
  readonly type = 'InvalidTemporalConfig';
}

/** Thrown when the Temporal server answers with an error that has no meaning of its own here. */
export class TemporalRequestFailed extends RestoreClientError {
  readonly type = 'TemporalRequestFailed';
}

/** Thrown when a restore cannot be asked for as given: its name, cluster or spec cannot be used. */
export class InvalidRestoreRequest extends RestoreClientError {
  readonly type = 'InvalidRestoreRequest';
}

/** Thrown when Temporal knows no restore of that name: it never existed, or its history was removed after the retention. */
export class RestoreNotFound extends RestoreClientError {
  readonly type = 'RestoreNotFound';
}

/** Thrown when a restore of that name has already ended: a name is a restore, and is never run twice. */
export class RestoreNameTaken extends RestoreClientError {
  readonly type = 'RestoreNameTaken';
  readonly phase: RestorePhase;
  readonly workflowId: string;

  constructor(name: string, phase: RestorePhase, workflowId: string, completionTimestamp: string | undefined) {
    const ended = completionTimestamp === undefined ? '' : ` at ${completionTimestamp}`;
    super(
      `a restore named ${JSON.stringify(name)} has already ended${ended} with phase ${phase} (workflow ${workflowId}): choose another name`,
    );
    this.phase = phase;
    this.workflowId = workflowId;
  }
}

/** Thrown when a restore that has ended is to be cancelled. */
export class RestoreAlreadyEnded extends RestoreClientError {
  readonly type = 'RestoreAlreadyEnded';
}

/** Thrown when a restore that runs is to be deleted. */
export class RestoreStillRunning extends RestoreClientError {
  readonly type = 'RestoreStillRunning';
}

/** Thrown when the pace of a restore cannot be changed as asked: the value, or nothing is left to be started. */
export class PaceRefused extends RestoreClientError {
  readonly type = 'PaceRefused';
}

/** Thrown when no worker answers: the restore is safe and waits for one. */
export class WorkerNotAnswering extends RestoreClientError {
  readonly type = 'WorkerNotAnswering';
  readonly taskQueue: string;

  constructor(taskQueue: string, options?: ErrorOptions) {
    super(`no worker answers on task queue ${taskQueue}: the restore waits until one is started`, options);
    this.taskQueue = taskQueue;
  }
}

/** Thrown when a restore ended as FailedValidation: it cannot be carried out as asked, and nothing was changed. */
export class RestoreValidationFailed extends RestoreClientError {
  readonly type = 'RestoreValidationFailed';
  readonly validationErrors: readonly string[];

  constructor(name: string, validationErrors: readonly string[], options?: ErrorOptions) {
    super(`restore ${name} failed validation: ${validationErrors.join('; ')}`, options);
    this.validationErrors = validationErrors;
  }
}

/** Thrown when a restore ended as Failed: it could not be executed. Its files hold what was restored until then. */
export class RestoreFailed extends RestoreClientError {
  readonly type = 'RestoreFailed';
  readonly reason: string;
  readonly status: RestoreStatus | undefined;

  constructor(name: string, reason: string, status: RestoreStatus | undefined, options?: ErrorOptions) {
    super(`restore ${name} failed: ${reason}`, options);
    this.reason = reason;
    this.status = status;
  }
}

/** Thrown when a restore was cancelled; what it did until then is in its files. */
export class RestoreCancelled extends RestoreClientError {
  readonly type = 'RestoreCancelled';

  constructor(name: string, options?: ErrorOptions) {
    super(`restore ${name} was cancelled`, options);
  }
}

/** Thrown when a restore's workflow was terminated or timed out: no files were written at its end. */
export class RestoreTerminated extends RestoreClientError {
  readonly type = 'RestoreTerminated';

  constructor(name: string, reason: string, options?: ErrorOptions) {
    super(`restore ${name} was ended from outside: ${reason}`, options);
  }
}
