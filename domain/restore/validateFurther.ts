import { compileGlob, GlobSyntaxError } from '../go/glob.ts';
import { LabelSelectorError, labelSelectorMatcher } from '../kubernetes/labelSelector.ts';
import { DNS_LABEL_RULE, DNS_SUBDOMAIN_RULE, isDnsLabel, isDnsSubdomain } from './dnsName.ts';
import type { LabelSelector, RestoreSpec } from './restore.ts';

/**
 * What Velero does not check, or finds out only in the middle of a restore: the name, label selectors, globs, mapping
 * targets, and what this software does not do yet. Each text names the field, its value and what was expected.
 */
export function validateFurther(name: string, spec: RestoreSpec): { errors: string[]; warnings: string[] } {
  const mapping = Object.entries(spec.namespaceMapping ?? {});
  return {
    errors: [
      ...nameErrors(name),
      ...selectorErrors(spec),
      ...globErrors(spec),
      ...mapping.flatMap(targetErrors),
      ...uploaderErrors(spec),
    ],
    warnings: [...mapping.flatMap(sourceWarnings), ...sharedTargetWarnings(mapping), ...unsupportedWarnings(spec)],
  };
}

function nameErrors(name: string): string[] {
  if (isDnsSubdomain(name)) return [];
  return [`metadata.name: found ${JSON.stringify(name)}, expected ${DNS_SUBDOMAIN_RULE}`];
}

function selectorErrors({ labelSelector, orLabelSelectors }: RestoreSpec): string[] {
  const selectors: [string, LabelSelector][] = (orLabelSelectors ?? []).map((one, index) => [
    `orLabelSelectors.${index}`,
    one,
  ]);
  if (labelSelector !== undefined) selectors.unshift(['labelSelector', labelSelector]);
  return selectors.flatMap(([field, selector]) => selectorError(field, selector) ?? []);
}

function selectorError(field: string, selector: LabelSelector): string | undefined {
  try {
    labelSelectorMatcher(selector);
    return undefined;
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return `spec.${field}.${error.field}: found ${JSON.stringify(error.value)}, expected ${error.expected}`;
  }
}

function globErrors(spec: RestoreSpec): string[] {
  const lists = {
    includedNamespaces: spec.includedNamespaces,
    excludedNamespaces: spec.excludedNamespaces,
    includedResources: spec.includedResources,
    excludedResources: spec.excludedResources,
    'restoreStatus.includedResources': spec.restoreStatus?.includedResources,
    'restoreStatus.excludedResources': spec.restoreStatus?.excludedResources,
  };
  return Object.entries(lists).flatMap(([field, list]) => {
    return (list ?? []).flatMap((pattern, index) => globError(`spec.${field}.${index}`, pattern) ?? []);
  });
}

function globError(field: string, pattern: string): string | undefined {
  try {
    compileGlob(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof GlobSyntaxError)) throw error;
    return `${field}: ${error.message}`;
  }
}

function targetErrors([source, target]: [string, string]): string[] {
  if (isDnsLabel(target)) return [];
  return [
    `spec.namespaceMapping.${source}: found ${JSON.stringify(target)}, expected the name of a namespace: ${DNS_LABEL_RULE}`,
  ];
}

/** Sources are names, not globs: a namespace that was meant would be restored into itself. */
function sourceWarnings([source]: [string, string]): string[] {
  if (isDnsLabel(source)) return [];
  return [`spec.namespaceMapping: ${JSON.stringify(source)} can be no namespace's name, so nothing is mapped by it`];
}

function sharedTargetWarnings(mapping: [string, string][]): string[] {
  const targets = new Map<string, string[]>();
  for (const [source, target] of mapping) targets.set(target, [...(targets.get(target) ?? []), source]);
  return [...targets]
    .filter(([, sources]) => sources.length > 1)
    .map(([target, sources]) => {
      const list = sources.sort().join(', ');
      return `spec.namespaceMapping: the namespaces ${list} are all mapped to ${target}: of items with the same name only one is restored`;
    });
}

function uploaderErrors({ uploaderConfig }: RestoreSpec): string[] {
  const parallel = uploaderConfig?.parallelFilesDownload ?? 0;
  if (Number.isInteger(parallel) && parallel >= 0) return [];
  return [`spec.uploaderConfig.parallelFilesDownload: found ${parallel}, expected an integer of at least 0`];
}

function unsupportedWarnings({ resourceModifier }: RestoreSpec): string[] {
  const warnings: string[] = [];
  if (resourceModifier !== undefined && !isConfigMap(resourceModifier.kind)) {
    const kind = JSON.stringify(resourceModifier.kind);
    warnings.push(
      `spec.resourceModifier.kind: found ${kind}, expected "configmap": the resource modifier is ignored, as in Velero`,
    );
  }
  return warnings;
}

function isConfigMap(kind: string): boolean {
  return kind.toLowerCase() === 'configmap';
}
