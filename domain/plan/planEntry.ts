/** What becomes of a PersistentVolume, decided from the backup alone (spec restore-pipeline.md §12). */
export type VolumeDecision =
  /** Created as it is in the backup, with its claim mapped and its binding reset. */
  | 'restore'
  /** Not created: a new volume will be provisioned for its claim. */
  | 'provision'
  /** To be made from a native snapshot by a VolumeSnapshotter plugin. */
  | 'nativeSnapshot';

/** One item of the plan: a line of NDJSON in the work store. */
export interface PlanEntry {
  readonly index: number;
  /** Folder name in the backup, e.g. `deployments.apps`. */
  readonly groupResource: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Original namespace; left out for cluster-scoped items. */
  readonly namespace?: string | undefined;
  readonly targetNamespace?: string | undefined;
  /** Name in the backup; for a namespace that the backup lacks, the original name all the same. */
  readonly name: string;
  /** Folder of the version that was chosen; left out where the unversioned item is read. */
  readonly versionDirectory?: string | undefined;
  /** Only for namespaces: the mapped name. */
  readonly targetName?: string | undefined;
  /** Only for PersistentVolumes. */
  readonly volume?: VolumeDecision | undefined;
  /** Only for claims: the volume they name is not restored, so they must not name it any longer (§13). */
  readonly dropVolumeName?: true | undefined;
  /** Only for claims: the volume they name is made from a native snapshot and may get another name (§12). */
  readonly nativeVolume?: true | undefined;
}

/** Entries beside the plan (additionalEntry.ts) have indexes from here on; a plan is far smaller, and all are exact as numbers. */
export const FIRST_INDEX_BESIDE_PLAN = 2 ** 48;

/** Plan entries per block: what a worker reads and keeps at once. */
export const PLAN_BLOCK_SIZE = 500;

export function planBlockOf(index: number): number {
  return Math.floor(index / PLAN_BLOCK_SIZE);
}

export function renderPlanBlock(entries: readonly PlanEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

export function parsePlanBlock(text: string): PlanEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as PlanEntry);
}

/** `Deployment shop/api`: how an item is called in summaries and progress lines. */
export function describeEntry(entry: Pick<PlanEntry, 'kind' | 'targetNamespace' | 'name' | 'targetName'>): string {
  const name = entry.targetName ?? entry.name;
  return `${entry.kind} ${entry.targetNamespace === undefined ? name : `${entry.targetNamespace}/${name}`}`;
}

/** The Temporal server keeps 200 bytes of a summary for certain; 500 of 80 characters stay under the payload limit. */
const MAX_SUMMARY = 80;

/** {@link describeEntry} as a summary in the Temporal UI: longer ones are cut. */
export function summarizeEntry(entry: PlanEntry): string {
  const text = describeEntry(entry);
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, MAX_SUMMARY - 1)}…`;
}
