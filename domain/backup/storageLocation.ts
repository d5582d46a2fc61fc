import { parseAllDocuments } from 'yaml';
import type { z } from 'zod';
import { describeSchemaIssues, showValue } from './schemaError.ts';
import {
  STORAGE_LOCATION_FIELDS,
  storageLocationManifestSchema,
  storageLocationSpecSchema,
} from './storageLocation.schema.ts';

/** Selects one key of a Secret in Velero's namespace. */
export interface SecretKeySelector {
  readonly name: string;
  readonly key: string;
}

/** A BackupStorageLocation as far as reading and writing need it (spec backup-format.md §8). */
export interface BackupStorageLocation {
  readonly name: string;
  /** Velero's namespace, where the Secrets are. */
  readonly namespace: string;
  /** As written; `aws` means `velero.io/aws`. */
  readonly provider: string;
  readonly bucket: string;
  readonly prefix: string;
  /** PEM text. */
  readonly caCert: string | undefined;
  readonly caCertRef: SecretKeySelector | undefined;
  readonly credential: SecretKeySelector | undefined;
  readonly config: Readonly<Record<string, string>>;
  readonly accessMode: 'ReadWrite' | 'ReadOnly';
  readonly default: boolean;
}

export class StorageLocationError extends Error {
  readonly type = 'InvalidStorageLocation';
  constructor(message: string) {
    super(message);
    this.name = 'StorageLocationError';
  }
}

/** Name of a location that is given by its bare `spec`, and Velero's own name of the first location. */
export const DEFAULT_LOCATION_NAME = 'default';
const DEFAULT_NAMESPACE = 'velero';

function fromSpec(
  name: string,
  namespace: string,
  spec: z.infer<typeof storageLocationSpecSchema>,
): BackupStorageLocation {
  const { bucket, prefix, caCert, caCertRef } = spec.objectStorage;
  if (caCert !== undefined && caCertRef !== undefined) {
    throw new StorageLocationError('cannot specify both caCert and caCertRef in objectStorage');
  }
  return {
    name,
    namespace,
    provider: spec.provider,
    bucket,
    prefix: prefix ?? '',
    caCert: caCert === undefined ? undefined : decodeBase64(caCert),
    caCertRef,
    credential: spec.credential,
    config: spec.config ?? {},
    accessMode: spec.accessMode ?? 'ReadWrite',
    default: spec.default ?? false,
  };
}

function decodeBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

function checked<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = describeSchemaIssues(value, result.error.issues, STORAGE_LOCATION_FIELDS);
  throw new StorageLocationError(`${where}: ${problems.join('; ')}`);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads one BackupStorageLocation: a manifest, or just its `spec` (then called `default`).
 * @param where names the source in messages.
 * @throws StorageLocationError naming each wrong field, its value and what was expected.
 */
export function readStorageLocation(value: unknown, where: string): BackupStorageLocation {
  if (isMap(value) && ('kind' in value || 'metadata' in value || 'spec' in value)) {
    const { metadata, spec } = checked(storageLocationManifestSchema, value, where);
    return fromSpec(metadata.name, metadata.namespace ?? DEFAULT_NAMESPACE, spec);
  }
  return fromSpec(DEFAULT_LOCATION_NAME, DEFAULT_NAMESPACE, checked(storageLocationSpecSchema, value, where));
}

function documentsOf(text: string, where: string): unknown[] {
  return parseAllDocuments(text, { prettyErrors: false })
    .map((document) => {
      const [error] = document.errors;
      if (error !== undefined) {
        const line = text.slice(0, error.pos[0]).split('\n').length;
        throw new StorageLocationError(`${where}: line ${line}: not YAML or JSON (${error.code})`);
      }
      try {
        return document.toJS({ maxAliasCount: 100 }) as unknown;
      } catch {
        throw new StorageLocationError(`${where}: not YAML or JSON (an alias cannot be resolved)`);
      }
    })
    .filter((value) => value !== null && value !== undefined)
    .flatMap((value) => (isMap(value) && Array.isArray(value['items']) ? (value['items'] as unknown[]) : [value]));
}

/**
 * Reads a file of storage locations, YAML or JSON: one or more documents, each a BackupStorageLocation, the `spec` of one,
 * or a list with `items`.
 * @param where names the file in messages.
 * @throws StorageLocationError
 */
export function parseStorageLocations(text: string, where: string): BackupStorageLocation[] {
  const documents = documentsOf(text, where);
  const locations = documents.map((value, index) =>
    readStorageLocation(value, documents.length === 1 ? where : `${where}, location ${index + 1}`),
  );
  if (locations.length === 0) throw new StorageLocationError(`${where}: no BackupStorageLocation in it`);
  const names = locations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new StorageLocationError(
      `${where}: metadata.name: found ${showValue('name', twice)} twice, expected different names`,
    );
  }
  return locations;
}

/**
 * The location called `name`; without a name the only one, or the one that says `default: true`, or the one called `default`.
 * @throws StorageLocationError
 */
export function selectStorageLocation(
  locations: readonly BackupStorageLocation[],
  name: string | undefined,
): BackupStorageLocation {
  const names = locations.map((location) => location.name).join(', ');
  if (name !== undefined) {
    const found = locations.find((location) => location.name === name);
    if (found === undefined) throw new StorageLocationError(`no BackupStorageLocation "${name}", there are: ${names}`);
    return found;
  }
  const [only, ...others] = locations;
  if (only !== undefined && others.length === 0) return only;
  const found =
    locations.find((location) => location.default) ??
    locations.find((location) => location.name === DEFAULT_LOCATION_NAME);
  if (found === undefined)
    throw new StorageLocationError(`none of the BackupStorageLocations ${names} is the default one: name one`);
  return found;
}

/** The provider with Velero's default namespace, as plugins are registered. */
export function providerName({ provider }: BackupStorageLocation): string {
  return provider.includes('/') ? provider : `velero.io/${provider}`;
}
