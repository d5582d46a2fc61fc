import type { LabelSelector, RestoreSpec, RestoreStatus } from '../restore/restore.ts';
import type { Result } from '../results/results.ts';
import { tristate } from './describeLines.ts';
import { formatLabelSelector } from './formatLabelSelector.ts';
import type { RestoreDescription } from './restoreDescription.ts';

const INDENT = 4;

/**
 * A restore as JSON for programs (spec cli-and-status.md §6.1, our own addition): the shape of Velero's structured description of a
 * backup, with lists as lists. Keys whose value is not known are left out.
 * @returns indented text with a line end.
 */
export function describeRestoreJson({
  restore,
  status,
  results,
  resourceList,
  volumeInfo,
  itemOperations,
  hooks,
  waits,
  extra,
}: RestoreDescription): string {
  const { name, namespace, uid, labels = {}, annotations = {}, spec } = restore;
  const description = {
    metadata: { name, namespace, uid, labels, annotations },
    phase: status.phase,
    validationErrors: status.validationErrors,
    failureReason: status.failureReason,
    warnings: resultOf(results?.warnings),
    errors: resultOf(results?.errors),
    spec: specOf(spec),
    status: { ...statusOf(status), resourceList, volumes: volumeInfo, itemOperations, hooks, waits },
    workflow: extra && { id: extra.workflowId, uiUrl: extra.uiUrl },
  };
  return `${JSON.stringify(description, exact, INDENT)}\n`;
}

/** Integers that a double cannot hold become text: a number would lose digits in most readers. */
function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function resultOf(result: Result | undefined): object | undefined {
  if (result === undefined) return undefined;
  return { velero: result.velero ?? [], cluster: result.cluster ?? [], namespaces: result.namespaces ?? {} };
}

function specOf(spec: RestoreSpec): object {
  return {
    backup: spec.backupName,
    schedule: spec.scheduleName,
    namespaces: { included: spec.includedNamespaces ?? ['*'], excluded: spec.excludedNamespaces ?? [] },
    resources: {
      included: spec.includedResources ?? ['*'],
      excluded: spec.excludedResources ?? [],
      clusterScoped: tristate(spec.includeClusterResources, 'included', 'excluded'),
    },
    restoreStatus: spec.restoreStatus,
    namespaceMappings: spec.namespaceMapping ?? {},
    labelSelector: selectorText(spec.labelSelector),
    orLabelSelectors: spec.orLabelSelectors?.map(formatLabelSelector),
    restorePVs: tristate(spec.restorePVs, 'true', 'false'),
    existingResourcePolicy: spec.existingResourcePolicy === '' ? undefined : spec.existingResourcePolicy,
    itemOperationTimeout: spec.itemOperationTimeout,
    preserveNodePorts: tristate(spec.preserveNodePorts, 'true', 'false'),
    resourceModifier: spec.resourceModifier && { type: spec.resourceModifier.kind, name: spec.resourceModifier.name },
    uploaderConfig: spec.uploaderConfig,
  };
}

function selectorText(selector: LabelSelector | undefined): string | undefined {
  return selector === undefined ? undefined : formatLabelSelector(selector);
}

/** As in the text, the numbers of a running restore are called estimates. */
function statusOf({
  phase,
  startTimestamp,
  completionTimestamp,
  progress,
  hookStatus,
  warnings,
  errors,
  restoreItemOperationsAttempted,
  restoreItemOperationsCompleted,
  restoreItemOperationsFailed,
}: RestoreStatus): object {
  const isRunning = phase === 'InProgress';
  return {
    started: startTimestamp,
    completed: completionTimestamp,
    [isRunning ? 'estimatedTotalItemsToBeRestored' : 'totalItemsToBeRestored']: progress?.totalItems,
    [isRunning ? 'itemsRestoredSoFar' : 'itemsRestored']: progress?.itemsRestored,
    warnings: warnings ?? 0,
    errors: errors ?? 0,
    itemOperationsAttempted: restoreItemOperationsAttempted,
    itemOperationsCompleted: restoreItemOperationsCompleted,
    itemOperationsFailed: restoreItemOperationsFailed,
    hooksAttempted: hookStatus && (hookStatus.hooksAttempted ?? 0),
    hooksFailed: hookStatus && (hookStatus.hooksFailed ?? 0),
  };
}
