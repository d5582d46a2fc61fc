import type { PlanEntry } from '../plan/planEntry.ts';
import type { Outcome, OutcomeReason } from './outcome.ts';

/** Ends that come before the API server was asked to create anything. */
const NOT_ATTEMPTED: ReadonlySet<OutcomeReason> = new Set([
  'completed',
  'mirrorPod',
  'action',
  'volumeNotRestored',
  'duplicate',
  'unreadable',
  'cancelled',
]);

/** Whether the item got as far as being created. */
export function isAttempted({ reason }: Outcome): boolean {
  return reason === undefined || !NOT_ATTEMPTED.has(reason);
}

/** One sentence on what became of an item, for the restore's log; in Velero's words where it has any. */
export function describeFate(entry: PlanEntry, outcome: Outcome): string {
  const name = entry.targetName ?? entry.name;
  const path = entry.targetNamespace === undefined ? name : `${entry.targetNamespace}/${name}`;
  const item = `${entry.kind} ${path}`;
  switch (outcome.reason) {
    case 'completed':
      return `${path} is complete - skipping`;
    case 'mirrorPod':
      return `Not restoring ${item} because it is a mirror pod`;
    case 'action':
      return 'Skipping restore because a registered plugin discarded it';
    case 'volumeNotRestored':
      return `Not restoring ${item}: a new volume is provisioned for its claim`;
    case 'duplicate':
      return `Not restoring ${item}: another item of the backup is restored under this name`;
    case 'unreadable':
      return `Not restoring ${item}: it cannot be read from the backup`;
    case 'cancelled':
      return `Not restoring ${item}: the restore was cancelled`;
    case 'equal':
      return `Restore of ${name} skipped: it already exists in the cluster and is the same as the backed up version`;
    case 'labelsOnly':
      return `${item} already exists in the cluster: only its backup and restore labels were updated`;
    case 'differs':
      return `${item} already exists in the cluster and differs from the backed up version: left as it is`;
    case 'exists':
      return `${item} already exists in the cluster: left as it is`;
    case 'refused':
      return `${item} could not be restored`;
    case undefined:
      return describeAction(item, outcome);
  }
}

function describeAction(item: string, { action, createdName }: Outcome): string {
  switch (action) {
    case 'created':
      return createdName === undefined
        ? `${item} successfully created`
        : `${item} successfully created as ${createdName}`;
    case 'updated':
      return `${item} successfully updated`;
    case 'skipped':
      return `${item} skipped`;
    case 'failed':
      return `${item} failed`;
  }
}
