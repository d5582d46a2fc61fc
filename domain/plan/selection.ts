import { labelSelectorMatcher } from '../kubernetes/labelSelector.ts';
import type { ResourceTable } from '../kubernetes/resourceTable.ts';
import { NON_RESTORABLE_RESOURCES } from '../restore/nonRestorable.ts';
import type { RestoreSpec } from '../restore/restore.ts';
import { IncludesExcludes, resourceIncludesExcludes } from '../selection/includesExcludes.ts';

/** Restored whatever the resource, namespace and label filters say (spec restore-pipeline.md §9). */
const MUST_HAVE_RESOURCES: ReadonlySet<string> = new Set([
  'datauploads.velero.io',
  'volumesnapshotcontents.snapshot.storage.k8s.io',
]);

/**
 * The API server keeps an IPAddress for each Service address and removes those that belong to none: restoring the old ones
 * only makes noise. Intended difference to Velero.
 */
const LEFT_TO_THE_API_SERVER: ReadonlySet<string> = new Set(['ipaddresses.networking.k8s.io']);

type LabelMatcher = (labels: Record<string, string>) => boolean;

function labelMatcher(spec: RestoreSpec): LabelMatcher | undefined {
  const matchers: LabelMatcher[] = [];
  if (spec.labelSelector !== undefined) matchers.push(labelSelectorMatcher(spec.labelSelector));
  const or = (spec.orLabelSelectors ?? []).map((selector) => labelSelectorMatcher(selector));
  if (or.length > 0) matchers.push((labels) => or.some((matches) => matches(labels)));
  if (matchers.length === 0) return undefined;
  return (labels) => matchers.every((matches) => matches(labels));
}

/** Which items of a backup a Restore asks for (spec restore-pipeline.md §9). */
export class Selection {
  readonly namespaces: IncludesExcludes;
  readonly resources: IncludesExcludes;
  /** Undefined where the Restore has no label selector. */
  readonly matchesLabels: LabelMatcher | undefined;
  private readonly includeClusterResources: boolean | undefined;

  /**
   * @param table what the API server serves, together with what the backup's CRDs will make it serve.
   * @throws LabelSelectorError for a selector that cannot be read.
   */
  constructor(spec: RestoreSpec, table: ResourceTable) {
    this.namespaces = new IncludesExcludes(spec.includedNamespaces, spec.excludedNamespaces);
    this.resources = resourceIncludesExcludes(
      spec.includedResources,
      [...(spec.excludedResources ?? []), ...NON_RESTORABLE_RESOURCES],
      table,
    );
    this.matchesLabels = labelMatcher(spec);
    this.includeClusterResources = spec.includeClusterResources;
  }

  hasResource(groupResource: string): boolean {
    if (LEFT_TO_THE_API_SERVER.has(groupResource)) return false;
    return MUST_HAVE_RESOURCES.has(groupResource) || this.resources.shouldInclude(groupResource);
  }

  /** Whether label selectors are asked at all for this resource. */
  isMustHave(groupResource: string): boolean {
    return MUST_HAVE_RESOURCES.has(groupResource);
  }

  /** An item picked directly, before label selectors. @param namespace original; undefined for cluster scope. */
  selects(groupResource: string, namespace: string | undefined): boolean {
    if (!this.hasResource(groupResource)) return false;
    if (namespace === undefined) return this.selectsClusterScope();
    return this.isMustHave(groupResource) || this.namespaces.shouldInclude(namespace);
  }

  /** An item that an action asks for; label selectors are never applied to it. */
  allowsAdditional(groupResource: string, namespace: string | undefined): boolean {
    if (!this.hasResource(groupResource)) return false;
    if (namespace === undefined) return this.includeClusterResources !== false;
    return this.isMustHave(groupResource) || this.namespaces.shouldInclude(namespace);
  }

  private selectsClusterScope(): boolean {
    return this.includeClusterResources ?? this.namespaces.includesEverything();
  }
}
