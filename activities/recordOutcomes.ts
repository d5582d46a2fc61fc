import type { Activities } from '../domain/contract.ts';
import { runActivity } from './activity.ts';
import type { Sessions } from './session.ts';

/** Writes the outcomes of single items to the work store, in a block of the shard's own. */
export function recordOutcomes(sessions: Sessions): Activities['recordOutcomes'] {
  return ({ ref, block, outcomes }) =>
    runActivity(async () => {
      const work = await sessions.workStore(ref);
      await work.writeOutcomes(block, outcomes);
    });
}
