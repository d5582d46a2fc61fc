import { messageKey } from '../../domain/backup/layout.ts';
import { ItemDecodeError } from '../../domain/backup/parseItem.ts';
import { prepareItem } from '../../domain/item/prepareItem.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import { itemScope, type Message, type Outcome } from '../../domain/results/outcome.ts';
import type { Session } from '../session.ts';
import { type AttemptFacts, ObjectRestore } from './restoreObject.ts';
import type { Patience } from './settle.ts';

/** A message longer than this goes to the work store; history holds its beginning (design §2). */
const LONG_MESSAGE = 1_024;
const MESSAGE_BEGINNING = 200;

/**
 * Restores one plan entry: reads the item, prepares it, and brings it to the API server. Every fault of the item is its outcome.
 * @throws InfrastructureFault, KubernetesUnreachable, ObjectStoreError; MustWait in a group.
 */
export async function restoreOne(
  kubernetes: KubernetesApi,
  session: Session,
  index: number,
  facts: AttemptFacts,
  patience: Patience,
): Promise<Outcome> {
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
  const prepared = await prepareItem(entry, item, session.itemContext);
  if ('end' in prepared) return shorten(session, ended(prepared.end));

  const { record } = session;
  const restored = await new ObjectRestore({ kubernetes, record, entry, prepared, facts, patience }).run();
  return shorten(session, ended(restored));
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
