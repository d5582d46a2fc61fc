import { type Document, parseAllDocuments } from 'yaml';
import { describeSchemaIssues } from '../backup/schemaError.ts';
import type { JsonObject } from '../json.ts';
import type { Restore, RestoreSpec } from './restore.ts';
import { knownFields, restoreManifestSchema } from './restoreManifest.schema.ts';

/** A Restore as a user writes it: namespace and uid may be missing. */
export interface RestoreManifest extends Omit<Restore, 'namespace' | 'uid'> {
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
}

export class RestoreManifestError extends Error {
  readonly type = 'InvalidRestoreManifest';
  constructor(readonly problems: readonly string[]) {
    super(`invalid Restore manifest: ${problems.join('; ')}`);
    this.name = 'RestoreManifestError';
  }
}

/** Of containers in hooks the fields are Kubernetes' business, and `null` may mean something there. */
const KEPT_AS_WRITTEN = 'hooks';

/**
 * Reads the manifest of one Velero Restore (spec restore-pipeline.md §2), YAML 1.2 or JSON. What the API server adds (status, other
 * metadata) is let pass, and `null` means absent as in Kubernetes. Unknown fields and wrong types are errors. Whether the values make
 * sense, the existing-resource policy among them, is for `validateRestore` to say in Velero's words.
 * @throws RestoreManifestError with every problem: the field, its value and what was expected.
 */
export function parseRestoreManifest(text: string): RestoreManifest {
  const value = dropNulls(readDocument(text));
  const checked = restoreManifestSchema.safeParse(value);
  if (!checked.success) {
    const problems = checked.error.issues.flatMap((issue) => {
      return describeSchemaIssues(value, [issue], `one of ${knownFields(issue.path).join(', ')}`);
    });
    throw new RestoreManifestError(problems);
  }
  const { metadata, spec } = checked.data;
  const { name, namespace, uid, labels, annotations } = metadata;
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    // The policy may be any text: a Restore with a wrong one exists, in phase FailedValidation.
    spec: (spec ?? {}) as RestoreSpec,
  };
}

/** The Restore as a manifest, for `--output yaml` and `json`; what is not set is left out. */
export function toManifestObject({ name, namespace, uid, labels, annotations, spec }: RestoreManifest): JsonObject {
  const manifest = {
    apiVersion: 'velero.io/v1',
    kind: 'Restore',
    metadata: { name, namespace, uid, labels, annotations },
    spec,
  };
  return withoutUndefined(manifest) as JsonObject;
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutUndefined(child)]));
}

/** Documents without content, as behind a last `---`, do not count. */
function readDocument(text: string): unknown {
  const documents = parseAllDocuments(text, { prettyErrors: false, uniqueKeys: true, merge: true, intAsBigInt: true });
  const problems = documents.flatMap((document) => syntaxProblems(text, document));
  if (problems.length > 0) throw new RestoreManifestError(problems);
  const values = documents.map(toValue).filter((value) => value !== null && value !== undefined);
  if (values.length === 1) return values[0];
  throw new RestoreManifestError([`found ${values.length} documents, expected one Restore`]);
}

function syntaxProblems(text: string, document: Document): string[] {
  return [...document.errors, ...document.warnings].map(({ pos, message }) => {
    const lines = text.slice(0, pos[0]).split('\n');
    return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: ${message}`;
  });
}

function toValue(document: Document): unknown {
  try {
    return toPlainIntegers([], document.toJS({ maxAliasCount: 100 }) as unknown);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new RestoreManifestError([error.message]);
  }
}

/** No field of a Restore or of a container in it holds greater integers, and they would not survive the way to a worker. */
function toPlainIntegers(path: readonly (string | number)[], value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (Number.isSafeInteger(Number(value))) return Number(value);
    throw new RestoreManifestError([`${path.join('.')}: found ${value.toString()}, expected an integer below 2^53`]);
  }
  if (Array.isArray(value)) return value.map((child: unknown, index) => toPlainIntegers([...path, index], child));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, toPlainIntegers([...path, key], child)] as const);
  return Object.fromEntries(entries);
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(
    entries.map(([key, child]) => [key, key === KEPT_AS_WRITTEN ? (child as unknown) : dropNulls(child)]),
  );
}
