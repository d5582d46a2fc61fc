import { deleteIn, getObject, getString, type JsonObject, setIn, withoutKeys } from '../json.ts';

const BINDING_ANNOTATIONS: readonly string[] = [
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
];

/**
 * Makes a PersistentVolume or claim forget to which object it was bound, but not by name (spec restore-pipeline.md §12,
 * Who provisioned a volume stays.
 */
export function resetVolumeBinding(item: JsonObject): JsonObject {
  const unbound = deleteIn(deleteIn(item, ['spec', 'claimRef', 'uid']), ['spec', 'claimRef', 'resourceVersion']);
  const annotations = getObject(unbound, ['metadata', 'annotations']);
  if (annotations === undefined) return unbound;
  return setIn(unbound, ['metadata', 'annotations'], withoutKeys(annotations, BINDING_ANNOTATIONS));
}

/** A volume's claim follows the namespace mapping. */
export function mapClaimNamespace(volume: JsonObject, mapping: Readonly<Record<string, string>>): JsonObject {
  const namespace = getString(volume, ['spec', 'claimRef', 'namespace']);
  const target = namespace !== undefined && Object.hasOwn(mapping, namespace) ? mapping[namespace] : undefined;
  return target === undefined ? volume : setIn(volume, ['spec', 'claimRef', 'namespace'], target);
}

/** The claim's side of the binding, after the item actions (spec restore-pipeline.md §13). */
export function resetClaim(claim: JsonObject, options: { dropVolumeName: boolean }): JsonObject {
  if ((getString(claim, ['spec', 'volumeName']) ?? '') === '') return claim;
  const unbound = resetVolumeBinding(claim);
  return options.dropVolumeName ? deleteIn(unbound, ['spec', 'volumeName']) : unbound;
}
