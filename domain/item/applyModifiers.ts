import type { JsonObject } from '../json.ts';
import type { ResourceModifiers } from '../modifiers/resourceModifiers.ts';
import type { PlanEntry } from '../plan/planEntry.ts';
import { itemScope, type Message } from '../results/outcome.ts';

/**
 * Applies the Restore's resource modifiers (spec restore-pipeline.md §16), between the claim's release and the target namespace: their conditions see
 * the original namespace. What cannot be applied is an error of the item, which is restored all the same.
 * @param messages takes the errors.
 */
export function applyModifiers(
  item: JsonObject,
  entry: PlanEntry,
  modifiers: ResourceModifiers | undefined,
  messages: Message[],
): JsonObject {
  if (modifiers === undefined) return item;
  const modified = modifiers.apply(item, entry.groupResource);
  const scope = itemScope(entry.targetNamespace);
  messages.push(...modified.errors.map((text) => ({ level: 'error', scope, text }) as const));
  return modified.item;
}
