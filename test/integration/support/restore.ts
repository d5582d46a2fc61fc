import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  RestoreClientError,
  type RestoreHandle,
  type RestoreOptions,
  type RestoreResult,
  type RestoreSpec,
} from '../../../client/index.ts';
import { outcomesFolder, type RestoreFile, restoreFileKey, workFolder } from '../../../domain/backup/layout.ts';
import { type PlanEntry, parsePlanBlock } from '../../../domain/plan/planEntry.ts';
import type { RestoreStatus } from '../../../domain/restore/restore.ts';
import { type Counters, countOutcomes } from '../../../domain/results/counters.ts';
import { mergeOutcomes, type Outcome } from '../../../domain/results/outcome.ts';
import type { ResourceListContent } from '../../../domain/results/resourceList.ts';
import type { Results } from '../../../domain/results/results.ts';
import type { Environment } from './environment.ts';

const decompress = promisify(gunzip);

export interface RestoreRequest {
  /** Default: a name of its own. */
  readonly name?: string | undefined;
  readonly options?: Partial<RestoreOptions> | undefined;
}

/** How a restore ended, by the files that it left in the bucket. */
export interface EndedRestore {
  readonly name: string;
  readonly uid: string;
  readonly workflowId: string;
  /** What the client threw where the restore has no result. */
  readonly error: RestoreClientError | undefined;
  readonly status: RestoreStatus;
  /** What Temporal says of a restore that has a result. */
  readonly result: RestoreResult | undefined;
  /** Items by the recorded outcomes. */
  readonly counters: Counters;
  readonly results: Results;
  readonly resourceList: ResourceListContent;
  readonly log: string;
  readonly plan: readonly PlanEntry[];
  /** One per item, from all outcome blocks, by plan index. */
  readonly outcomes: readonly Outcome[];
  /** Names of the outcome blocks. */
  readonly blocks: readonly string[];
}

export function startRestore(
  { restores }: Environment,
  spec: RestoreSpec,
  { name, options }: RestoreRequest = {},
): Promise<RestoreHandle> {
  const restoreName = name ?? `${spec.backupName ?? 'restore'}-${randomUUID().slice(0, 8)}`;
  return restores.start({ name: restoreName, spec }, { options });
}

/** Restores and reads what the restore left. */
export async function restore(
  environment: Environment,
  spec: RestoreSpec,
  request: RestoreRequest = {},
): Promise<EndedRestore> {
  return endOf(environment, await startRestore(environment, spec, request));
}

/** Waits for the end of a restore and reads what it left. */
export async function endOf(environment: Environment, handle: RestoreHandle): Promise<EndedRestore> {
  let error: RestoreClientError | undefined;
  let result: RestoreResult | undefined;
  try {
    result = await handle.result();
  } catch (thrown) {
    if (!(thrown instanceof RestoreClientError)) throw thrown;
    error = thrown;
  }
  const { name, uid, workflowId } = handle;
  const { bucket } = environment;
  const identity = { name, uid };
  const blocks = await readFolder(join(bucket, outcomesFolder(identity)));
  const outcomes = mergedOutcomes(blocks.values());
  const plan = await readFolder(join(bucket, workFolder(identity), 'plan'));
  plan.delete('summary.json');
  return {
    name,
    uid,
    workflowId,
    error,
    status: JSON.parse(await readFile(join(bucket, workFolder(identity), 'status.json'), 'utf8')) as RestoreStatus,
    result,
    counters: countOutcomes(outcomes),
    results: JSON.parse(await readRestoreFile(bucket, name, 'results')) as Results,
    resourceList: JSON.parse(await readRestoreFile(bucket, name, 'resourceList')) as ResourceListContent,
    log: await readRestoreFile(bucket, name, 'logs'),
    plan: [...plan.values()].flatMap(parsePlanBlock),
    outcomes,
    blocks: [...blocks.keys()].map((file) => file.replace('.ndjson', '')),
  };
}

function mergedOutcomes(blocks: Iterable<string>): Outcome[] {
  const merged = new Map<number, Outcome>();
  for (const line of [...blocks].flatMap((block) => block.split('\n'))) {
    if (line === '') continue;
    const outcome = JSON.parse(line) as Outcome;
    const earlier = merged.get(outcome.index);
    merged.set(outcome.index, earlier === undefined ? outcome : mergeOutcomes(earlier, outcome));
  }
  return [...merged.values()].sort((a, b) => a.index - b.index);
}

async function readRestoreFile(bucket: string, name: string, file: RestoreFile): Promise<string> {
  return (await decompress(await readFile(join(bucket, restoreFileKey(name, file))))).toString('utf8');
}

/** Texts of the files of a folder by name, in the order of their names; none where the restore did not get so far. */
async function readFolder(folder: string): Promise<Map<string, string>> {
  if (!existsSync(folder)) return new Map();
  const names = (await readdir(folder)).sort();
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return new Map(names.map((name, position) => [name, files[position] ?? '']));
}

/** The recorded outcome of an item. @throws Error where the plan has no such item or it was not reached. */
export function outcomeOf(ended: EndedRestore, kind: string, name: string): Outcome {
  const entry = ended.plan.find((one) => one.kind === kind && (one.targetName ?? one.name) === name);
  const outcome = ended.outcomes.find(({ index }) => index === entry?.index);
  if (outcome === undefined) throw new Error(`${kind} ${name} has no outcome in restore ${ended.name}`);
  return outcome;
}
