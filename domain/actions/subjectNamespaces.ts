import type { JsonObject } from '../json.ts';
import type { Restore } from '../restore/restore.ts';
import { mapObjects, readString } from './itemFields.ts';

/**
 * The binding with every `subjects[].namespace` that the restore maps replaced, whatever the subject's kind; names and
 * `roleRef` stay (spec item-actions.md §5.6).
 */
export function mapSubjectNamespaces(binding: JsonObject, restore: Restore): JsonObject {
  const mapping = restore.spec.namespaceMapping ?? {};
  if (Object.keys(mapping).length === 0) return binding;
  return mapObjects(binding, ['subjects'], (subject, path) => {
    const namespace = readString(binding, [...path, 'namespace']);
    if (namespace === undefined || !Object.hasOwn(mapping, namespace)) return subject;
    return { ...subject, namespace: mapping[namespace] ?? namespace };
  });
}
