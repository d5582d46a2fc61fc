import type { ItemWait } from '../contract.ts';
import type { HookSummary } from '../hooks/hookSummary.ts';
import type { JsonObject } from '../json.ts';
import type { Restore, RestoreStatus } from '../restore/restore.ts';
import type { ResourceListContent } from '../results/resourceList.ts';
import type { Results } from '../results/results.ts';

/** All that is known of a restore when it is described. */
export interface RestoreDescription {
  readonly restore: Restore;
  readonly status: RestoreStatus;
  /** From the results file; without it only the numbers of warnings and errors are shown. */
  readonly results?: Results | undefined;
  /** From the volume info file; without it the volumes' sections are missing, as in Velero. */
  readonly volumeInfo?: readonly JsonObject[] | undefined;
  /** Whether sections that have a short and a long form show the long one. */
  readonly details?: boolean | undefined;
  /** From the resource list; asked for by `--details`. */
  readonly resourceList?: ResourceListContent | undefined;
  /** From the file of item operations; asked for by `--details`. */
  readonly itemOperations?: readonly JsonObject[] | undefined;
  /** How each hook ended; asked for by `--details`. */
  readonly hooks?: HookSummary | undefined;
  /** Items that wait for others, while the restore runs. */
  readonly waits?: readonly ItemWait[] | undefined;
  /** What Velero does not have. */
  readonly extra?: { readonly workflowId?: string | undefined; readonly uiUrl?: string | undefined } | undefined;
}
