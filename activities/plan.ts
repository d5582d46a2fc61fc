import { Context } from '@temporalio/activity';
import type { CsiOptions } from '../domain/actions/additionalItems.ts';
import type { Activities, PlanResult, RestoreRecord } from '../domain/contract.ts';
import type { ResourceTable } from '../domain/kubernetes/resourceTable.ts';
import type { Plan } from '../domain/plan/arrangePlan.ts';
import { buildPlan } from '../domain/plan/buildPlan.ts';
import type { BackupVolumes } from '../domain/plan/persistentVolume.ts';
import { parseResourcePriorities } from '../domain/plan/priorities.ts';
import { countMessages } from '../domain/results/counters.ts';
import { runActivity } from './activity.ts';
import { ArchiveSource } from './archiveSource.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { readBackupVolumes } from './readBackup.ts';
import type { Sessions } from './session.ts';
import { versionDirectories } from './versionDirectories.ts';
import type { PlanSummary } from './workStore.ts';

const PROVISIONING_METHODS: readonly string[] = ['PodVolumeBackup', 'CSISnapshot'];

/**
 * Reads the backup once and writes the plan to the work store (design §2). A plan that is there already stands: outcomes refer to its
 * indexes, and the cluster has changed since.
 */
export function plan(dependencies: ActivityDependencies, sessions: Sessions): Activities['plan'] {
  return ({ ref }) => {
    let bytesRead = 0;
    const body = async (): Promise<PlanResult> => {
      const work = await sessions.workStore(ref);
      const existing = await work.readPlanSummary();
      if (existing !== undefined) return withoutMessages(existing);

      const record = await work.readRecord();
      const store = await dependencies.openStore(ref.storageLocation);
      const [archive, volumes, table] = await Promise.all([
        dependencies.archives.open(store, record.backup.name, {
          etag: record.archiveEtag,
          onProgress: ({ bytes }) => {
            bytesRead = bytes;
          },
          signal: Context.current().cancellationSignal,
        }),
        readBackupVolumes(store, record.backup.name),
        dependencies.kubernetes.discover({ refresh: true }),
      ]);
      const source = new ArchiveSource(archive);
      const built = await planFrom(dependencies, record, { source, volumes, table }).finally(() => {
        archive.close();
      });
      const messages = [
        ...record.warnings.map((text) => ({ level: 'warning', scope: 'velero', text }) as const),
        ...built.messages,
      ];
      const summary: PlanSummary = {
        waves: built.waves,
        totalItems: built.entries.length,
        ...countMessages(messages),
        messages,
        ...(hasVolumeWork(volumes, record) ? { volumeWork: true } : {}),
      };
      await work.writePlan(built, summary);
      return withoutMessages(summary);
    };
    return runActivity(body, () => ({ bytesRead }));
  };
}

/** What the cluster says of a plan before the backup does. */
async function planFrom(
  dependencies: ActivityDependencies,
  record: RestoreRecord,
  found: { readonly source: ArchiveSource; readonly volumes: BackupVolumes; readonly table: ResourceTable },
): Promise<Plan> {
  const versions = await versionDirectories(dependencies, record, found.source, found.table);
  if ('error' in versions) {
    return { entries: [], waves: [], messages: [{ level: 'error', scope: 'velero', text: versions.error }] };
  }
  return buildPlan({
    ...found,
    spec: record.restore.spec,
    priorities: parseResourcePriorities(record.options.resourcePriorities),
    order: record.options.order,
    csi: csiOptions(record),
    versionDirectory: versions.directoryOf,
  });
}

/** Whether something may go on with volumes when their items are restored. */
function hasVolumeWork({ methodByVolume, podVolumes }: BackupVolumes, { options }: RestoreRecord): boolean {
  const isProvisioned = [...methodByVolume.values()].some((method) => PROVISIONING_METHODS.includes(method));
  return podVolumes === true || isProvisioned || options.features.includes('EnableCSI');
}

function csiOptions({ restore, backup, options }: RestoreRecord): CsiOptions {
  const csi = options.features.includes('EnableCSI') && restore.spec.restorePVs !== false;
  return { csi, snapshotMoveData: backup.snapshotMoveData };
}

function withoutMessages({ waves, totalItems, warnings, errors, volumeWork }: PlanSummary): PlanResult {
  return { waves, totalItems, warnings, errors, ...(volumeWork === undefined ? {} : { volumeWork }) };
}
