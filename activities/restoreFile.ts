import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { type RestoreFile, restoreFileKey } from '../domain/backup/layout.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';

/** Compresses text as it comes and stores it as one of Velero's restore files: the log of a large restore is long. */
export async function writeRestoreFile(
  store: ObjectStore,
  restoreName: string,
  file: RestoreFile,
  text: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const compressed = await buffer(Readable.from(text).pipe(createGzip()));
  await store.put(restoreFileKey(restoreName, file), compressed);
}
