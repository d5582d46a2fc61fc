import type { RestoreSpec } from '../restore/restore.ts';
import { itemScope, type Message } from '../results/outcome.ts';
import { type Draft, keyOf } from './draft.ts';
import { mapNamespace } from './mapNamespace.ts';
import type { PlanSource } from './planSource.ts';

/**
 * Warns of claims that will name a volume which the filters keep away: like in Velero they keep its name, so that nothing is
 * provisioned for them (spec restore-pipeline.md §13, §32 W16). Volumes that the backup does not have are warned of as
 * additional items.
 */
export function claimsWithoutVolume(
  spec: RestoreSpec,
  source: PlanSource,
  drafts: ReadonlyMap<string, Draft>,
): Message[] {
  const messages: Message[] = [];
  for (const { namespace, name, claimedVolume } of drafts.values()) {
    if (claimedVolume === undefined) continue;
    const volume = { groupResource: 'persistentvolumes', namespace: undefined, name: claimedVolume };
    if (drafts.has(keyOf(volume)) || !source.has(volume)) continue;
    messages.push({
      level: 'warning',
      scope: itemScope(mapNamespace(spec, namespace)),
      text: `claim ${namespace ?? ''}/${name} keeps naming volume ${claimedVolume}, which is in the backup but not restored: it stays unbound unless the cluster has that volume and it is free`,
    });
  }
  return messages;
}
