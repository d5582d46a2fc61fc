import { backupFileKey, restoreFolder, workFolder } from '../domain/backup/layout.ts';
import type { ObjectStore } from '../domain/backup/objectStore.ts';
import type { Activities, ValidateInput, ValidateResult } from '../domain/contract.ts';
import { errorTypes } from '../domain/contract.ts';
import { parseResourcePriorities } from '../domain/plan/priorities.ts';
import type { RestoreSpec } from '../domain/restore/restore.ts';
import { pickBackupForSchedule } from '../domain/restore/schedule.ts';
import { backupPhaseWarnings, validateRestore } from '../domain/restore/validate.ts';
import { runActivity } from './activity.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { InfrastructureFault } from './infrastructureFault.ts';
import { findBackup, readAllBackups } from './readBackup.ts';
import { readModifiers } from './readModifiers.ts';
import type { Sessions } from './session.ts';

/** Clocks of several API servers may differ by a little, and the Date header has whole seconds. */
const CLOCK_MARGIN_MS = 5_000;

/**
 * Checks a restore before anything is changed (spec restore-pipeline.md §3) and records what all later activities need. Everything that
 * is wrong is told at once. What was recorded by an earlier attempt or before a reset of the workflow stands.
 */
export function validate(dependencies: ActivityDependencies, sessions: Sessions): Activities['validate'] {
  return (input) =>
    runActivity(async () => {
      const ref = { name: input.restore.name, uid: input.restore.uid, storageLocation: input.storageLocation };
      const checked = validateRestore(input.restore.spec, input.restore);
      if (checked.errors.length > 0) return invalid(checked.errors);
      parseResourcePriorities(input.options.resourcePriorities);

      const store = await dependencies.openStore(input.storageLocation);
      const work = await sessions.workStore(ref);
      const recorded = await work.findRecord();
      if (recorded !== undefined) return { valid: true, backupName: recorded.backup.name };

      const taken = await whoHasName(store, ref);
      if (taken !== undefined) return invalid([taken]);
      const source = await backupOf(store, checked.spec);
      if ('errors' in source) return invalid(source.errors);
      const backup = await findBackup(store, source.backupName);
      if (backup === undefined) return invalid([backupNotFound(input, source.backupName)]);

      const contentsKey = backupFileKey(backup.name, 'contents');
      const contents = await store.head(contentsKey);
      if (contents === undefined)
        return invalid([`backup ${backup.name}: ${contentsKey} is missing in ${store.description}`]);
      const modifiers = await readModifiers(dependencies, input.restore);
      if ('errors' in modifiers) return invalid(modifiers.errors);

      await work.writeRecord({
        restore: { ...input.restore, spec: { ...checked.spec, backupName: backup.name } },
        backup,
        archiveEtag: contents.etag,
        storageLocation: input.storageLocation,
        since: new Date((await serverClock(dependencies)).getTime() - CLOCK_MARGIN_MS).toISOString(),
        options: input.options,
        warnings: [...checked.warnings, ...backupPhaseWarnings(backup), ...modifiers.warnings],
        ...(modifiers.content === undefined ? {} : { resourceModifiers: modifiers.content }),
      });
      return { valid: true, backupName: backup.name };
    });
}

function invalid(validationErrors: readonly string[]): ValidateResult {
  return { valid: false, validationErrors };
}

function backupNotFound({ restore }: ValidateInput, backupName: string): string {
  return `Error retrieving backup: can't find backup ${restore.namespace}/${backupName}: Backup.velero.io ${JSON.stringify(backupName)} not found`;
}

/** A restore's files outlive its workflow: its name is taken until it is deleted (design §2 "Names"). */
async function whoHasName(
  store: ObjectStore,
  restore: { readonly name: string; readonly uid: string },
): Promise<string | undefined> {
  const own = workFolder(restore);
  for await (const { key } of store.list(restoreFolder(restore.name))) {
    if (!key.startsWith(own)) {
      return `a restore named ${JSON.stringify(restore.name)} has left its files in ${store.description}: choose another name, or delete that restore first`;
    }
  }
  return undefined;
}

async function backupOf(
  store: ObjectStore,
  spec: RestoreSpec,
): Promise<{ backupName: string } | { errors: readonly string[] }> {
  if (spec.scheduleName === undefined || spec.scheduleName === '') return { backupName: spec.backupName ?? '' };
  return pickBackupForSchedule(await readAllBackups(store), spec.scheduleName);
}

/** The API server's own clock: our objects are recognised by when it says that they were created. */
async function serverClock({ kubernetes }: ActivityDependencies): Promise<Date> {
  const result = await kubernetes.get({ group: '', version: 'v1', resource: 'namespaces', name: 'default' });
  const isAuthenticated = result.ok || (result.status !== 401 && result.status < 500);
  if (!isAuthenticated) {
    throw new InfrastructureFault(errorTypes.KubernetesNotReady, `${kubernetes.server}: ${result.message}`);
  }
  return result.date ?? new Date();
}
