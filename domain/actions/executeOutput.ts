import { GoDurationError, parseGoDuration } from '../go/duration.ts';
import type { JsonObject } from '../json.ts';
import type { ResourceIdentifier, RestoreItemActionOutput } from './action.ts';
import { ActionError } from './actionError.ts';

/**
 * An action's output, put together step by step; every step gives a new output (spec item-actions.md §1.2):
 *
 *     return new RestoreItemActionExecuteOutput(item).withAdditionalItems(claims).withItemsWait('5m');
 */
export class RestoreItemActionExecuteOutput implements RestoreItemActionOutput {
  readonly item: JsonObject;
  readonly additionalItems: readonly ResourceIdentifier[];
  readonly skipRestore: boolean;
  readonly operationId?: string;
  readonly waitForAdditionalItems?: boolean;
  readonly additionalItemsReadyTimeoutMs?: number;

  /** @param item the item as it is to go on; `more` is for the steps below. */
  constructor(item: JsonObject, more: Partial<Omit<RestoreItemActionOutput, 'item'>> = {}) {
    this.item = item;
    this.additionalItems = more.additionalItems ?? [];
    this.skipRestore = more.skipRestore ?? false;
    if (more.operationId !== undefined) this.operationId = more.operationId;
    if (more.waitForAdditionalItems !== undefined) this.waitForAdditionalItems = more.waitForAdditionalItems;
    if (more.additionalItemsReadyTimeoutMs !== undefined) {
      this.additionalItemsReadyTimeoutMs = more.additionalItemsReadyTimeoutMs;
    }
  }

  /** The item is not restored; nor are its additional items. */
  withoutRestore(): RestoreItemActionExecuteOutput {
    return this.with({ skipRestore: true });
  }

  /** Restored now, in this order, before the remaining actions; beside those of earlier calls. */
  withAdditionalItems(items: readonly ResourceIdentifier[]): RestoreItemActionExecuteOutput {
    return this.with({ additionalItems: [...this.additionalItems, ...items] });
  }

  /**
   * The action has started something that goes on: `progress` will be asked about it when all items are restored.
   * @throws ActionError `ActionOutputInvalid` for an empty id.
   */
  withOperationId(operationId: string): RestoreItemActionExecuteOutput {
    if (operationId === '') throw invalid('operationId: expected a text, it is empty');
    return this.with({ operationId });
  }

  /**
   * The item waits until `areAdditionalItemsReady` says yes.
   * @param timeout a Go duration, e.g. `90s`; left out or `0`: the restore's resource timeout (10 min).
   * @throws ActionError `ActionOutputInvalid` for another text and for a negative duration.
   */
  withItemsWait(timeout = '0'): RestoreItemActionExecuteOutput {
    return this.with({ waitForAdditionalItems: true, additionalItemsReadyTimeoutMs: timeoutMs(timeout) });
  }

  private with(more: Partial<RestoreItemActionOutput>): RestoreItemActionExecuteOutput {
    const { item, additionalItems, skipRestore, operationId, waitForAdditionalItems } = this;
    const { additionalItemsReadyTimeoutMs } = this;
    const steps = { additionalItems, skipRestore };
    return new RestoreItemActionExecuteOutput(item, {
      ...steps,
      ...(operationId === undefined ? {} : { operationId }),
      ...(waitForAdditionalItems === undefined ? {} : { waitForAdditionalItems }),
      ...(additionalItemsReadyTimeoutMs === undefined ? {} : { additionalItemsReadyTimeoutMs }),
      ...more,
    });
  }
}

function timeoutMs(timeout: string): number {
  try {
    const ms = parseGoDuration(timeout);
    if (ms >= 0) return ms;
  } catch (error) {
    if (!(error instanceof GoDurationError)) throw error;
    throw invalid(`additionalItemsReadyTimeout: ${error.message}`);
  }
  throw invalid(`additionalItemsReadyTimeout: expected a duration of 0 or more, got ${JSON.stringify(timeout)}`);
}

function invalid(message: string): ActionError {
  return new ActionError('ActionOutputInvalid', message);
}
