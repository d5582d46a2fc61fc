/**
 * Makes the table of strategic merge keys from the OpenAPI v2 document of an API server:
 *
 *     kubectl get --raw /openapi/v2 | npx tsx tools/strategicMerge/main.ts > domain/go/strategicMergeTable.ts
 *     npx biome check --write domain/go/strategicMergeTable.ts
 */
import { readFileSync } from 'node:fs';

interface Schema {
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

const REF = '#/definitions/';
const { definitions } = JSON.parse(readFileSync(0, 'utf8')) as { readonly definitions: Record<string, Schema> };

/** `io.k8s.api.core.v1.PodSpec` → `core.v1.PodSpec`. */
function shortName(name: string): string {
  return name.replace(
    /^io\.k8s\.(?:api|apimachinery\.pkg\.apis|kube-aggregator\.pkg\.apis|apiextensions-apiserver\.pkg\.apis)\./,
    '',
  );
}

function typeOf(schema: Schema): string | undefined {
  return (schema.$ref ?? schema.items?.$ref)?.slice(REF.length);
}

/** Types from which a merge key or strategy can be reached. */
const meaningful = new Set<string>();
for (let before = -1; before < meaningful.size; ) {
  before = meaningful.size;
  for (const [name, { properties = {} }] of Object.entries(definitions)) {
    const has = Object.values(properties).some(
      (field) => field['x-kubernetes-patch-strategy'] !== undefined || meaningful.has(typeOf(field) ?? ''),
    );
    if (has) meaningful.add(name);
  }
}

const kinds: Record<string, string> = {};
const needed = new Set<string>();

function need(name: string): void {
  if (needed.has(name) || !meaningful.has(name)) return;
  needed.add(name);
  for (const field of Object.values(definitions[name]?.properties ?? {})) need(typeOf(field) ?? '');
}

for (const [name, schema] of Object.entries(definitions)) {
  const isObjectKind = schema.properties?.['metadata']?.$ref?.endsWith('.ObjectMeta') === true;
  for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
    if (!isObjectKind) continue;
    kinds[`${group === '' ? '' : `${group}/`}${version} ${kind}`] = shortName(name);
    need(name);
  }
}

const types: Record<string, Record<string, { type?: string; key?: string; strategy?: string }>> = {};
for (const name of [...needed].sort()) {
  const fields: (typeof types)[string] = {};
  for (const [field, schema] of Object.entries(definitions[name]?.properties ?? {})) {
    const type = typeOf(schema) ?? '';
    const strategy = schema['x-kubernetes-patch-strategy'];
    const key = schema['x-kubernetes-patch-merge-key'];
    if (!needed.has(type) && strategy === undefined) continue;
    fields[field] = {
      ...(needed.has(type) && { type: shortName(type) }),
      ...(key !== undefined && { key }),
      ...(strategy !== undefined && { strategy }),
    };
  }
  types[shortName(name)] = fields;
}

process.stdout.write(`/**
 * Made by tools/strategicMerge from the OpenAPI document of Kubernetes' API server (x-kubernetes-patch-merge-key, x-kubernetes-patch-strategy). Types and
 * fields from which no merge key or strategy can be reached are left out.
 */
export interface StrategicMergeField {
  /** Type of the field, or of the entries of the list. */
  readonly type?: string;
  /** What tells the entries of the list apart. */
  readonly key?: string;
  readonly strategy?: string;
}

/** Type by \`group/version kind\`; the core group has no group. */
export const STRATEGIC_MERGE_KINDS: Readonly<Record<string, string>> = ${JSON.stringify(kinds, null, 2)};

export const STRATEGIC_MERGE_TYPES: Readonly<Record<string, Readonly<Record<string, StrategicMergeField>>>> = ${JSON.stringify(types, null, 2)};
`);
