import type { JsonObject } from '../json.ts';

export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  /** Closes the connection; the process in the container goes on. */
  readonly signal?: AbortSignal | undefined;
  /** From the start of the command. Milliseconds. */
  readonly timeoutMs: number;
  /** Bytes kept of each output; the rest is counted. */
  readonly maxOutputBytes: number;
}

/** What a command wrote. */
export interface ExecOutput {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** With what was not kept. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

/** How a command ended, as far as it is known. */
export type ExecEnd =
  /** The command ended by itself. */
  | { readonly kind: 'exited'; readonly exitCode: number }
  /** It was not started: the API server or the kubelet said why. */
  | { readonly kind: 'refused'; readonly message: string; readonly status?: number | undefined }
  /** It was not started: there was no answer. */
  | { readonly kind: 'unreachable'; readonly message: string }
  /** It may have been started; nobody knows its end. */
  | { readonly kind: 'lost'; readonly message: string }
  /** It may still run. */
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'cancelled' };

export interface ExecResult extends ExecOutput {
  readonly end: ExecEnd;
}

/** Gets a pod as it is now and whenever it changes; undefined where there is none of that name. */
export type PodListener = (pod: JsonObject | undefined) => void;

/** What hooks need of pods beyond reading and writing them. */
export interface PodAccess {
  /** Runs a command; every end is a value. */
  exec(request: ExecRequest): Promise<ExecResult>;
  /**
   * Follows a pod. All who follow pods of the same labels share one watch of the API server, which ends with the last of them.
   * @returns stops following.
   */
  follow(
    labelSelector: string,
    pod: { readonly namespace: string; readonly name: string },
    listener: PodListener,
  ): () => void;
}
