import { activityInfo, CancelledFailure, Context } from '@temporalio/activity';
import type { Activities, RestoreItemsInput, RestoreItemsResult } from '../domain/contract.ts';
import { countOutcomes } from '../domain/results/counters.ts';
import type { Outcome } from '../domain/results/outcome.ts';
import { isShuttingDown, runActivity } from './activity.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { isWaiting, restoreOne } from './item/restoreOne.ts';
import { MustWait } from './item/settle.ts';
import type { Sessions } from './session.ts';

/** What an attempt tells the next one: where it is, and which existing objects it was about to update. */
interface Heartbeat {
  readonly position: number;
  readonly updatesIntended: readonly number[];
}

function isHeartbeat(details: unknown): details is Heartbeat {
  return typeof details === 'object' && details !== null && 'updatesIntended' in details;
}

/**
 * Restores neighbours from the same wave one after another (design §2). Their outcomes go to a block of the group's own; an attempt
 * that finds a part of it there goes on behind it. A cancelled group returns what it did.
 */
export function restoreItems({ kubernetes }: ActivityDependencies, sessions: Sessions): Activities['restoreItems'] {
  return (input) => {
    const { attempt } = activityInfo();
    const heartbeatDetails: unknown = activityInfo().heartbeatDetails;
    const intended = new Set<number>(isHeartbeat(heartbeatDetails) ? heartbeatDetails.updatesIntended : []);
    let position = input.offset;
    const heartbeat = (): Heartbeat => ({ position, updatesIntended: [...intended] });

    const body = async (): Promise<RestoreItemsResult> => {
      const session = await sessions.get(input.ref);
      const writer = groupWriter(input);
      const outcomes = new Map((await session.work.readOutcomes(writer)).map((outcome) => [outcome.index, outcome]));
      const later: number[] = [];
      const end = input.offset + input.length;
      const signal = Context.current().cancellationSignal;

      try {
        for (; position < end && !signal.aborted; position++) {
          const index = position;
          if (outcomes.has(index)) continue;
          const outcome = await restoreOrPostpone(index);
          if (outcome === undefined) later.push(index);
          else outcomes.set(index, outcome);
        }
      } finally {
        // Also where the infrastructure fails in the middle: what is done need not be found out again.
        await session.work.writeOutcomes(writer, [...outcomes.values()]);
      }
      // A stopping worker hands the rest of its group to another one; a cancelled restore keeps what was done.
      if (position < end && isShuttingDown()) throw new CancelledFailure('WORKER_SHUTDOWN');
      const hookPods = [...outcomes.values()].flatMap(({ hookPod }) => hookPod ?? []);
      return {
        counters: countOutcomes(outcomes.values()),
        later,
        ...(hookPods.length > 0 ? { hookPods } : {}),
        end: position,
      };

      async function restoreOrPostpone(index: number): Promise<Outcome | undefined> {
        const facts = {
          retried: attempt > 1,
          firstAttempt: attempt === 1,
          // What an earlier run recorded of this group is in its block, and was passed over.
          wasRecordedAsCreated: () => Promise.resolve(false),
          updateWasIntended: intended.has(index),
          shared: session.shared,
          intendUpdate: () => {
            intended.add(index);
            // Before the update itself: once it is done, nothing else tells that it was ours.
            Context.current().heartbeat(heartbeat());
          },
        };
        try {
          const earlier = await session.shared?.findOutcome(index);
          if (earlier !== undefined) return earlier;
          const result = await restoreOne(kubernetes, session, index, facts, { mayWait: false });
          return isWaiting(result) ? undefined : result;
        } catch (error) {
          if (error instanceof MustWait) return undefined;
          throw error;
        }
      }
    };
    return runActivity(body, heartbeat);
  };
}

function groupWriter({ offset }: RestoreItemsInput): string {
  return `group-${String(offset).padStart(8, '0')}`;
}
