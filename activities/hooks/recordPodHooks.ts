import type { RestoreRecord } from '../../domain/contract.ts';
import { podPath } from '../../domain/hooks/hook.ts';
import { selectExecHooks } from '../../domain/hooks/selectHooks.ts';
import { readSpecHooks } from '../../domain/hooks/specHooks.ts';
import { getString, getStringMap, type JsonObject } from '../../domain/json.ts';
import type { PlanEntry } from '../../domain/plan/planEntry.ts';
import type { Message, Outcome } from '../../domain/results/outcome.ts';
import type { HookStore } from './hookStore.ts';

type Result = Omit<Outcome, 'index' | 'at'>;

/**
 * Finds out which commands are to run in a pod that was just created, and writes them to the work store (spec hooks.md §7). Doing it
 * again changes nothing. Other items, and pods that could not be finished, are left as they are.
 * @param live as the API server created it, webhooks included; undefined where this restore did not.
 */
export async function withHooks(
  { record, work }: { readonly record: Pick<RestoreRecord, 'restore'>; readonly work: { readonly hooks: HookStore } },
  { index, groupResource }: Pick<PlanEntry, 'index' | 'groupResource'>,
  live: JsonObject | undefined,
  result: Result,
): Promise<Result> {
  const hasError = (result.messages ?? []).some(({ level }) => level === 'error');
  if (live === undefined || groupResource !== 'pods' || result.action !== 'created' || hasError) return result;
  const annotations = getStringMap(live, ['metadata', 'annotations']);
  const selected = selectExecHooks(live, annotations, readSpecHooks(record.restore.spec.hooks));
  if (selected.hooks.length === 0) return result;
  const pod = await work.hooks.recordPod(index, {
    namespace: getString(live, ['metadata', 'namespace']) ?? '',
    name: getString(live, ['metadata', 'name']) ?? '',
    uid: getString(live, ['metadata', 'uid']) ?? '',
    createdAt: new Date().toISOString(),
    ...selected,
  });
  const warnings = pod.warnings.map((text): Message => {
    return { level: 'warning', scope: { namespace: pod.namespace }, text: `pod ${podPath(pod)}: ${text}` };
  });
  const messages = [...(result.messages ?? []), ...warnings];
  return {
    ...result,
    ...(messages.length > 0 ? { messages } : {}),
    hookPod: { index, pod: podPath(pod), hooks: pod.hooks.length },
  };
}
