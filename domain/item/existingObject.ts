import { semanticEqual } from '../go/semanticEqual.ts';
import { getArray, getObject, getString, isObject, type Json, type JsonObject, setIn, withoutKeys } from '../json.ts';
import type { ExistingResourcePolicy } from '../restore/restore.ts';
import { createMergePatch } from './mergePatch.ts';
import { resetMetadata, resetStatus } from './resetMetadata.ts';
import { mergeServiceAccount } from './serviceAccountMerge.ts';

/** What to do about an object that exists and is not ours (spec restore-pipeline.md §18). */
export type ExistingDecision =
  | { readonly kind: 'equal' }
  | { readonly kind: 'differs' }
  /** `patch` brings the whole object to the backup's state; `labels` is what is tried where that fails. */
  | { readonly kind: 'update'; readonly patch: JsonObject; readonly labels: JsonObject | undefined }
  | { readonly kind: 'labels'; readonly labels: JsonObject }
  | { readonly kind: 'mergeServiceAccount'; readonly patch: JsonObject; readonly labels: JsonObject | undefined };

/**
 * Field ownership as far as it says something about the object: not when it was written, by whom, or how a status came
 * about. Two clusters never agree on those, and objects that differ in nothing else are equal.
 */
function comparableManagedFields(object: JsonObject): Json[] {
  const entries = (getArray(object, ['metadata', 'managedFields']) ?? []).filter(
    (entry) => (getString(entry, ['subresource']) ?? '') === '',
  );
  return entries.map((entry) => (isObject(entry) ? withoutKeys(entry, ['manager', 'time']) : entry));
}

function sameManagedFields(a: JsonObject, b: JsonObject): boolean {
  const unmatched = comparableManagedFields(b);
  for (const entry of comparableManagedFields(a)) {
    const at = unmatched.findIndex((candidate) => semanticEqual(entry, candidate));
    if (at < 0) return false;
    unmatched.splice(at, 1);
  }
  return unmatched.length === 0;
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  return isObject(metadata) ? { ...object, metadata: withoutKeys(metadata, ['managedFields']) } : object;
}

/** Whether a cluster object (already reset) equals the desired one. */
export function isEqualToBackup(live: JsonObject, desired: JsonObject): boolean {
  return semanticEqual(withoutManagedFields(live), withoutManagedFields(desired)) && sameManagedFields(live, desired);
}

function withLabels(object: JsonObject, labels: Readonly<Record<string, string>>): JsonObject {
  return Object.entries(labels).reduce(
    (labelled, [key, value]) => setIn(labelled, ['metadata', 'labels', key], value),
    object,
  );
}

/** The merge patch that writes only the two restore labels, or undefined where the object carries them. */
function labelPatch(live: JsonObject, labels: Readonly<Record<string, string>>): JsonObject | undefined {
  const missing = Object.entries(labels).filter(
    ([key, value]) => getString(live, ['metadata', 'labels', key]) !== value,
  );
  return missing.length === 0 ? undefined : { metadata: { labels: Object.fromEntries(missing) } };
}

function withoutRestoreLabels(object: JsonObject, labels: Readonly<Record<string, string>>): JsonObject {
  const own = getObject(object, ['metadata', 'labels']);
  return own === undefined ? object : setIn(object, ['metadata', 'labels'], withoutKeys(own, Object.keys(labels)));
}

/** A custom resource may be called ServiceAccount too. */
function isServiceAccount(object: JsonObject): boolean {
  return getString(object, ['apiVersion']) === 'v1' && getString(object, ['kind']) === 'ServiceAccount';
}

/**
 * Decides by the existing-resource policy. ServiceAccounts are merged whatever the policy says.
 * @param liveObject as the API server returned it.
 * @param desired the prepared item, with its restore labels.
 * @param labels the restore labels of this restore.
 * @throws ItemError where the live object has no metadata.
 */
export function decideExisting(
  liveObject: JsonObject,
  desired: JsonObject,
  labels: Readonly<Record<string, string>>,
  policy: ExistingResourcePolicy,
): ExistingDecision {
  const live = resetStatus(resetMetadata(liveObject));
  const missingLabels = labelPatch(live, labels);
  const forLabels = policy === 'update' ? missingLabels : undefined;

  if (isEqualToBackup(withLabels(live, labels), desired)) {
    return forLabels === undefined ? { kind: 'equal' } : { kind: 'labels', labels: forLabels };
  }
  if (isServiceAccount(desired)) {
    const patch = createMergePatch(live, mergeServiceAccount(live, withoutRestoreLabels(desired, labels)));
    return patch === undefined ? { kind: 'equal' } : { kind: 'mergeServiceAccount', patch, labels: forLabels };
  }
  if (policy === 'none') return { kind: 'differs' };
  const patch = createMergePatch(live, desired);
  return patch === undefined ? { kind: 'equal' } : { kind: 'update', patch, labels: forLabels };
}
