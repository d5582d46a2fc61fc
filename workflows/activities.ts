import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../domain/contract.ts';

/** A dead worker is noticed after this long (design §3 "Liveness"). */
const HEARTBEAT_TIMEOUT = '8s';

/** Faults of the infrastructure pass some day: no limit of attempts, and an attempt at least every 15 s. */
const PATIENT_RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '15s' } as const;

/** Before anything is changed, a server that does not answer is worth an error soon. */
const IMPATIENT_RETRY = { ...PATIENT_RETRY, maximumAttempts: 4 } as const;

/**
 * The activities as workflow code calls them. A cancelled activity is waited for: a create in flight ends, and what it did is
 * recorded (design §6).
 */
const waits = {
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
};

export const checking = proxyActivities<Pick<Activities, 'validate'>>({
  ...waits,
  startToCloseTimeout: '2m',
  retry: IMPATIENT_RETRY,
});

/** Reads the whole backup. */
export const planning = proxyActivities<Pick<Activities, 'plan'>>({
  ...waits,
  startToCloseTimeout: '2h',
  retry: { ...PATIENT_RETRY, maximumAttempts: 20 },
});

/** Wait for the cluster up to the restore's own limits (10 min by default), which an operator may have raised. */
export const awaiting = proxyActivities<Pick<Activities, 'ensureNamespace' | 'awaitCustomResourceDefinitions'>>({
  ...waits,
  startToCloseTimeout: '24h',
  retry: PATIENT_RETRY,
});

/** Look at the cluster for ten minutes at most and are called again. */
export const settling = proxyActivities<Pick<Activities, 'settleVolumes'>>({
  ...waits,
  startToCloseTimeout: '15m',
  retry: PATIENT_RETRY,
});

/** Each operation has a limit of its own; a check of many may take long. */
export const checkingOperations = proxyActivities<Pick<Activities, 'checkOperations'>>({
  ...waits,
  startToCloseTimeout: '30m',
  retry: PATIENT_RETRY,
});

export const restoring = proxyActivities<Pick<Activities, 'restoreItem' | 'restoreItems'>>({
  ...waits,
  // A cold worker fetches the whole backup within its first item.
  startToCloseTimeout: '2h',
  retry: PATIENT_RETRY,
});

export const recording = proxyActivities<
  Pick<Activities, 'describeItems' | 'readNeeds' | 'recordOutcomes' | 'finalize'>
>({
  ...waits,
  startToCloseTimeout: '10m',
  retry: PATIENT_RETRY,
});
