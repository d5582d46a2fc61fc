import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a set of golden results lies (its README says what is in it). */
export interface GoldenData {
  readonly cases: string;
  /** Holds `backups/`. */
  readonly bucket: string;
  /** Addresses and ports of the source cluster, for the comparison. */
  readonly sourcePorts: string;
}

const root = fileURLToPath(new URL('../../test/golden/data/', import.meta.url));

export const committedData: GoldenData = {
  cases: join(root, 'cases'),
  bucket: join(root, 'bucket'),
  sourcePorts: join(root, 'source-ports.json'),
};

/** Compares two dumps, result files or other JSON files; made together with the golden results. */
export const compareProgram = join(root, 'compare.mjs');

/** Differences from Velero that are meant to be there, see differences.ts. */
export const differencesFile = fileURLToPath(new URL('../../test/golden/differences.yaml', import.meta.url));

/** An empty target of the golden runs: what Velero's installation had put into it is taken from here. */
export const emptyTarget = { objects: join(root, 'cases', 'sc-mapping', 'before.json.gz') };

/** Stages of kwok with which the golden source ran, and the target of cases with nodes. */
export const kwokConfig = join(root, 'source', 'kwok.yaml');

/** The data around a folder of cases: a bucket and port list beside it, else the committed ones. */
export async function dataOf(casesDirectory: string | undefined): Promise<GoldenData> {
  if (casesDirectory === undefined) return committedData;
  const cases = resolve(casesDirectory);
  const bucket = resolve(cases, '..', 'bucket');
  const sourcePorts = resolve(cases, '..', 'source-ports.json');
  return {
    cases,
    bucket: (await isThere(join(bucket, 'backups'))) ? bucket : committedData.bucket,
    sourcePorts: (await isThere(sourcePorts)) ? sourcePorts : committedData.sourcePorts,
  };
}

/** Whether there is a file or folder of that name. */
export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
