import { createHash } from 'node:crypto';
import { defaultRestoreOptions, type RestoreInput, type RestoreOptions } from '../domain/contract.ts';
import { DNS_SUBDOMAIN_RULE, isDnsSubdomain } from '../domain/restore/dnsName.ts';
import type { RestoreManifest } from '../domain/restore/restoreManifest.ts';
import { validateRestore } from '../domain/restore/validate.ts';
import { InvalidRestoreRequest, RestoreValidationFailed } from './errors.ts';

/** Velero's own namespace: a part of every restore's identity. */
export const DEFAULT_VELERO_NAMESPACE = 'velero';
const DEFAULT_STORAGE_LOCATION = 'default';

export interface StartOptions {
  /** Name of the BackupStorageLocation among those the workers know. Default `default`. */
  readonly storageLocation?: string | undefined;
  /** What Velero keeps in server flags, and how parallel the restore is. */
  readonly options?: Partial<RestoreOptions> | undefined;
  /** Default: that of the restore's cluster. */
  readonly taskQueue?: string | undefined;
  /** Small facts of the caller's own to keep with the restore; readable by all who may see the Temporal namespace. */
  readonly memo?: Readonly<Record<string, string>> | undefined;
  /** Gets remarks that are no errors: missing search attributes, another spec than that of the running restore. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** Facts kept with every restore, for those who list restores. */
export interface RestoreMemo {
  readonly restoreUid: string;
  readonly backupName: string;
  readonly storageLocation: string;
  /** Tells whether two requests of one name ask for the same. */
  readonly requestHash: string;
}

export interface RestoreRequest {
  readonly input: RestoreInput;
  readonly memo: RestoreMemo & Readonly<Record<string, string>>;
}

/**
 * Completes what a caller asked for.
 * @param uid used where the restore brings none.
 * @throws InvalidRestoreRequest, and RestoreValidationFailed for what the spec alone shows to be wrong.
 */
export function toRestoreRequest(
  cluster: string,
  restore: RestoreManifest,
  uid: string,
  start: StartOptions,
): RestoreRequest {
  checkName('name', restore.name);
  const namespace = restore.namespace ?? DEFAULT_VELERO_NAMESPACE;
  checkName('namespace', namespace);
  const { errors } = validateRestore(restore.spec, { name: restore.name, namespace });
  if (errors.length > 0) throw new RestoreValidationFailed(restore.name, errors);

  const storageLocation = start.storageLocation ?? DEFAULT_STORAGE_LOCATION;
  const options = { ...defaultRestoreOptions, ...start.options };
  checkOptions(options);
  const whole = { ...restore, namespace, uid: restore.uid ?? uid };
  return {
    input: { cluster, restore: whole, storageLocation, options, useSearchAttributes: true },
    memo: {
      ...start.memo,
      restoreUid: whole.uid,
      backupName: sourceOf(restore),
      storageLocation,
      requestHash: requestHash(restore, start),
    },
  };
}

/** The same for two requests that ask for the same restore, whatever its name. */
export function requestHash({ spec }: Pick<RestoreManifest, 'spec'>, start: StartOptions): string {
  const storageLocation = start.storageLocation ?? DEFAULT_STORAGE_LOCATION;
  return hashOf({ spec, storageLocation, options: { ...defaultRestoreOptions, ...start.options } });
}

/** A cluster's name is a part of task queue and workflow ids. @throws InvalidRestoreRequest */
export function checkCluster(cluster: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(cluster)) return;
  throw new InvalidRestoreRequest(
    `cluster: found ${JSON.stringify(cluster)}, expected letters, digits, '.', '_' and '-', at most 100`,
  );
}

function checkName(field: string, value: string): void {
  if (isDnsSubdomain(value)) return;
  throw new InvalidRestoreRequest(
    `${field} of the restore: found ${JSON.stringify(value)}, expected ${DNS_SUBDOMAIN_RULE}`,
  );
}

function checkOptions({ shards, window, itemsPerActivity }: RestoreOptions): void {
  checkCount('shards', shards, 1, 64);
  checkCount('window', window, 1, 100);
  checkCount('items per activity', itemsPerActivity, 0, 500);
}

function checkCount(what: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new InvalidRestoreRequest(`${what}: found ${value}, expected a whole number from ${least} to ${most}`);
}

/** What the restore is made from, for lists: a backup's name, or the schedule whose newest backup it will be. */
function sourceOf({ spec }: RestoreManifest): string {
  if (spec.backupName !== undefined && spec.backupName !== '') return spec.backupName;
  return `newest of schedule ${spec.scheduleName ?? ''}`;
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
    .slice(0, 16);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]));
}
