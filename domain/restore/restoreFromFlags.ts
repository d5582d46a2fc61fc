import {
  parseBoolFlag,
  parseDurationFlag,
  parseIntegerFlag,
  parseListFlag,
  parseMapFlag,
  RestoreFlagsError,
} from './flagValues.ts';
import { parseOrSelectorFlag, parseSelectorFlag } from './labelSelectorFlag.ts';
import type { ExistingResourcePolicy, RestoreSpec } from './restore.ts';
import type { RestoreManifest } from './restoreManifest.ts';

/** Values of the flags of `restore create` as typed (spec cli-and-status.md §2); a list flag's last use counts. */
export interface RestoreFlags {
  /** The argument, not a flag. */
  readonly name?: string | undefined;
  readonly fromBackup?: string | undefined;
  readonly fromSchedule?: string | undefined;
  readonly includeNamespaces?: string | undefined;
  readonly excludeNamespaces?: string | undefined;
  readonly includeResources?: string | undefined;
  readonly excludeResources?: string | undefined;
  readonly statusIncludeResources?: string | undefined;
  readonly statusExcludeResources?: string | undefined;
  /** Every use. */
  readonly namespaceMappings?: readonly string[] | undefined;
  /** Every use. */
  readonly labels?: readonly string[] | undefined;
  /** Every use. */
  readonly annotations?: readonly string[] | undefined;
  readonly existingResourcePolicy?: string | undefined;
  readonly selector?: string | undefined;
  readonly orSelector?: string | undefined;
  /** True where the flag has no value. */
  readonly restoreVolumes?: boolean | string | undefined;
  readonly preserveNodeports?: boolean | string | undefined;
  readonly includeClusterResources?: boolean | string | undefined;
  readonly itemOperationTimeout?: string | undefined;
  readonly resourceModifierConfigmap?: string | undefined;
  readonly writeSparseFiles?: boolean | string | undefined;
  readonly parallelFilesDownload?: string | undefined;
}

/**
 * The Restore that the flags of `restore create` describe, as Velero's command line would make it. Without a name it is called
 * `<schedule or backup>-<YYYYMMDDhhmmss>`.
 * @param now for that name; in local time.
 * @throws RestoreFlagsError for the first thing that is wrong, in Velero's words and order: flags that cannot be read, then sources,
 * selectors, policy, parallel downloads.
 */
export function restoreFromFlags(flags: RestoreFlags, namespace: string, now: Date): RestoreManifest {
  const spec = specOf(flags);
  const labels = parseOptional(flags.labels, (uses) => parseMapFlag('labels', uses, '='));
  const annotations = parseOptional(flags.annotations, (uses) => parseMapFlag('annotations', uses, '='));
  checkSpec(spec);
  return {
    name: flags.name ?? `${spec.scheduleName ?? spec.backupName ?? ''}-${timestamp(now)}`,
    namespace,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    spec,
  };
}

function specOf(flags: RestoreFlags): RestoreSpec {
  const list = (flag: string, value: string | undefined): string[] | undefined =>
    parseOptional(value, (text) => parseListFlag(flag, text));
  const bool = (flag: string, value: boolean | string | undefined): boolean | undefined =>
    parseOptional(value, (text) => parseBoolFlag(flag, text));
  const statusIncludes = list('status-include-resources', flags.statusIncludeResources);
  const statusExcludes = list('status-exclude-resources', flags.statusExcludeResources);
  const modifier = flags.resourceModifierConfigmap ?? '';
  return withoutUndefined({
    backupName: flags.fromBackup === '' ? undefined : flags.fromBackup,
    scheduleName: flags.fromSchedule === '' ? undefined : flags.fromSchedule,
    includedNamespaces: list('include-namespaces', flags.includeNamespaces) ?? ['*'],
    excludedNamespaces: list('exclude-namespaces', flags.excludeNamespaces),
    includedResources: list('include-resources', flags.includeResources),
    excludedResources: list('exclude-resources', flags.excludeResources),
    namespaceMapping: parseOptional(flags.namespaceMappings, (uses) => parseMapFlag('namespace-mappings', uses, ':')),
    labelSelector: parseOptional(flags.selector, (text) => parseSelectorFlag('selector', text)),
    orLabelSelectors: parseOptional(flags.orSelector, (text) => parseOrSelectorFlag('or-selector', text)),
    restorePVs: bool('restore-volumes', flags.restoreVolumes),
    preserveNodePorts: bool('preserve-nodeports', flags.preserveNodeports),
    includeClusterResources: bool('include-cluster-resources', flags.includeClusterResources),
    existingResourcePolicy: policyOf(flags.existingResourcePolicy),
    itemOperationTimeout: parseOptional(flags.itemOperationTimeout, (text) =>
      parseDurationFlag('item-operation-timeout', text),
    ),
    // Velero leaves the excludes out of account without includes.
    restoreStatus:
      statusIncludes && withoutUndefined({ includedResources: statusIncludes, excludedResources: statusExcludes }),
    resourceModifier: modifier === '' ? undefined : { apiGroup: '', kind: 'configmap', name: modifier },
    uploaderConfig: withoutUndefined({
      writeSparseFiles: bool('write-sparse-files', flags.writeSparseFiles),
      parallelFilesDownload: parseOptional(flags.parallelFilesDownload, (text) =>
        parseIntegerFlag('parallel-files-download', text),
      ),
    }),
  });
}

/** Checked afterwards, because Velero complains about other things first. */
function policyOf(text: string | undefined): ExistingResourcePolicy | undefined {
  return text === '' ? undefined : (text as ExistingResourcePolicy | undefined);
}

function checkSpec(spec: RestoreSpec): void {
  if ((spec.backupName === undefined) === (spec.scheduleName === undefined)) {
    throw new RestoreFlagsError('either a backup or schedule must be specified, but not both');
  }
  if (spec.labelSelector !== undefined && spec.orLabelSelectors !== undefined) {
    throw new RestoreFlagsError("either a 'selector' or an 'or-selector' can be specified, but not both");
  }
  if (!['none', 'update', undefined].includes(spec.existingResourcePolicy)) {
    throw new RestoreFlagsError('existing-resource-policy has invalid value, it accepts only none, update as value');
  }
  if ((spec.uploaderConfig?.parallelFilesDownload ?? 0) < 0) {
    throw new RestoreFlagsError('parallel-files-download cannot be negative');
  }
}

function parseOptional<T, R>(value: T | undefined, parse: (value: T) => R): R | undefined {
  return value === undefined ? undefined : parse(value);
}

function withoutUndefined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

function timestamp(now: Date): string {
  const parts = [now.getMonth() + 1, now.getDate(), now.getHours(), now.getMinutes(), now.getSeconds()];
  return `${now.getFullYear()}${parts.map((part) => String(part).padStart(2, '0')).join('')}`;
}
