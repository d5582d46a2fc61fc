import { type RestoreClient, type RestoreDescription, RestoreNotFound, TemporalUnreachable } from '../client/index.ts';
import type { Restore, RestoreStatus } from '../domain/restore/restore.ts';
import { CommandError } from './commandError.ts';
import type { RestoreFiles } from './restoreFiles.ts';

/** A restore, from Temporal, from its files, or from both. */
export interface KnownRestore {
  readonly restore: Restore;
  readonly status: RestoreStatus;
  /** RFC 3339. */
  readonly createdAt: string | undefined;
  /** Undefined where Temporal does not know it any more. */
  readonly description: RestoreDescription | undefined;
}

/** What Temporal says of a restore, where its files are not looked at. */
export function fromDescription(description: RestoreDescription): KnownRestore {
  const { name, namespace, uid, backupName, input, status, createdAt } = description;
  const restore = input?.restore ?? { name, namespace, uid, spec: { backupName } };
  return { restore, status, createdAt, description };
}

/**
 * Finds a restore. Its files know it longer than Temporal does, and have the spec as it was completed; Temporal knows how far it is.
 * @param restores undefined where the Temporal server cannot be reached
 * @throws CommandError `RestoreNotFound`
 */
export async function lookUp(
  name: string,
  restores: RestoreClient | undefined,
  files: RestoreFiles | undefined,
): Promise<KnownRestore> {
  const [description, stored] = await Promise.all([describeIfKnown(restores, name), files?.find(name)]);
  const sameRestore =
    description === undefined || stored === undefined || stored.record.restore.uid === description.uid;
  if (description !== undefined) {
    const known = fromDescription(description);
    if (stored === undefined || !sameRestore) return known;
    const status = description.ended ? (stored.status ?? known.status) : known.status;
    return { ...known, restore: stored.record.restore, status };
  }
  if (stored !== undefined) {
    const status = stored.status ?? { phase: 'InProgress' as const };
    return { restore: stored.record.restore, status, createdAt: status.startTimestamp, description: undefined };
  }
  const places = [
    ...(restores === undefined ? [] : [`Temporal (cluster ${restores.cluster})`]),
    ...(files === undefined ? [] : [files.description]),
  ];
  throw new CommandError('RestoreNotFound', `no restore named ${JSON.stringify(name)} in ${places.join(' or in ')}`);
}

async function describeIfKnown(
  restores: RestoreClient | undefined,
  name: string,
): Promise<RestoreDescription | undefined> {
  try {
    return await restores?.get(name);
  } catch (error) {
    if (error instanceof RestoreNotFound) return undefined;
    throw error;
  }
}

/** For commands that can do without Temporal where they have the files. */
export function isWithoutTemporal(error: unknown): boolean {
  return error instanceof TemporalUnreachable || (error instanceof CommandError && error.type === 'NoLocalServer');
}
