import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreFolder } from '../../domain/backup/layout.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Log } from '../servers/progress.ts';
import { mayBeChance } from './chance.ts';
import { compareCase } from './compareCase.ts';
import type { FoundDifference } from './comparison.ts';
import { type ListedDifference, sortDifferences } from './differences.ts';
import { dumpAtRest, dumpCluster, fingerprint } from './dump.ts';
import { prepareEmptyTarget } from './emptyTarget.ts';
import { type GoldenCase, GoldenCaseError } from './goldenCase.ts';
import { isThere } from './goldenData.ts';
import { writeJson } from './objectFile.ts';
import type { TemporalServer } from './restoreRun.ts';
import { Stage } from './stage.ts';

export interface CaseRunnerOptions {
  /** Gets a folder per case. */
  readonly directory: string;
  /** Holds the backups and gets what the restores write. */
  readonly bucket: string;
  readonly sourcePorts: string;
  readonly temporal: TemporalServer;
  /** Every case from whose end state another one may start. */
  readonly known: readonly GoldenCase[];
  /** A case that differs in more than these may be run once more. */
  readonly listed: readonly ListedDifference[];
  /** Told when a case is run once more, and why. */
  readonly log?: Log | undefined;
  /** Keep the data of targets from which no other case starts. */
  readonly keep: boolean;
}

/** Brings each case's target to its state, restores, and compares. The target of a group is kept until the next case. */
export class CaseRunner {
  private readonly options: CaseRunnerOptions;
  private stage: Stage | undefined;
  private emptyTargetData: Promise<string> | undefined;
  /** The current target as it is, where that is known. */
  private lastDump: readonly JsonObject[] | undefined;
  /** Stopped data of targets in which these cases have ended. */
  private readonly endStates = new Map<string, string>();
  private readonly done = new Map<string, FoundDifference[]>();

  constructor(options: CaseRunnerOptions) {
    this.options = options;
  }

  /** Prepares the empty target from which cases start, once; takes as long as a case. */
  prepare(): Promise<string> {
    this.emptyTargetData ??= prepareEmptyTarget(join(this.options.directory, 'empty-target'));
    return this.emptyTargetData;
  }

  /**
   * Runs a case and says in which lines it differs from Velero.
   * @throws Error where it cannot be carried out
   */
  async run(one: GoldenCase): Promise<FoundDifference[]> {
    const before = this.done.get(one.name);
    if (before !== undefined) return before;
    let { found, stage } = await this.runOnce(one);
    const chance = sortDifferences(one.name, found, this.options.listed).unlisted.find(mayBeChance);
    if (chance !== undefined && stage.group === undefined) {
      this.options.log?.(`${one.name} is run once more, this may be chance: ${chance.line}`);
      await this.forget(one, stage);
      ({ found, stage } = await this.runOnce(one));
    }
    this.done.set(one.name, found);
    if (stage.group === undefined) await this.keepEndState(one, stage);
    return found;
  }

  private async runOnce(one: GoldenCase): Promise<{ found: FoundDifference[]; stage: Stage }> {
    const stage = await this.stageOf(one);
    try {
      return { found: await this.restoreAndCompare(one, stage), stage };
    } finally {
      // A group's next case runs on the same target.
      if (stage.group === undefined) await this.close();
    }
  }

  /** Takes away what a run has left in its target, in the bucket and in its folder. */
  private async forget(one: GoldenCase, { target }: Stage): Promise<void> {
    const inBucket = join(this.options.bucket, restoreFolder(one.restore.name));
    for (const folder of [target.dataDirectory, inBucket, this.directoryOf(one)]) {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private directoryOf(one: GoldenCase): string {
    return join(this.options.directory, 'cases', one.name);
  }

  /** Stops what still runs. */
  async close(): Promise<void> {
    const { stage } = this;
    this.stage = undefined;
    this.lastDump = undefined;
    await stage?.stop();
  }

  /** A target's data takes some 70 MB. */
  private async keepEndState(one: GoldenCase, { target }: Stage): Promise<void> {
    if (this.options.known.some(({ startsFrom }) => startsFrom.includes(one.name))) {
      this.endStates.set(one.name, target.dataDirectory);
    } else if (!this.options.keep) await rm(target.dataDirectory, { recursive: true, force: true });
  }

  private async stageOf(one: GoldenCase): Promise<Stage> {
    if (this.stage !== undefined && one.group !== undefined && this.stage.group === one.group) return this.stage;
    await this.close();
    const { directory, bucket, temporal } = this.options;
    const etcdData = await this.startingPoint(one);
    this.stage = await Stage.open({ goldenCase: one, etcdData, directory, bucket, temporal });
    return this.stage;
  }

  /** Data of the empty target, or of the target that our own restore of an earlier case has left. */
  private async startingPoint(one: GoldenCase): Promise<string> {
    const [earlier, ...others] = one.startsFrom;
    if (earlier === undefined) return this.prepare();
    const base = this.options.known.find(({ name }) => name === earlier);
    if (base === undefined || others.length > 0) {
      throw new GoldenCaseError(
        `starts after restores ${one.startsFrom.join(', ')}, expected the name of one other case`,
      );
    }
    if (!this.endStates.has(base.name)) await this.run(base);
    const data = this.endStates.get(base.name);
    if (data === undefined) throw new GoldenCaseError(`starts after case ${base.name}, which did not end`);
    return data;
  }

  private async restoreAndCompare(one: GoldenCase, stage: Stage): Promise<FoundDifference[]> {
    const { kubernetes } = stage.target;
    const { bucket, sourcePorts } = this.options;
    const directory = this.directoryOf(one);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Groups are there for what must change nothing.
    const needsBefore = stage.group !== undefined || (await isThere(join(one.directory, 'before.json.gz')));
    const before = needsBefore ? (this.lastDump ?? (await dumpAtRest(kubernetes))) : undefined;
    if (before !== undefined) await writeJson(join(directory, 'before.json.gz'), [...before]);

    this.lastDump = undefined;
    const status = await stage.worker.restore(one);
    if (status.phase !== 'FailedValidation') {
      await writeJson(join(directory, 'after.json.gz'), await dumpAtRest(kubernetes));
    } else if (before !== undefined) {
      this.lastDump = await dumpCluster(kubernetes);
      if (fingerprint(this.lastDump) !== fingerprint(before)) {
        throw new Error('a restore that failed validation changed the cluster');
      }
    }
    return compareCase(one, { directory, bucket, status, hasNodes: stage.hasNodes }, sourcePorts);
  }
}
