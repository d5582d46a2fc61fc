import type { RestoreClient } from '../client/index.ts';
import { connectToLook } from './connectRestores.ts';
import { errorMessage } from './errorParts.ts';
import { isWithoutTemporal } from './lookUp.ts';
import type { LocalFlags, TemporalFlags } from './options/commonOptions.ts';
import { readStorageLocation, type StorageLocationFlags } from './options/storageLocationOptions.ts';
import { RestoreFiles } from './restoreFiles.ts';
import type { Terminal } from './terminal.ts';

/** What a command that looks at restores works with; one of Temporal and the files may be missing. */
export interface OpenRestores {
  readonly restores: RestoreClient | undefined;
  readonly files: RestoreFiles | undefined;
  readonly uiUrl: string | undefined;
}

export interface LookFlags extends TemporalFlags, LocalFlags, StorageLocationFlags {
  readonly namespace: string;
}

/** The files of restores, where the flags say where they are. @throws StorageLocationError, ObjectStoreError */
export async function openFiles(flags: StorageLocationFlags): Promise<RestoreFiles | undefined> {
  const location = await readStorageLocation(flags);
  return location === undefined ? undefined : await RestoreFiles.open(location);
}

/** Runs `work` with Temporal and the files. Without a Temporal server the files have to do, with a note. */
export async function withRestores<T>(
  flags: LookFlags,
  terminal: Terminal,
  work: (open: OpenRestores) => Promise<T>,
): Promise<T> {
  const files = await openFiles(flags);
  let found: { readonly restores: RestoreClient | undefined; readonly uiUrl: string | undefined };
  try {
    found = await connectToLook(flags, flags.namespace);
  } catch (error) {
    if (files === undefined || !isWithoutTemporal(error)) throw error;
    terminal.note(`note: ${errorMessage(error)}; showing what is in ${files.description}`);
    found = { restores: undefined, uiUrl: undefined };
  }
  try {
    return await work({ ...found, files });
  } finally {
    await found.restores?.close();
  }
}
