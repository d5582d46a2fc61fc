import { activityInfo, Context } from '@temporalio/activity';
import type { Activities, RestoreItemInput, RestoreItemResult } from '../domain/contract.ts';
import { itemScope, type Outcome } from '../domain/results/outcome.ts';
import { runActivity } from './activity.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { InfrastructureFault } from './infrastructureFault.ts';
import { restoreOne } from './item/restoreOne.ts';
import type { Session, Sessions } from './session.ts';

const patient = { mayWait: true };

/** What an attempt tells the next one. */
interface Heartbeat {
  readonly updateIntended: boolean;
}

function isHeartbeat(details: unknown): details is Heartbeat {
  return typeof details === 'object' && details !== null && 'updateIntended' in details;
}

/**
 * Restores one item (design §3), in its own turn, as an additional item, or from where it stopped to wait for others. Resolves with its
 * outcome, whatever that is, or with what it waits for; throws only for faults of the infrastructure.
 */
export function restoreItem({ kubernetes }: ActivityDependencies, sessions: Sessions): Activities['restoreItem'] {
  return (input) => {
    const { attempt } = activityInfo();
    const heartbeatDetails: unknown = activityInfo().heartbeatDetails;
    let updateIntended = isHeartbeat(heartbeatDetails) && heartbeatDetails.updateIntended;
    const heartbeat = (): Heartbeat => ({ updateIntended });
    const { runId } = activityInfo().workflowExecution ?? {};
    const facts = {
      // An additional item may have been restored before, in its own turn: its label tells, as it does of an earlier attempt.
      retried: attempt > 1 || input.path !== undefined,
      firstAttempt: attempt === 1,
      updateWasIntended: updateIntended,
      intendUpdate: () => {
        updateIntended = true;
        // Before the update itself: once it is done, nothing else tells that it was ours.
        Context.current().heartbeat(heartbeat());
      },
    };
    const body = async (): Promise<RestoreItemResult> => {
      const session = await sessions.get(input.ref);
      const restore = (): Promise<RestoreItemResult> =>
        restoreOne(
          kubernetes,
          session,
          input.index,
          {
            ...facts,
            shared: session.shared,
            wasRecordedAsCreated: () => session.work.wasCreatedBefore(input.index, runId),
          },
          patient,
          input,
        );
      try {
        return await (session.shared === undefined ? restore() : session.shared.restore(session, input, restore));
      } catch (error) {
        return await endTerminating(session, input, error);
      }
    };
    return runActivity(body, heartbeat);
  };
}

/** A namespace that does not end terminating is waited for up to Velero's limit, from when the item's turn came (§10). */
async function endTerminating(session: Session, { index }: RestoreItemInput, error: unknown): Promise<Outcome> {
  const waitedMs = Date.now() - activityInfo().scheduledTimestampMs;
  const isOver = waitedMs > session.record.options.terminatingResourceTimeoutMs;
  if (!(error instanceof InfrastructureFault) || !error.terminating || !isOver) throw error;
  const { targetNamespace } = await session.work.readPlanEntry(index);
  return {
    index,
    action: 'failed',
    reason: 'refused',
    tracked: true,
    messages: [{ level: 'error', scope: itemScope(targetNamespace), text: error.message }],
    at: new Date().toISOString(),
  };
}
