import type { Backup } from '../backup/backup.ts';
import { parseGoDuration } from '../go/duration.ts';
import { validateHooks } from '../hooks/validateHooks.ts';
import { validateIncludesExcludes } from '../selection/includesExcludes.ts';
import { NON_RESTORABLE_RESOURCES } from './nonRestorable.ts';
import type { RestoreSpec } from './restore.ts';
import { validateFurther } from './validateFurther.ts';

/** Velero's own default of `--default-item-operation-timeout`. */
const DEFAULT_ITEM_OPERATION_TIMEOUT = '4h0m0s';
const EXISTING_RESOURCE_POLICIES: readonly (string | undefined)[] = [undefined, '', 'none', 'update'];

export interface RestoreValidation {
  /** With the non-restorable resources among the excludes and the default timeout, also where there are errors. */
  readonly spec: RestoreSpec;
  readonly errors: string[];
  readonly warnings: string[];
}

/**
 * Checks a Restore as far as no cluster and no backup are needed. First come rules 0 to 8 of spec restore-pipeline.md §3, in Velero's
 * order and words (R-286…R-303); they end early where Velero's do.
 *
 * Then comes what Velero does not check, so this is stricter: an invalid restore name, label selectors and globs that cannot be read,
 * mapping targets that are no namespace names, a negative `parallelFilesDownload`. Warnings: several namespaces mapped to one, mapping sources that match nothing, ignored modifier kinds.
 *
 * @param where name and namespace of the Restore.
 */
export function validateRestore(
  spec: RestoreSpec,
  { name }: { readonly name: string; readonly namespace: string },
): RestoreValidation {
  const completed = completeSpec(spec);
  const further = validateFurther(name, completed);
  return { spec: completed, errors: [...veleroErrors(completed), ...further.errors], warnings: further.warnings };
}

/**
 * Early notice of what Velero does not look at (W10): only of a `Completed` backup is everything known to be there.
 */
export function backupPhaseWarnings({ name, phase }: Backup): string[] {
  if (phase === 'Completed') return [];
  const found = phase === '' ? 'New' : phase;
  return [`the phase of backup ${name} is ${found}, not Completed: whatever it lacks cannot be restored`];
}

function completeSpec(spec: RestoreSpec): RestoreSpec {
  const excluded = spec.excludedResources ?? [];
  const missing = NON_RESTORABLE_RESOURCES.filter((resource) => !excluded.includes(resource));
  return {
    ...spec,
    excludedResources: [...excluded, ...missing],
    itemOperationTimeout: isZero(spec.itemOperationTimeout)
      ? DEFAULT_ITEM_OPERATION_TIMEOUT
      : spec.itemOperationTimeout,
  };
}

/** @throws GoDurationError for a text that the manifest's schema refuses. */
function isZero(duration: string | undefined): boolean {
  return duration === undefined || parseGoDuration(duration) === 0;
}

function veleroErrors(spec: RestoreSpec): string[] {
  const errors = [
    ...NON_RESTORABLE_RESOURCES.filter((resource) => spec.includedResources?.includes(resource)).map(
      (resource) => `${resource} are non-restorable resources`,
    ),
    ...validateIncludesExcludes(spec.includedResources, spec.excludedResources).map(
      (error) => `Invalid included/excluded resource lists: ${error}`,
    ),
    ...validateIncludesExcludes(spec.includedNamespaces, spec.excludedNamespaces).map(
      (error) => `Invalid included/excluded namespace lists: ${error}`,
    ),
  ];
  if (spec.labelSelector !== undefined && spec.orLabelSelectors !== undefined) {
    errors.push('encountered labelSelector as well as orLabelSelectors in restore spec, only one can be specified');
  }
  if (!hasOneSource(spec)) {
    errors.push('Either a backup or schedule must be specified as a source for the restore, but not both');
    return errors;
  }
  errors.push(...validateHooks(spec.hooks));
  if (!EXISTING_RESOURCE_POLICIES.includes(spec.existingResourcePolicy)) {
    errors.push(`Invalid ExistingResourcePolicy: ${spec.existingResourcePolicy ?? ''}`);
  }
  return errors;
}

/** */
function hasOneSource({ backupName = '', scheduleName = '' }: RestoreSpec): boolean {
  return (backupName === '') !== (scheduleName === '');
}
