import type { Activities } from '../domain/contract.ts';
import { describeEntry } from '../domain/plan/planEntry.ts';
import { runActivity } from './activity.ts';
import type { Sessions } from './session.ts';

/** The Temporal server keeps 200 bytes of a summary for certain; 500 of 80 characters stay under the payload limit. */
const MAX_SUMMARY = 80;

function truncate(text: string): string {
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, MAX_SUMMARY - 1)}…`;
}

/** Names of items for the Temporal UI: workflow code knows plan indexes only. */
export function describeItems(sessions: Sessions): Activities['describeItems'] {
  return ({ ref, offset, length, step }) =>
    runActivity(async () => {
      const work = await sessions.workStore(ref);
      const summaries: string[] = [];
      for (let index = offset; index < offset + length; index += step) {
        summaries.push(truncate(describeEntry(await work.readPlanEntry(index))));
      }
      return summaries;
    });
}
