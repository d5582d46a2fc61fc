import type { Activities } from '../domain/contract.ts';
import { runActivity } from './activity.ts';
import { readItemState } from './item/itemState.ts';
import { needsFrom } from './item/suspendItem.ts';
import type { Sessions } from './session.ts';

/** What an item waits for, beyond what its own activity could tell. */
export function readNeeds(sessions: Sessions): Activities['readNeeds'] {
  return ({ ref, stateRef, offset }) =>
    runActivity(async () => {
      const state = await readItemState(await sessions.workStore(ref), stateRef);
      return needsFrom(state.needs, offset);
    });
}
