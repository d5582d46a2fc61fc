import type { RunningWorker, WorkerConfig } from '../../worker/index.ts';
import { loadWorker } from '../loadWorker.ts';

/** A worker in this process. */
export class LocalWorker {
  /** Resolves when the worker has stopped; rejects where it failed. */
  readonly stopped: Promise<void>;
  private readonly worker: RunningWorker;

  private constructor(worker: RunningWorker) {
    this.worker = worker;
    this.stopped = worker.run();
    // Whoever waits for it sees a failure; until then it must not end the process.
    this.stopped.catch(() => undefined);
  }

  static async start(config: WorkerConfig): Promise<LocalWorker> {
    const { startWorker } = await loadWorker();
    return new LocalWorker(await startWorker(config));
  }

  /** Lets activities in flight end and returns when the worker has stopped, however it did. */
  async stop(): Promise<void> {
    this.worker.shutdown();
    await this.stopped.catch(() => undefined);
  }
}
