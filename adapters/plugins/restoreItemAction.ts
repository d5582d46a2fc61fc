import type {
  OperationProgress,
  ResourceIdentifier,
  ResourceSelector,
  RestoreItemAction,
  RestoreItemActionInput,
  RestoreItemActionOutput,
} from '../../domain/actions/action.ts';
import { describeJsonError } from '../../domain/backup/parseItem.ts';
import { getString, isObject, type Json, type JsonObject } from '../../domain/json.ts';
import { parseJson, renderJson } from '../../domain/jsonText.ts';
import type { Restore } from '../../domain/restore/restore.ts';
import { PluginError } from './pluginError.ts';
import { type CallSpec, type PluginHost, unaryCall } from './pluginHost.ts';
import { pluginRestore } from './pluginRestore.ts';
import type { ServiceName } from './protocol.ts';
import { type Duration, durationMs, type Timestamp, timestampText } from './protocolTime.ts';

/** Velero sets none; without one a plugin that hangs would hold its item for ever. */
const TIMEOUTS_MS = { AppliesTo: 60_000, Execute: 600_000, Progress: 60_000, Cancel: 60_000 } as const;
/** Below the limit of a readiness check (design §4). */
const READY_TIMEOUT_MS = 4_500;

interface ExecuteResponse {
  readonly item: Uint8Array;
  readonly additionalItems: readonly ResourceIdentifier[];
  readonly skipRestore: boolean;
  readonly operationID?: string;
  readonly waitForAdditionalItems?: boolean;
  readonly additionalItemsReadyTimeout?: Duration | null;
}

interface AppliesToResponse {
  readonly ResourceSelector?: {
    readonly includedNamespaces: readonly string[];
    readonly excludedNamespaces: readonly string[];
    readonly includedResources: readonly string[];
    readonly excludedResources: readonly string[];
    readonly selector: string;
  } | null;
}

interface ProgressResponse {
  readonly progress?: {
    readonly completed: boolean;
    readonly err: string;
    readonly nCompleted: string;
    readonly nTotal: string;
    readonly operationUnits: string;
    readonly description: string;
    readonly started?: Timestamp | null;
    readonly updated?: Timestamp | null;
  } | null;
}

const text = new TextDecoder();

function bytesOf(value: Json): Uint8Array {
  return Buffer.from(renderJson(value));
}

/**
 * A plugin's action in our own shape (spec plugin-protocol.md §6.3, §6.4, §10): version 1 knows neither operations nor waits. Every call may be
 * made twice: a plugin that dies in the middle of one is started again.
 * @throws PluginError where the action does not tell what it applies to.
 */
export async function openRestoreItemAction(
  host: PluginHost,
  name: string,
  version: 1 | 2,
): Promise<RestoreItemAction> {
  const service: ServiceName = version === 1 ? 'generated.RestoreItemAction' : 'v2.RestoreItemAction';
  const spec = (method: keyof typeof TIMEOUTS_MS): CallSpec => ({
    service,
    method,
    timeoutMs: TIMEOUTS_MS[method],
    repeatable: true,
  });
  let selector: ResourceSelector = {};
  try {
    // Each new process is asked again: that makes the plugin's handler, which must not be done by two at once.
    await host.prime(async (process) => {
      selector = selectorOf(await unaryCall<AppliesToResponse>(process, spec('AppliesTo'), { plugin: name }));
    });
  } catch (error) {
    const cause = error instanceof PluginError ? error : host.callError(spec('AppliesTo'), error);
    throw new PluginError(cause.type, `action ${name} of plugin ${host.path}: ${cause.message}`, { cause: error });
  }

  const base: RestoreItemAction = {
    name,
    appliesTo: selector,
    execute: async (input) => {
      const response = await host.call<ExecuteResponse>(spec('Execute'), executeRequest(name, input));
      return outputOf(host, name, response);
    },
  };
  if (version === 1) return base;
  return {
    ...base,
    areAdditionalItemsReady: async (additionalItems, { restore }) => {
      const method = 'AreAdditionalItemsReady';
      const { ready } = await host.call<{ ready: boolean }>(
        { service, method, timeoutMs: READY_TIMEOUT_MS, repeatable: true },
        { plugin: name, restore: restoreBytes(restore), additionalItems },
      );
      return ready;
    },
    progress: async (operationID, { restore }) =>
      progressOf(
        host,
        name,
        await host.call<ProgressResponse>(spec('Progress'), {
          plugin: name,
          operationID,
          restore: restoreBytes(restore),
        }),
      ),
    cancel: async (operationID, { restore }) => {
      await host.call(spec('Cancel'), { plugin: name, operationID, restore: restoreBytes(restore) });
    },
  };
}

/** Neither changes during a restore, and both are large: written once for all items. */
const restores = new WeakMap<Restore, Uint8Array>();

function restoreBytes(restore: Restore): Uint8Array {
  const known = restores.get(restore) ?? bytesOf(pluginRestore(restore));
  restores.set(restore, known);
  return known;
}

function executeRequest(plugin: string, { item, itemFromBackup, restore }: RestoreItemActionInput): object {
  return { plugin, item: bytesOf(item), restore: restoreBytes(restore), itemFromBackup: bytesOf(itemFromBackup) };
}

function outputOf(host: PluginHost, name: string, response: ExecuteResponse): RestoreItemActionOutput {
  const timeoutMs = durationMs(response.additionalItemsReadyTimeout);
  const operationId = response.operationID ?? '';
  return {
    item: itemOf(host, name, response.item),
    additionalItems: response.additionalItems,
    skipRestore: response.skipRestore,
    ...(operationId === '' ? {} : { operationId }),
    ...(response.waitForAdditionalItems === true ? { waitForAdditionalItems: true } : {}),
    ...(timeoutMs === 0 ? {} : { additionalItemsReadyTimeoutMs: timeoutMs }),
  };
}

/** Content is never told: the item may be a Secret. */
function itemOf(host: PluginHost, name: string, bytes: Uint8Array): JsonObject {
  const refuse = (what: string): PluginError =>
    new PluginError('PluginAnswer', `item in the answer of action ${name} of plugin ${host.name}: ${what}`);
  const answer = text.decode(bytes);
  let item: Json;
  try {
    item = parseJson(answer);
  } catch (error) {
    throw refuse(describeJsonError(answer, error));
  }
  if (!isObject(item)) throw refuse('expected a JSON object');
  if ((getString(item, ['kind']) ?? '') === '') throw refuse(`Object 'Kind' is missing`);
  return item;
}

function selectorOf({ ResourceSelector: selector }: AppliesToResponse): ResourceSelector {
  if (selector == null) return {};
  const { includedNamespaces, excludedNamespaces, includedResources, excludedResources } = selector;
  return {
    includedNamespaces,
    excludedNamespaces,
    includedResources,
    excludedResources,
    ...(selector.selector === '' ? {} : { labelSelector: selector.selector }),
  };
}

function progressOf(host: PluginHost, name: string, { progress }: ProgressResponse): OperationProgress {
  if (progress == null)
    throw new PluginError('PluginAnswer', `action ${name} of plugin ${host.name} answered Progress without a progress`);
  const started = timestampText(progress.started);
  const updated = timestampText(progress.updated);
  return {
    completed: progress.completed,
    ...(progress.err === '' ? {} : { error: progress.err }),
    nCompleted: Number(progress.nCompleted),
    nTotal: Number(progress.nTotal),
    operationUnits: progress.operationUnits,
    description: progress.description,
    ...(started === undefined ? {} : { started }),
    ...(updated === undefined ? {} : { updated }),
  };
}
