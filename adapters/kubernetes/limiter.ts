import { setMaxListeners } from 'node:events';

export interface AdaptiveLimiterOptions {
  /** Most tasks at a time, and the limit at the start. */
  readonly max: number;
  /** After how many successes in a row the limit grows by one; default 20. */
  readonly successesPerStep?: number | undefined;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

/** At most once in this time is the limit halved: a burst of refusals is one piece of news. */
const HALVING_PAUSE_MS = 1_000;
/** A longer Retry-After (of one aggregated API, say) must not stop everything else. */
const MAX_PAUSE_MS = 30_000;

/**
 * How many requests may be under way at a time (design §2): halved where the server answers 429, paused as long as it asks for,
 * growing by one after every 20 successes, never below one. Tasks start in the order in which they came.
 */
export class AdaptiveLimiter {
  private readonly max: number;
  private readonly successesPerStep: number;
  private currentLimit: number;
  private running = 0;
  private successes = 0;
  private halvedAt = Number.NEGATIVE_INFINITY;
  private pausedUntil = Number.NEGATIVE_INFINITY;
  private pauseTimer: NodeJS.Timeout | undefined;
  private readonly queue: Waiting[] = [];

  constructor(options: AdaptiveLimiterOptions) {
    if (!Number.isInteger(options.max) || options.max < 1) {
      throw new RangeError(`limit is ${options.max}, expected a whole number of at least 1`);
    }
    this.max = options.max;
    this.currentLimit = options.max;
    this.successesPerStep = options.successesPerStep ?? 20;
  }

  /** How many tasks may run at a time at present. */
  get limit(): number {
    return this.currentLimit;
  }

  get inFlight(): number {
    return this.running;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /**
   * Runs a task when it is its turn.
   * @throws what the task throws; the signal's reason where it is aborted before the task's turn.
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    // One signal for all requests of an activity is no leak: each takes its listener away again.
    if (signal !== undefined) setMaxListeners(Number.POSITIVE_INFINITY, signal);
    if (this.queue.length > 0 || !this.mayStart()) await this.turn(signal);
    else this.running++;
    try {
      return await task();
    } finally {
      this.running--;
      this.startWaiting();
    }
  }

  /** To be told when the server has refused a request for too much load. */
  throttled(retryAfterMs: number | undefined): void {
    const now = performance.now();
    this.successes = 0;
    if (now - this.halvedAt >= HALVING_PAUSE_MS) {
      this.halvedAt = now;
      this.currentLimit = Math.max(1, Math.floor(this.currentLimit / 2));
    }
    if (retryAfterMs !== undefined) {
      this.pausedUntil = Math.max(this.pausedUntil, now + Math.min(retryAfterMs, MAX_PAUSE_MS));
    }
  }

  /** To be told when the server has dealt with a request. */
  succeeded(): void {
    this.successes++;
    if (this.successes < this.successesPerStep || this.currentLimit >= this.max) return;
    this.successes = 0;
    this.currentLimit++;
    this.startWaiting();
  }

  private mayStart(): boolean {
    return this.running < this.currentLimit && performance.now() >= this.pausedUntil;
  }

  /** Resolves with the task counted as running already, so that no other takes its place in between. */
  private turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        waiting.refuse(signal?.reason);
      };
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', abort);
          this.running++;
          resolve();
        },
        refuse: reject,
        signal,
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.queue.push(waiting);
      this.startWaiting();
    });
  }

  private startWaiting(): void {
    while (this.queue.length > 0 && this.mayStart()) this.queue.shift()?.start();
    if (this.queue.length > 0) this.wakeAfterPause();
  }

  private wakeAfterPause(): void {
    const pause = this.pausedUntil - performance.now();
    if (pause <= 0 || this.pauseTimer !== undefined) return;
    this.pauseTimer = setTimeout(() => {
      this.pauseTimer = undefined;
      this.startWaiting();
    }, Math.ceil(pause));
  }
}
