/**
 * Plans the restore of a synthetic backup of as many items as its argument says and writes what came of it to standard output, as
 * JSON. A program of its own, because its heap is limited.
 */
import type { BackupItem, PlanSource, ReadItem } from '../../../../domain/plan/planSource.ts';
import { claimOf, item, podWithClaims, volumeOf } from '../../../unit/domain/support/items.ts';
import { planOf } from '../../../unit/domain/support/plans.ts';

const NAMESPACES = 50;

/** Half of them pods with a claim and a volume each, the others ConfigMaps. */
const KINDS: readonly {
  readonly groupResource: string;
  readonly share: number;
  readonly text: (at: Place) => string;
}[] = [
  { groupResource: 'configmaps', share: 0.5, text: (at) => JSON.stringify(configMap(at)) },
  {
    groupResource: 'persistentvolumeclaims',
    share: 0.125,
    text: (at) => JSON.stringify(claimOf(path(at), `pv-${at.name}`)),
  },
  { groupResource: 'persistentvolumes', share: 0.125, text: (at) => JSON.stringify(volumeOf(at.name, 'Delete')) },
  { groupResource: 'pods', share: 0.25, text: (at) => JSON.stringify(podWithClaims(path(at), [at.name, 'absent'])) },
];

interface Place {
  readonly namespace: string | undefined;
  readonly name: string;
}

function path({ namespace = '', name }: Place): string {
  return `${namespace}/${name}`;
}

function configMap(at: Place): unknown {
  const managedFields = [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:data': { 'f:key': {} } } }];
  return item('v1', 'ConfigMap', path(at), { metadata: { managedFields }, data: { key: 'x'.repeat(500) } });
}

function syntheticSource(size: number): PlanSource {
  const items: BackupItem[] = KINDS.flatMap(({ groupResource, share }) =>
    Array.from({ length: size * share }, (_, index) => {
      const number = String(index).padStart(6, '0');
      if (groupResource === 'persistentvolumes')
        return { groupResource, namespace: undefined, name: `pv-item-${number}` };
      return { groupResource, namespace: `namespace-${index % NAMESPACES}`, name: `item-${number}` };
    }),
  );
  const key = ({ groupResource, namespace, name }: BackupItem): string => `${groupResource}/${namespace ?? ''}/${name}`;
  const known = new Set(items.map(key));
  return {
    hasResources: true,
    warnings: [],
    entries: () => items,
    has: (candidate) => known.has(key(candidate)),
    async *readItems(wanted): AsyncGenerator<ReadItem> {
      for (const one of wanted) {
        const kind = await Promise.resolve(KINDS.find(({ groupResource }) => groupResource === one.groupResource));
        yield { item: one, text: kind?.text(one) ?? '' };
      }
    },
  };
}

const size = Number(process.argv[2]);
const plan = await planOf({}, [], { source: syntheticSource(size) });

const counts: Record<string, number> = {};
for (const { kind } of plan.entries) counts[kind] = (counts[kind] ?? 0) + 1;
const summary = {
  counts,
  dropped: plan.entries.filter((entry) => entry.dropVolumeName === true).length,
  waves: plan.waves,
  indexesInOrder: plan.entries.every((entry, index) => entry.index === index),
  messages: plan.messages.length,
};
process.stdout.write(JSON.stringify(summary));
