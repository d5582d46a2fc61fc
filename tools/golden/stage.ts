import { join } from 'node:path';
import type { GoldenCase } from './goldenCase.ts';
import { nodeNames, startNodes } from './nodes.ts';
import { TargetWorker, type TemporalServer } from './restoreRun.ts';
import { applySetup } from './setup.ts';
import { startTarget, type Target } from './target.ts';

/** A target as a case wants it, with a worker of its own; one case or the cases of a group run on it. */
export class Stage {
  readonly group: string | undefined;
  readonly target: Target;
  readonly worker: TargetWorker;
  /** Pods run in this target. */
  readonly hasNodes: boolean;
  private readonly stops: readonly (() => Promise<void>)[];

  private constructor(parts: Pick<Stage, 'group' | 'target' | 'worker' | 'hasNodes'>, stops: (() => Promise<void>)[]) {
    this.group = parts.group;
    this.target = parts.target;
    this.worker = parts.worker;
    this.hasNodes = parts.hasNodes;
    this.stops = stops;
  }

  /** Starts a target on a copy of etcd data, does the case's setup to it, and starts its worker. */
  static async open(options: {
    readonly goldenCase: GoldenCase;
    readonly etcdData: string;
    /** Folder of the whole run. */
    readonly directory: string;
    readonly bucket: string;
    readonly temporal: TemporalServer;
  }): Promise<Stage> {
    const { goldenCase, etcdData, bucket, temporal } = options;
    const name = goldenCase.group ?? goldenCase.name;
    const directory = join(options.directory, 'targets', name);
    const stops: (() => Promise<void>)[] = [];
    try {
      const target = await startTarget(directory, etcdData);
      stops.push(() => target.stop());
      await applySetup(goldenCase.setupDirectory, target);
      const hasNodes = (await nodeNames(target.kubernetes)).length > 0;
      if (hasNodes) stops.push(await startNodes(directory, target.kubeconfigPath, target.kubernetes));
      const cacheDirectory = join(options.directory, 'cache');
      const worker = await TargetWorker.start({ temporal, target, cluster: name, bucket, cacheDirectory });
      stops.push(() => worker.stop());
      return new Stage({ group: goldenCase.group, target, worker, hasNodes }, stops);
    } catch (error) {
      await stopAll(stops);
      throw error;
    }
  }

  async stop(): Promise<void> {
    await stopAll(this.stops);
  }
}

/** In reverse order; one that fails to stop does not keep the others running. */
async function stopAll(stops: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of [...stops].reverse()) await stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
