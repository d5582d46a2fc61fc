import type { RestoreItemAction } from './action.ts';

/** Velero's server feature flags that matter to a restore, as in `--features`. */
export const FEATURES = ['EnableCSI', 'EnableAPIGroupVersions'] as const;
export type Feature = (typeof FEATURES)[number];

const CSI_PREFIX = 'velero.io/csi-';

/** Without `EnableCSI` no action whose name begins with `velero.io/csi-` runs, whoever brings it (spec restore-pipeline.md §14). */
export function actionsWithFeatures(
  actions: readonly RestoreItemAction[],
  features: readonly Feature[],
): readonly RestoreItemAction[] {
  if (features.includes('EnableCSI')) return actions;
  return actions.filter(({ name }) => !name.startsWith(CSI_PREFIX));
}
