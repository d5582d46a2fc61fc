import { type RestoreIdentity, workFolder } from '../backup/layout.ts';

/** Everything about the hooks of one pod, by its index in the plan. @throws InvalidKeyError */
function podFolder(restore: RestoreIdentity, planIndex: number): string {
  return `${workFolder(restore)}hooks/${String(planIndex).padStart(8, '0')}/`;
}

/** The pod and its hooks. @throws InvalidKeyError */
export function podHooksKey(restore: RestoreIdentity, planIndex: number): string {
  return `${podFolder(restore, planIndex)}pod.json`;
}

/** `started`: the command may have run. `outcome`: how it ended. The rest is what it wrote. */
export type HookFile = 'started' | 'outcome.json' | 'stdout' | 'stderr';

/** @throws InvalidKeyError */
export function hookFileKey(restore: RestoreIdentity, planIndex: number, hook: number, file: HookFile): string {
  return `${podFolder(restore, planIndex)}${String(hook).padStart(4, '0')}.${file}`;
}

/** How all hooks of a restore ended, for those who describe it. @throws InvalidKeyError */
export function hookSummaryKey(restore: RestoreIdentity): string {
  return `${workFolder(restore)}hooks/summary.json`;
}
