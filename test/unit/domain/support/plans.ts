import type { JsonObject } from '../../../../domain/json.ts';
import type { Plan } from '../../../../domain/plan/arrangePlan.ts';
import { buildPlan, type PlanRequest } from '../../../../domain/plan/buildPlan.ts';
import { noBackupVolumes } from '../../../../domain/plan/persistentVolume.ts';
import { describeEntry, type PlanEntry } from '../../../../domain/plan/planEntry.ts';
import { defaultResourcePriorities } from '../../../../domain/plan/priorities.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { planSource, type SourceOptions } from './planSource.ts';
import { servedTable } from './table.ts';

/** The plan for a backup of these objects. */
export function planOf(
  spec: RestoreSpec,
  objects: readonly JsonObject[],
  options: SourceOptions & Partial<PlanRequest> = {},
): Promise<Plan> {
  return buildPlan({
    spec,
    source: options.source ?? planSource(objects, options),
    volumes: options.volumes ?? noBackupVolumes,
    table: options.table ?? servedTable,
    priorities: options.priorities ?? defaultResourcePriorities,
    order: options.order ?? 'waves',
    versionDirectory: options.versionDirectory,
    csi: options.csi,
  });
}

/** `Pod ns-1/web` of everything planned but namespaces, which come with what is in them. */
export function itemsOf(plan: Plan): string[] {
  return plan.entries.filter((entry) => entry.kind !== 'Namespace').map(describeEntry);
}

export function namespacesOf(plan: Plan): string[] {
  return plan.entries.filter((entry) => entry.kind === 'Namespace').map((entry) => entry.targetName ?? entry.name);
}

export function textsOf(plan: Plan, level: 'warning' | 'error'): string[] {
  return plan.messages.filter((message) => message.level === level).map((message) => message.text);
}

/** The entry of `Pod ns-1/web`. */
export function entryOf(plan: Plan, description: string): PlanEntry {
  const entry = plan.entries.find((candidate) => describeEntry(candidate) === description);
  if (entry === undefined) throw new Error(`${description} is not in the plan`);
  return entry;
}
