import type { RestoreItemAction } from '../domain/actions/action.ts';
import type { Activities, AdditionalItemsReadiness } from '../domain/contract.ts';
import { KubernetesUnreachable } from '../domain/kubernetes/api.ts';
import { messageOf } from '../domain/messageOf.ts';
import { runActivity } from './activity.ts';
import { InfrastructureFault } from './infrastructureFault.ts';
import type { Sessions } from './session.ts';

/**
 * Asks an action once whether the items that it asked for are ready (spec item-actions.md §1.4). An action that cannot be asked is
 * always ready.
 * @throws what is the infrastructure's fault: the question is worth asking again.
 */
export function areAdditionalItemsReady(sessions: Sessions): Activities['areAdditionalItemsReady'] {
  return ({ ref, stateRef, missing }) =>
    runActivity(async (): Promise<AdditionalItemsReadiness> => {
      const { state, action, context } = await sessions.waitingItem(ref, stateRef);
      const isMissing = new Set(missing);
      const items = state.needs.flatMap(({ identifier }, position) =>
        identifier === undefined || isMissing.has(position) ? [] : [identifier],
      );
      if (action === undefined) return { failed: `action ${state.action} is not at this worker` };
      return ask(action, items, context);
    });
}

async function ask(
  action: RestoreItemAction,
  ...[items, context]: Parameters<NonNullable<RestoreItemAction['areAdditionalItemsReady']>>
): Promise<AdditionalItemsReadiness> {
  try {
    return { ready: (await action.areAdditionalItemsReady?.(items, context)) ?? true };
  } catch (error) {
    if (error instanceof InfrastructureFault || error instanceof KubernetesUnreachable) throw error;
    return { failed: messageOf(error) };
  }
}
