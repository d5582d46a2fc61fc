import { messageKey } from '../../domain/backup/layout.ts';
import { ItemDecodeError } from '../../domain/backup/parseItem.ts';
import type { ItemNeeds, RestoreItemInput, RestoreItemResult } from '../../domain/contract.ts';
import { freshRun, type ItemRun } from '../../domain/item/itemRun.ts';
import { prepareItem } from '../../domain/item/prepareItem.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import { itemScope, type Message, type Outcome } from '../../domain/results/outcome.ts';
import { withHooks } from '../hooks/recordPodHooks.ts';
import { InfrastructureFault } from '../infrastructureFault.ts';
import type { Session } from '../session.ts';
import { withPodVolumes } from '../volumes/startPodVolumes.ts';
import { readItemState } from './itemState.ts';
import { type AttemptFacts, ObjectRestore } from './restoreObject.ts';
import { MustWait, type Patience } from './settle.ts';
import { suspendItem } from './suspendItem.ts';

/** A message longer than this goes to the work store; history holds its beginning (design §2). */
const LONG_MESSAGE = 1_024;
const MESSAGE_BEGINNING = 200;

/** Which turn of the item this is: its own, that of an additional item, or one that goes on after a wait. */
export type ItemTurn = Pick<RestoreItemInput, 'path' | 'resume'>;

/**
 * Restores one plan entry: reads the item, prepares it, and brings it to the API server. Every fault of the item is its outcome; an
 * item that has to wait for others says which.
 * @throws InfrastructureFault, KubernetesUnreachable, ObjectStoreError; MustWait in a group.
 */
export async function restoreOne(
  kubernetes: KubernetesApi,
  session: Session,
  index: number,
  facts: AttemptFacts,
  patience: Patience,
  turn: ItemTurn = {},
): Promise<RestoreItemResult> {
  const entry = await session.work.readPlanEntry(index);
  const ended = (result: Omit<Outcome, 'index' | 'at'>): Outcome => ({
    index,
    ...result,
    at: new Date().toISOString(),
  });

  let item: JsonObject;
  try {
    item = await session.readItem(entry);
  } catch (error) {
    if (!(error instanceof ItemDecodeError)) throw error;
    const message: Message = { level: 'error', scope: itemScope(entry.targetNamespace), text: error.message };
    return ended({ action: 'failed', reason: 'unreadable', tracked: false, messages: [message] });
  }
  const run = await runOf(session, turn);
  const prepared = await prepareItem(entry, item, session.itemContext, run).catch((error: unknown) => {
    // A volume whose name is not free yet must not hold up its neighbours.
    const waits = error instanceof InfrastructureFault && error.terminating && !patience.mayWait;
    throw waits ? new MustWait(error.message) : error;
  });
  if ('suspended' in prepared) {
    // What an action did so far is done again then: actions run at least once.
    if (!patience.mayWait) throw new MustWait(`additional items of action ${prepared.suspended.action}`);
    return suspendItem(session, entry, prepared.suspended, run);
  }
  if ('end' in prepared) return shorten(session, gathered(run, ended(prepared.end)));

  const { record } = session;
  const object = new ObjectRestore({ kubernetes, record, entry, prepared, facts, patience });
  const result = await object.run();
  const volumes = await withPodVolumes(session.itemContext, entry, object.createdObject, result);
  const restored = await withHooks(session, entry, object.createdObject, volumes);
  return shorten(session, gathered(run, ended(restored)));
}

export function isWaiting(result: RestoreItemResult): result is ItemNeeds {
  return 'needs' in result;
}

async function runOf(session: Session, { path, resume }: ItemTurn): Promise<ItemRun> {
  const honoursBuiltIn = path !== undefined;
  if (resume === undefined) return { ...freshRun(), honoursBuiltIn };
  const { action, item, messages, operations } = await readItemState(session.work, resume.stateRef);
  return {
    resumed: { actionIndex: resume.actionIndex, action, item, waited: resume.waited },
    honoursBuiltIn,
    messages: [...messages],
    operations: [...operations],
  };
}

/** Messages and operations of the run count however the item ended. */
function gathered({ messages, operations }: ItemRun, outcome: Outcome): Outcome {
  const all = [...messages, ...(outcome.messages ?? [])];
  return {
    ...outcome,
    ...(all.length > 0 ? { messages: all } : {}),
    ...(operations.length > 0 ? { operations } : {}),
  };
}

/** Moves long messages out of the outcome, which travels through workflow history. */
async function shorten(session: Session, outcome: Outcome): Promise<Outcome> {
  const messages = outcome.messages ?? [];
  if (messages.every(({ text }) => text.length <= LONG_MESSAGE)) return outcome;
  const short: Message[] = [];
  for (const [position, message] of messages.entries()) {
    if (message.text.length <= LONG_MESSAGE) {
      short.push(message);
      continue;
    }
    const ref = messageKey(session.record.restore, outcome.index, position);
    await session.work.writeText(ref, message.text);
    short.push({ ...message, text: `${message.text.slice(0, MESSAGE_BEGINNING)}…`, ref });
  }
  return { ...outcome, messages: short };
}
