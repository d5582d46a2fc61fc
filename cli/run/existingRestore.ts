import {
  type RestoreClient,
  type RestoreDescription,
  type RestoreManifest,
  RestoreNotFound,
} from '../../client/index.ts';
import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import type { RestoreFiles } from '../restoreFiles.ts';

/** Facts that `run` keeps with a restore: going on with it somewhere else would do damage. */
export interface RunMemo extends Readonly<Record<string, string>> {
  /** Address of the API server. */
  readonly target: string;
  /** Description of the object store. */
  readonly store: string;
}

/** What Temporal knows of the restore of that name; undefined where it knows none. */
export async function findRestore(
  restores: RestoreClient,
  name: string,
  namespace?: string,
): Promise<RestoreDescription | undefined> {
  try {
    return await restores.get(name, namespace);
  } catch (error) {
    if (error instanceof RestoreNotFound) return undefined;
    throw error;
  }
}

/**
 * The name to go on with where the command gives none: that of a restore which was asked for in the same words and has not ended.
 * Undefined where there is none.
 */
export async function findUnfinished(restores: RestoreClient, hash: string, now: RunMemo): Promise<string | undefined> {
  const running = await restores.list({ running: true });
  return running.find(
    ({ memo }) => memo['requestHash'] === hash && memo['store'] === now.store && memo['target'] === now.target,
  )?.name;
}

/**
 * Makes sure that a restore which is under way goes on where it began: into the same cluster, from the same store.
 * @throws CommandError `OtherCluster`, `OtherStore`
 */
export function checkSamePlaces({ name, memo }: RestoreDescription, now: RunMemo, sameCluster: boolean): void {
  const { target, store } = memo as Partial<RunMemo>;
  if (store !== undefined && store !== now.store) {
    throw new CommandError(
      'OtherStore',
      `restore ${name} was started from ${store}, and now from ${now.store}: give the same location, or choose another name`,
    );
  }
  if (target !== undefined && target !== now.target && !sameCluster) {
    throw new CommandError(
      'OtherCluster',
      `restore ${name} was started into ${target}, and the kubeconfig now leads to ${now.target}: choose that cluster, or give --same-cluster if only its address has changed`,
    );
  }
}

/**
 * Makes sure that a restore that Temporal does not know can be started at all, before its name is used up.
 * @throws CommandError `RestoreNameTaken` where the store has files of that name, `BackupNotFound`
 */
export async function checkCanStart({ name, spec }: RestoreManifest, files: RestoreFiles): Promise<void> {
  if (await files.hasFiles(name)) {
    throw new CommandError(
      'RestoreNameTaken',
      `a restore named ${JSON.stringify(name)} has left its files in ${files.description}: choose another name`,
      {
        exitCode: exitCodes.nameTaken,
      },
    );
  }
  const { backupName } = spec;
  if (backupName === undefined || backupName === '' || (await files.hasBackup(backupName))) return;
  throw new CommandError('BackupNotFound', `no backup named ${JSON.stringify(backupName)} in ${files.description}`);
}
