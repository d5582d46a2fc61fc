import type { PlanEntry } from '../../domain/plan/planEntry.ts';
import type { Outcome } from '../../domain/results/outcome.ts';
import type { WorkStore } from '../workStore.ts';

/** Whether the entry is a claim that the restore created. */
export function isCreatedClaim({ groupResource }: PlanEntry, outcome: Outcome | undefined): boolean {
  return groupResource === 'persistentvolumeclaims' && outcome?.action === 'created';
}

/** Plan entries of the claims that the restore created. */
export async function createdClaims(work: WorkStore): Promise<PlanEntry[]> {
  const summary = await work.readPlanSummary();
  const outcomes = await work.readAllOutcomes();
  const claims: PlanEntry[] = [];
  for await (const entries of work.readPlan(summary?.totalItems ?? 0)) {
    claims.push(...entries.filter((entry) => isCreatedClaim(entry, outcomes.get(entry.index))));
  }
  return claims;
}
