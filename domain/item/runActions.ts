import type { RestoreItemActionOutput } from '../actions/action.ts';
import { ActionError } from '../actions/actionError.ts';
import type { ResolvedAction } from '../actions/appliesTo.ts';
import { checkOutput } from '../actions/checkOutput.ts';
import { isBuiltInAction } from '../actions/registry.ts';
import { getObject, getStringMap, type JsonObject, setIn, withoutKeys } from '../json.ts';
import type { PlanEntry } from '../plan/planEntry.ts';
import { itemScope } from '../results/outcome.ts';
import type { ItemRun, ResumedItem, SuspendedItem } from './itemRun.ts';
import type { ItemContext } from './prepareItem.ts';

const MUST_INCLUDE = 'restore.velero.io/must-include-additional-items';

export type ActionsEnd =
  | { readonly item: JsonObject }
  | { readonly skipRestore: true }
  | { readonly suspended: SuspendedItem };

/**
 * Runs the item's actions one after another, from the beginning or behind the action at which it stopped (spec
 * restore-pipeline.md §14). Additional items that the plan holds anyway do not stop it.
 * @throws whatever an action throws; ActionError.
 */
export async function runActions(
  item: JsonObject,
  itemFromBackup: JsonObject,
  entry: PlanEntry,
  context: ItemContext,
  run: ItemRun,
): Promise<ActionsEnd> {
  let current = item;
  const { actions, restore, backup, cluster, objects } = context;
  for (let actionIndex = firstAction(actions, run.resumed); actionIndex < actions.length; actionIndex++) {
    const resolved = actions[actionIndex];
    if (resolved === undefined || !applies(resolved, entry, current)) continue;
    const { action } = resolved;
    const answer = await action.execute({ item: current, itemFromBackup, restore, backup, cluster, objects });
    const isBuiltIn = isBuiltInAction(action);
    const output = isBuiltIn ? answer : checked(action.name, answer, entry, run);
    if (output.operationId !== undefined) {
      run.operations.push({
        action: action.name,
        operationId: output.operationId,
        created: new Date().toISOString(),
      });
    }
    if (output.skipRestore) return { skipRestore: true };
    const { item: taken, mustInclude } = takeMustInclude(output.item);
    current = taken;
    if (isBuiltIn && !run.honoursBuiltIn) continue;
    const suspended = suspend({ ...output, item: taken }, resolved, actionIndex, mustInclude);
    if (suspended !== undefined) return { suspended };
  }
  return { item: current };
}

function applies(resolved: ResolvedAction, entry: PlanEntry, item: JsonObject): boolean {
  return resolved.appliesTo({
    groupResource: entry.groupResource,
    targetNamespace: entry.targetNamespace,
    labels: getStringMap(item, ['metadata', 'labels']),
  });
}

function checked(action: string, answer: unknown, entry: PlanEntry, run: ItemRun): RestoreItemActionOutput {
  const { output, warnings } = checkOutput(action, answer);
  for (const text of warnings) run.messages.push({ level: 'warning', scope: itemScope(entry.targetNamespace), text });
  return output;
}

/** An action that asks to wait but cannot be asked about it is always ready (spec plugin-protocol.md §10). */
function suspend(
  output: RestoreItemActionOutput,
  { action }: ResolvedAction,
  actionIndex: number,
  mustInclude: boolean,
): SuspendedItem | undefined {
  const waits = output.waitForAdditionalItems === true && action.areAdditionalItemsReady !== undefined;
  if (output.additionalItems.length === 0 && !waits) return undefined;
  return {
    actionIndex,
    action: action.name,
    item: output.item,
    additionalItems: output.additionalItems,
    ...(mustInclude ? { mustInclude } : {}),
    waitTimeoutMs: waits ? (output.additionalItemsReadyTimeoutMs ?? 0) : undefined,
  };
}

/** An action may ask by an annotation that its additional items are restored whatever the filters say; the annotation never gets into the cluster. */
function takeMustInclude(item: JsonObject): { readonly item: JsonObject; readonly mustInclude: boolean } {
  const annotations = getObject(item, ['metadata', 'annotations']);
  if (annotations === undefined || !Object.hasOwn(annotations, MUST_INCLUDE)) return { item, mustInclude: false };
  const kept = withoutKeys(annotations, [MUST_INCLUDE]);
  return { item: setIn(item, ['metadata', 'annotations'], kept), mustInclude: annotations[MUST_INCLUDE] === 'true' };
}

/** Another worker may have other actions: the name counts, the position only tells two of the same name apart. */
function firstAction(actions: readonly ResolvedAction[], resumed: ResumedItem | undefined): number {
  if (resumed === undefined) return 0;
  if (actions[resumed.actionIndex]?.action.name === resumed.action) return resumed.actionIndex + 1;
  const found = actions.findIndex(({ action }) => action.name === resumed.action);
  if (found < 0)
    throw new ActionError('ActionUnknown', `action ${resumed.action}, at which the item waited, is not at this worker`);
  return found + 1;
}
