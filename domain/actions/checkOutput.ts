import { isObject } from '../json.ts';
import type { ResourceIdentifier, RestoreItemActionOutput } from './action.ts';
import { ActionError } from './actionError.ts';

/** An output whose values are what they say, with what was odd about them. */
export interface CheckedOutput {
  readonly output: RestoreItemActionOutput;
  readonly warnings: readonly string[];
}

/**
 * Sees to it that what somebody's action answered can be worked with. A negative timeout is a warning and counts as none, so that the
 * item is restored as Velero would.
 * @throws ActionError `ActionOutputInvalid` with action, field, and what was expected there; values are never told.
 */
export function checkOutput(action: string, answer: unknown): CheckedOutput {
  const invalid = (field: string, expected: string): ActionError =>
    new ActionError('ActionOutputInvalid', `${field} in the output of action ${action}: expected ${expected}`);
  const given = answer as Partial<RestoreItemActionOutput> | null | undefined;
  if (typeof given !== 'object' || given === null) throw invalid('everything', 'an object');
  const { item } = given;
  if (!isObject(item)) throw invalid('item', 'an object');
  if (typeof item['kind'] !== 'string' || item['kind'] === '') throw invalid('item.kind', 'a text');
  const identifiers: readonly unknown[] = given.additionalItems ?? [];
  if (!Array.isArray(identifiers)) throw invalid('additionalItems', 'a list');
  const additionalItems = identifiers.map((one, position): ResourceIdentifier => {
    if (isIdentifier(one)) return one;
    throw invalid(`additionalItems[${position}]`, 'texts group, resource, namespace and name');
  });
  const operationId: unknown = given.operationId ?? '';
  if (typeof operationId !== 'string') throw invalid('operationId', 'a text');
  const timeoutMs: unknown = given.additionalItemsReadyTimeoutMs ?? 0;
  if (typeof timeoutMs !== 'number' || Number.isNaN(timeoutMs))
    throw invalid('additionalItemsReadyTimeoutMs', 'a number of milliseconds');
  return {
    output: {
      item,
      additionalItems,
      skipRestore: given.skipRestore === true,
      ...(operationId === '' ? {} : { operationId }),
      ...(given.waitForAdditionalItems === true ? { waitForAdditionalItems: true } : {}),
      ...(timeoutMs > 0 ? { additionalItemsReadyTimeoutMs: timeoutMs } : {}),
    },
    warnings:
      timeoutMs < 0
        ? [
            `additionalItemsReadyTimeout of action ${action} is negative (${timeoutMs} ms): the restore's resource timeout is used instead`,
          ]
        : [],
  };
}

function isIdentifier(value: unknown): value is ResourceIdentifier {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Partial<Record<keyof ResourceIdentifier, unknown>>;
  return [fields.group, fields.resource, fields.namespace, fields.name].every((field) => typeof field === 'string');
}
