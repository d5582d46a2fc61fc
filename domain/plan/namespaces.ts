import type { RestoreSpec } from '../restore/restore.ts';
import type { Message } from '../results/outcome.ts';
import { IncludesExcludes } from '../selection/includesExcludes.ts';
import type { PlanEntry } from './planEntry.ts';
import type { BackupItem, PlanSource } from './planSource.ts';
import type { Selection } from './selection.ts';

/**
 * The namespaces to ensure: those that chosen items need, and those whose own objects were picked. The namespace filter does not keep
 * the latter away, resource filter and label selectors do (spec restore-pipeline.md §10; W11: said in one warning).
 */
export function planNamespaces(input: {
  readonly spec: RestoreSpec;
  readonly source: PlanSource;
  readonly selection: Selection;
  /** Names of the Namespace objects that were picked. */
  readonly picked: Iterable<string>;
  readonly drafts: Iterable<BackupItem>;
}): { entries: Omit<PlanEntry, 'index'>[]; messages: Message[] } {
  const { spec, source, selection } = input;
  const needed = new Set<string>();
  for (const { namespace } of input.drafts) if (namespace !== undefined) needed.add(namespace);

  const messages = unmatchedIncludes(spec, source);
  const extra = [...input.picked].filter((name) => !needed.has(name) && !selection.namespaces.shouldInclude(name));
  if (extra.length > 0) {
    const text = `includeClusterResources also creates the namespaces that the filter leaves out: ${extra.sort().join(', ')}`;
    messages.push({ level: 'warning', scope: 'velero', text });
  }
  for (const name of input.picked) needed.add(name);
  const entries = [...needed].sort().map((name) => namespaceEntry(spec, name));
  return { entries, messages };
}

function namespaceEntry(spec: RestoreSpec, name: string): Omit<PlanEntry, 'index'> {
  const mapping = spec.namespaceMapping ?? {};
  const targetName = Object.hasOwn(mapping, name) ? mapping[name] : name;
  return { groupResource: 'namespaces', apiVersion: 'v1', kind: 'Namespace', name, targetName };
}

/** Velero is silent about an include that matches nothing, and its user finds out when it is too late. */
function unmatchedIncludes(spec: RestoreSpec, source: PlanSource): Message[] {
  const includes = (spec.includedNamespaces ?? []).filter((pattern) => pattern !== '*');
  if (includes.length === 0) return [];
  const known = new Set<string>();
  for (const { groupResource, namespace, name } of source.entries()) {
    if (namespace !== undefined) known.add(namespace);
    else if (groupResource === 'namespaces') known.add(name);
  }
  const matchesNothing = (pattern: string): boolean => {
    const filter = new IncludesExcludes([pattern]);
    return ![...known].some((namespace) => filter.shouldInclude(namespace));
  };
  return includes.filter(matchesNothing).map((pattern) => ({
    level: 'warning',
    scope: 'velero',
    text: `included namespace ${JSON.stringify(pattern)} matches no namespace of the backup`,
  }));
}
