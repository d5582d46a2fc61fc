import { deleteIn, type JsonObject, setIn } from '../json.ts';
import { type RestoreItemAction, updated } from './action.ts';
import { mapObjects, readBoolean, readObject, readString } from './itemFields.ts';

const SCHEMA = ['schema', 'openAPIV3Schema'];

/**
 * Replaces `spec.preserveUnknownFields: true`, which v1 CRDs must not have, by `x-kubernetes-preserve-unknown-fields: true` at the root
 * of every version's schema (spec item-actions.md §5.7). Versions without a schema and other API versions stay as they are. False is
 * what a missing field means, and how Velero writes it.
 */
export const crdPreserveFieldsAction: RestoreItemAction = {
  name: 'velero.io/crd-preserve-fields',
  appliesTo: { includedResources: ['customresourcedefinition.apiextensions.k8s.io'] },
  execute: ({ item }) => updated(withSchemaFlags(item)),
};

function withSchemaFlags(crd: JsonObject): JsonObject {
  if (readString(crd, ['apiVersion']) !== 'apiextensions.k8s.io/v1') return crd;
  if (readBoolean(crd, ['spec', 'preserveUnknownFields']) !== true) return crd;
  const flagged = mapObjects(crd, ['spec', 'versions'], (version, path) => {
    if (readObject(crd, [...path, ...SCHEMA]) === undefined) return version;
    return setIn(version, [...SCHEMA, 'x-kubernetes-preserve-unknown-fields'], true);
  });
  return deleteIn(flagged, ['spec', 'preserveUnknownFields']);
}
