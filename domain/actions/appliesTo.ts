import { parseLabelSelector } from '../kubernetes/labelSelector.ts';
import type { ResourceTable } from '../kubernetes/resourceTable.ts';
import { messageOf } from '../messageOf.ts';
import { IncludesExcludes, resourceIncludesExcludes } from '../selection/includesExcludes.ts';
import type { ResourceSelector, RestoreItemAction } from './action.ts';
import { ActionError } from './actionError.ts';

/** The item that an action may apply to, as it is just before that action would run. */
export interface ActionCandidate {
  /** `resource.group` of the item in the backup. */
  readonly groupResource: string;
  /** Where the item will be; undefined for cluster-scoped items. */
  readonly targetNamespace: string | undefined;
  /** Current labels: an earlier action may have changed them. */
  readonly labels: Record<string, string>;
}

export interface ResolvedAction {
  readonly action: RestoreItemAction;
  appliesTo(candidate: ActionCandidate): boolean;
}

/**
 * Prepares to ask which items the actions apply to (spec restore-pipeline.md §14): resource names are resolved once, those that
 * `table` does not know stay literal. An action applies if its resource filter has the group-resource, its namespace filter has the
 * *target* namespace (for cluster-scoped items it must have everything) and its label selector matches.
 * @throws ActionError `ActionSelectorInvalid` for a label selector that cannot be parsed: the restore cannot begin.
 */
export function resolveActions(actions: readonly RestoreItemAction[], table: ResourceTable): ResolvedAction[] {
  return actions.map((action) => ({ action, appliesTo: candidateFilter(action, table) }));
}

function candidateFilter({ name, appliesTo }: RestoreItemAction, table: ResourceTable): ResolvedAction['appliesTo'] {
  const resources = resourceIncludesExcludes(appliesTo.includedResources, appliesTo.excludedResources, table);
  const namespaces = new IncludesExcludes(appliesTo.includedNamespaces, appliesTo.excludedNamespaces);
  const matchesLabels = labelFilter(name, appliesTo);
  return ({ groupResource, targetNamespace, labels }) => {
    if (!resources.shouldInclude(groupResource)) return false;
    const inNamespace =
      targetNamespace === undefined || targetNamespace === ''
        ? namespaces.includesEverything()
        : namespaces.shouldInclude(targetNamespace);
    return inNamespace && matchesLabels(labels);
  };
}

function labelFilter(
  actionName: string,
  { labelSelector }: ResourceSelector,
): (labels: Record<string, string>) => boolean {
  if (labelSelector === undefined || labelSelector === '') return () => true;
  try {
    return parseLabelSelector(labelSelector);
  } catch (error) {
    const reason = messageOf(error);
    throw new ActionError(
      'ActionSelectorInvalid',
      `label selector ${JSON.stringify(labelSelector)} of action ${actionName}: ${reason}`,
      { cause: error },
    );
  }
}
