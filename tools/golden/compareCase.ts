import { join } from 'node:path';
import { restoreFolder } from '../../domain/backup/layout.ts';
import type { RestoreStatus } from '../../domain/restore/restore.ts';
import {
  compareObjects,
  compareResourceLists,
  compareResults,
  compareStatus,
  type FoundDifference,
} from './comparison.ts';
import type { GoldenCase } from './goldenCase.ts';
import { isThere } from './goldenData.ts';
import { ignoredWithNodes } from './nodes.ts';
import { readJson } from './objectFile.ts';
import { outputFiles } from './restoreRun.ts';

/** What our restore of a case has left. */
export interface CaseResult {
  /** Holds our dumps, named like Velero's. */
  readonly directory: string;
  readonly bucket: string;
  readonly status: RestoreStatus;
  /** Pods ran in the target. */
  readonly hasNodes: boolean;
}

/** Compares objects, warnings and errors, resource list and status, each where Velero has left one. */
export async function compareCase(
  one: GoldenCase,
  { directory, bucket, status, hasNodes }: CaseResult,
  sourcePorts: string,
): Promise<FoundDifference[]> {
  const found: FoundDifference[] = [];
  const further = hasNodes ? ignoredWithNodes : [];
  for (const file of ['before.json.gz', 'after.json.gz']) {
    const [expected, actual] = [join(one.directory, file), join(directory, file)];
    if (!(await isThere(expected)) || !(await isThere(actual))) continue;
    const prefix = file.startsWith('before') ? 'before the restore: ' : '';
    const differences = await compareObjects(expected, actual, { sourcePorts, further });
    found.push(...differences.map(({ kind, line }) => ({ kind, line: `${prefix}${line}` })));
  }
  const theirs = outputFiles(join(one.directory, 'velero-output'), one.restore.name);
  const ours = outputFiles(join(bucket, restoreFolder(one.restore.name)), one.restore.name);
  const results = (await isThere(ours.results)) ? ours.results : undefined;
  if (results !== undefined && (await isThere(theirs.results))) {
    found.push(...(await compareResults(theirs.results, results)));
    found.push(...(await compareResourceLists(theirs.resourceList, ours.resourceList, directory)));
  }
  const expectedStatus = await readJson(join(one.directory, 'status.json'));
  found.push(...(await compareStatus(expectedStatus, status, { results, directory })));
  return found;
}
