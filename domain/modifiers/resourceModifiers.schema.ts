import { z } from 'zod';

/** sigs.k8s.io/yaml makes text of plain numbers and truth values where the field is a text. */
const text = z.preprocess((value) => {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : value;
}, z.string());
const texts = z.array(text).default([]);

const labelSelector = z.strictObject({
  matchLabels: z.record(z.string(), text).optional(),
  matchExpressions: z.array(z.strictObject({ key: text, operator: text, values: texts })).optional(),
});

const conditions = z.strictObject({
  namespaces: texts,
  groupResource: text.optional(),
  resourceNameRegex: text.optional(),
  labelSelector: labelSelector.optional(),
  matches: z.array(z.strictObject({ path: text.optional(), value: text.optional() })).default([]),
});

const patch = z.strictObject({
  operation: text.optional(),
  from: text.optional(),
  path: text.optional(),
  value: text.optional(),
});

const patchData = z.array(z.strictObject({ patchData: text.optional() })).default([]);

const rule = z.strictObject({
  conditions: conditions.optional(),
  patches: z.array(patch).default([]),
  mergePatches: patchData,
  strategicPatches: patchData,
});

/** The data of a resource modifier ConfigMap (spec restore-pipeline.md §16), nulls left out; unknown fields are errors, as in Velero. */
export const resourceModifiersSchema = z.strictObject({
  version: text.optional(),
  resourceModifierRules: z.array(rule).default([]),
});

export type ModifierConditions = z.output<typeof conditions>;
export type ModifierPatch = z.output<typeof patch>;
export type ModifierRule = z.output<typeof rule>;
export type ModifierDocument = z.output<typeof resourceModifiersSchema>;

const FIELDS: readonly [RegExp, z.ZodObject][] = [
  [
    /^resourceModifierRules\.\d+\.conditions\.labelSelector\.matchExpressions\.\d+$/,
    z.strictObject({ key: text, operator: text, values: texts }),
  ],
  [/^resourceModifierRules\.\d+\.conditions\.labelSelector$/, labelSelector],
  [/^resourceModifierRules\.\d+\.conditions\.matches\.\d+$/, z.strictObject({ path: text, value: text })],
  [/^resourceModifierRules\.\d+\.conditions$/, conditions],
  [/^resourceModifierRules\.\d+\.patches\.\d+$/, patch],
  [/^resourceModifierRules\.\d+\.(?:mergePatches|strategicPatches)\.\d+$/, z.strictObject({ patchData: text })],
  [/^resourceModifierRules\.\d+$/, rule],
  [/^$/, resourceModifiersSchema],
];

/** Names of the fields that the object at a path may have. */
export function knownModifierFields(path: readonly PropertyKey[]): string[] {
  const at = path.map(String).join('.');
  const found = FIELDS.find(([pattern]) => pattern.test(at));
  return found === undefined ? [] : Object.keys(found[1].shape);
}
