import { createHash } from 'node:crypto';

/**
 * Hex SHA-256 of what a restore makes: the same at every attempt, so that "already exists" means that it is ours (design §3 "No random names").
 * @param key what it is made from, e.g. the name in the backup.
 */
export function deterministicHash(restoreUid: string, kind: string, key: string): string {
  return createHash('sha256').update(`${restoreUid}/${kind}/${key}`).digest('hex');
}

/** In the form of a uuid, where Velero has a random one. */
export function deterministicUuid(restoreUid: string, kind: string, key: string): string {
  const hash = deterministicHash(restoreUid, kind, key);
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-');
}
