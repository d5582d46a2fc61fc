import { PLAN_BLOCK_SIZE, type PlanEntry } from '../../domain/plan/planEntry.ts';
import type { WorkStore } from '../workStore.ts';

/** Plan entries of the claims that the restore created. */
export async function createdClaims(work: WorkStore): Promise<PlanEntry[]> {
  const summary = await work.readPlanSummary();
  const outcomes = await work.readAllOutcomes();
  const claims: PlanEntry[] = [];
  for (let block = 0; block * PLAN_BLOCK_SIZE < (summary?.totalItems ?? 0); block++) {
    for (const entry of await work.readPlanBlock(block)) {
      const isCreated = outcomes.get(entry.index)?.action === 'created';
      if (entry.groupResource === 'persistentvolumeclaims' && isCreated) claims.push(entry);
    }
  }
  return claims;
}
