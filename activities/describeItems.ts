import type { Activities } from '../domain/contract.ts';
import { summarizeEntry } from '../domain/plan/planEntry.ts';
import { runActivity } from './activity.ts';
import type { Sessions } from './session.ts';

/** Names of items for the Temporal UI: workflow code knows plan indexes only. */
export function describeItems(sessions: Sessions): Activities['describeItems'] {
  return ({ ref, offset, length, step }) =>
    runActivity(async () => {
      const work = await sessions.workStore(ref);
      const summaries: string[] = [];
      for (let index = offset; index < offset + length; index += step) {
        summaries.push(summarizeEntry(await work.readPlanEntry(index)));
      }
      return summaries;
    });
}
