import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { messageOf } from '../../domain/messageOf.ts';
import { type Log, spell } from '../servers/progress.ts';
import { startTemporalDevServer } from '../servers/temporalDevServer.ts';
import { CaseRunner } from './caseRunner.ts';
import type { FoundDifference } from './comparison.ts';
import { type DifferenceEntry, type ListedDifference, readDifferences, sortDifferences } from './differences.ts';
import { chooseCases, findCases, type GoldenCase } from './goldenCase.ts';
import { committedData, dataOf, differencesFile } from './goldenData.ts';
import type { TemporalServer } from './restoreRun.ts';

/** How a case ended. */
export interface CaseReport {
  readonly name: string;
  /** Why the case could not be carried out or compared; then nothing else is known. */
  readonly fault: string | undefined;
  readonly unlisted: readonly FoundDifference[];
  readonly taken: ReadonlyMap<DifferenceEntry, number>;
  readonly elapsedMs: number;
}

export interface GoldenReport {
  readonly cases: readonly CaseReport[];
  readonly listed: readonly ListedDifference[];
  /** Every committed case was run. */
  readonly isComplete: boolean;
  /** The run's folder, where it was kept. */
  readonly directory: string | undefined;
}

export interface GoldenOptions {
  /** Folder of cases; default: the committed ones. */
  readonly casesDirectory?: string | undefined;
  /** Names of cases or groups; default: all. */
  readonly names?: readonly string[] | undefined;
  /** Keep the run's folder: dumps, results, logs and data of the servers. Default false. */
  readonly keep?: boolean | undefined;
  /** Told when a case has ended. */
  readonly onCase?: ((report: CaseReport) => void) | undefined;
  /** Gets a line for people about what comes before the first case, and about cases that are run once more. */
  readonly log?: Log | undefined;
}

/**
 * Restores golden cases with the real workflow on a real Temporal server, each into a fresh real API server, and compares objects,
 * warnings and errors, resource list and status with what the real Velero left.
 * @throws GoldenCaseError, DifferencesError, ServerMissing
 */
export async function runGolden(options: GoldenOptions = {}): Promise<GoldenReport> {
  const keep = options.keep ?? false;
  const data = await dataOf(options.casesDirectory);
  const cases = await findCases(data.cases);
  const chosen = chooseCases(cases, options.names ?? []);
  const listed = await readDifferences(differencesFile);
  const known = options.casesDirectory === undefined ? cases : [...cases, ...(await findCases(committedData.cases))];

  const directory = await mkdtemp(join(tmpdir(), 'durable-restore-golden-'));
  try {
    const bucket = join(directory, 'bucket');
    await cp(data.bucket, bucket, { recursive: true });
    const reports = await withTemporal(join(directory, 'temporal'), async (temporal) => {
      const { sourcePorts } = data;
      const runner = new CaseRunner({
        directory,
        bucket,
        sourcePorts,
        temporal,
        known,
        keep,
        listed,
        log: options.log,
      });
      const startedAt = Date.now();
      await runner.prepare();
      options.log?.(`prepared an empty target in ${spell(Date.now() - startedAt)}`);
      return runCases(runner, inOrder(chosen), listed, options.onCase);
    });
    const isComplete = options.casesDirectory === undefined && chosen.length === cases.length;
    return { cases: reports, listed, isComplete, directory: keep ? directory : undefined };
  } finally {
    if (!keep) await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Cases that start from another one's end come after it, so that each report has the time of its own case. */
function inOrder(cases: readonly GoldenCase[]): GoldenCase[] {
  return [...cases].sort((a, b) => Number(a.startsFrom.length > 0) - Number(b.startsFrom.length > 0));
}

async function runCases(
  runner: CaseRunner,
  chosen: readonly GoldenCase[],
  listed: readonly ListedDifference[],
  onCase: ((report: CaseReport) => void) | undefined,
): Promise<CaseReport[]> {
  const reports: CaseReport[] = [];
  try {
    for (const one of chosen) {
      const startedAt = Date.now();
      const report = await reportCase(runner, one, listed, startedAt);
      reports.push(report);
      onCase?.(report);
    }
    return reports;
  } finally {
    await runner.close();
  }
}

async function reportCase(
  runner: CaseRunner,
  one: GoldenCase,
  listed: readonly ListedDifference[],
  startedAt: number,
): Promise<CaseReport> {
  const nothing = { fault: undefined, unlisted: [], taken: new Map() };
  const ended = (result: Partial<CaseReport>): CaseReport => {
    return { ...nothing, name: one.name, ...result, elapsedMs: Date.now() - startedAt };
  };
  try {
    return ended(sortDifferences(one.name, await runner.run(one), listed));
  } catch (error) {
    // The other cases are worth their run all the same.
    return ended({ fault: messageOf(error) });
  }
}

async function withTemporal<T>(directory: string, work: (temporal: TemporalServer) => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const server = await startTemporalDevServer({ directory });
  try {
    const connection = await Connection.connect({ address: server.address });
    try {
      return await work({ client: new Client({ connection }), address: server.address });
    } finally {
      await connection.close();
    }
  } finally {
    await server.stop();
  }
}
