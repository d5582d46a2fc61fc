/** Rejects with the signal's reason as soon as it is aborted. */
function rejectionOf(signal: AbortSignal): { promise: Promise<never>; dispose: () => void } {
  let listener: () => void = () => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    listener = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  });
  return {
    promise,
    dispose: () => {
      signal.removeEventListener('abort', listener);
    },
  };
}

/** Work that several callers wait for, done once. It is aborted only when all of them have given up. */
export class SharedTask<Result, Progress> {
  private readonly controller = new AbortController();
  private readonly listeners = new Set<(progress: Progress) => void>();
  private readonly result: Promise<Result>;
  private waiting = 0;
  private settled = false;

  constructor(work: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<Result>) {
    this.result = this.run(work);
    // Whoever waits gets the error; a task that all have left must not bring the process down.
    this.result.catch(() => undefined);
  }

  /** Whether joining it makes sense: not when it has been given up. */
  get alive(): boolean {
    return !this.controller.signal.aborted;
  }

  /** Waits for the result. @throws what the work throws, or the reason of the signal */
  async wait(onProgress?: (progress: Progress) => void, signal?: AbortSignal): Promise<Result> {
    this.waiting += 1;
    if (onProgress !== undefined) this.listeners.add(onProgress);
    const rejection = signal === undefined ? undefined : rejectionOf(signal);
    try {
      return await (rejection === undefined ? this.result : Promise.race([this.result, rejection.promise]));
    } finally {
      rejection?.dispose();
      if (onProgress !== undefined) this.listeners.delete(onProgress);
      this.waiting -= 1;
      if (this.waiting === 0 && !this.settled) this.controller.abort();
    }
  }

  private async run(
    work: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work(this.controller.signal, (progress) => {
        for (const listener of this.listeners) listener(progress);
      });
    } finally {
      this.settled = true;
    }
  }
}
