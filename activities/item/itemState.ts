import type { ResourceIdentifier } from '../../domain/actions/action.ts';
import { resumeStateKey } from '../../domain/backup/layout.ts';
import type { NeededItem } from '../../domain/contract.ts';
import { isObject, type JsonObject } from '../../domain/json.ts';
import { parseJson, renderJson } from '../../domain/jsonText.ts';
import type { ItemOperation, Message } from '../../domain/results/outcome.ts';
import { type WorkStore, WorkStoreError } from '../workStore.ts';

/** An item that another one asks for, as the state keeps it. */
export interface KeptNeed extends NeededItem {
  /** As the action named it; left out for what only comes along with it: its namespace. */
  readonly identifier?: ResourceIdentifier | undefined;
}

/** All that is needed to go on with an item that waits for others; lies in the work store, because it holds the item itself. */
export interface ItemState {
  readonly index: number;
  readonly action: string;
  readonly item: JsonObject;
  readonly needs: readonly KeptNeed[];
  readonly messages: readonly Message[];
  readonly operations: readonly ItemOperation[];
}

/** @returns the key under which it lies, which is the same when this is done again. */
export async function writeItemState(
  work: WorkStore,
  restore: { readonly name: string; readonly uid: string },
  actionIndex: number,
  state: ItemState,
): Promise<string> {
  const key = resumeStateKey(restore, state.index, actionIndex);
  // The item may hold integers that plain JSON cannot write.
  await work.writeText(key, renderJson(state as unknown as JsonObject));
  return key;
}

/** @throws WorkStoreError where it is gone: somebody emptied the bucket under a running restore. */
export async function readItemState(work: WorkStore, key: string): Promise<ItemState> {
  const text = await work.readText(key);
  const state = text === undefined ? undefined : parseJson(text);
  if (!isObject(state)) throw new WorkStoreError(`${key} is missing: the restore's work files were removed`);
  return state as unknown as ItemState;
}
