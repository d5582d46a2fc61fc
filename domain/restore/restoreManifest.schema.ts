import { z } from 'zod';
import { parseGoDuration } from '../go/duration.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';

const text = z.string();
const list = z.array(text);
const map = z.record(text, text);

const labelSelector = z.strictObject({
  matchLabels: map.optional(),
  matchExpressions: z.array(z.strictObject({ key: text, operator: text, values: list.optional() })).optional(),
});

const duration = text.refine(isDuration, 'a Go duration such as 4h or 1h30m');

function isDuration(value: string): boolean {
  try {
    parseGoDuration(value);
    return true;
  } catch {
    return false;
  }
}

/** `spec` of a Restore, field by field as in spec restore-pipeline.md §2. */
const restoreSpecSchema = z.strictObject({
  backupName: text.optional(),
  scheduleName: text.optional(),
  includedNamespaces: list.optional(),
  excludedNamespaces: list.optional(),
  includedResources: list.optional(),
  excludedResources: list.optional(),
  namespaceMapping: map.optional(),
  labelSelector: labelSelector.optional(),
  orLabelSelectors: z.array(labelSelector).optional(),
  restorePVs: z.boolean().optional(),
  restoreStatus: z.strictObject({ includedResources: list.optional(), excludedResources: list.optional() }).optional(),
  preserveNodePorts: z.boolean().optional(),
  includeClusterResources: z.boolean().optional(),
  hooks: z.custom<JsonObject>((value) => isObject(value as Json), 'a map').optional(),
  existingResourcePolicy: text.optional(),
  itemOperationTimeout: duration.optional(),
  resourceModifier: z.strictObject({ apiGroup: text.optional(), kind: text, name: text }).optional(),
  uploaderConfig: z
    .strictObject({ writeSparseFiles: z.boolean().optional(), parallelFilesDownload: z.int().optional() })
    .optional(),
});

/** A whole manifest. Metadata and status hold whatever the API server put there. */
export const restoreManifestSchema = z.strictObject({
  apiVersion: z.literal('velero.io/v1'),
  kind: z.literal('Restore'),
  metadata: z.looseObject({
    name: text.min(1, 'a name'),
    namespace: text.optional(),
    uid: text.optional(),
    labels: map.optional(),
    annotations: map.optional(),
  }),
  spec: restoreSpecSchema.optional(),
  status: z.unknown().optional(),
});

/** The names of the fields that an object of the manifest can have, for messages. */
export function knownFields(path: readonly PropertyKey[]): string[] {
  let schema: unknown = restoreManifestSchema;
  for (const key of path) schema = childSchema(schema, key);
  const object = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function childSchema(schema: unknown, key: PropertyKey): unknown {
  if (schema instanceof z.ZodOptional) return childSchema(schema.unwrap(), key);
  if (schema instanceof z.ZodArray) return schema.element;
  if (!(schema instanceof z.ZodObject)) return undefined;
  return (schema.shape as Record<PropertyKey, unknown>)[key];
}
