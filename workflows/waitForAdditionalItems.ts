import { isCancellation, proxyLocalActivities, rootCause, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { Activities, AdditionalItemsReadiness, WaitForAdditionalItemsInput } from '../domain/contract.ts';
import type { WaitEnd } from '../domain/item/itemRun.ts';

/** As Velero asks: at once, then every second. */
const FIRST_DELAY_MS = 1_000;
/** For so long; most items are ready by then. */
const EAGER_MS = 30_000;
/** Afterwards ever more rarely: ten minutes cost less than 600 events. */
const BACKOFF = 1.5;
const LONGEST_DELAY_MS = 15_000;

/** The Temporal server keeps so much of a summary for certain. */
const MAX_SUMMARY = 200;

const { areAdditionalItemsReady } = proxyLocalActivities<Pick<Activities, 'areAdditionalItemsReady'>>({
  startToCloseTimeout: '5s',
  // A probe that fails for the infrastructure's sake is made again in its turn.
  retry: { maximumAttempts: 1 },
});

/**
 * Waits until an action says that the items which it asked for are ready, or until its time is over (design §4): a timer loop in a
 * history of its own, with a local activity for each question. Its deadline is part of its input and stands whatever dies meanwhile.
 */
export async function waitForAdditionalItems(input: WaitForAdditionalItemsInput): Promise<WaitEnd> {
  const { ref, stateRef, missing, item, action, awaited, deadline } = input;
  const started = Date.now();
  const end = Date.parse(deadline);
  const summary = `until ${deadline} for ${awaited}`.slice(0, MAX_SUMMARY);
  const tell = (state: string): void => {
    setCurrentDetails(
      `**${item}** waits for ${awaited}\n\nasked for by action \`${action}\`, goes on without them at ${deadline}\n\n${state}`,
    );
  };
  let unanswered: string | undefined;

  const probe = async (): Promise<AdditionalItemsReadiness> => {
    try {
      const answer = await areAdditionalItemsReady({ ref, stateRef, missing });
      unanswered = undefined;
      return answer;
    } catch (error) {
      if (isCancellation(error)) throw error;
      unanswered = rootCause(error) ?? String(error);
      return { ready: false };
    }
  };

  for (let delay = FIRST_DELAY_MS, probes = 1; ; probes++) {
    const answer = await probe();
    if ('failed' in answer) return { end: 'failed', message: answer.failed };
    if (answer.ready) return { end: 'ready' };
    tell(`asked ${probes} times${unanswered === undefined ? '' : `; last without an answer: ${unanswered}`}`);
    const left = end - Date.now();
    if (left <= 0) return { end: 'timedOut', unanswered };
    if (Date.now() - started >= EAGER_MS) delay = Math.min(delay * BACKOFF, LONGEST_DELAY_MS);
    await sleep(Math.min(delay, left), { summary });
  }
}
