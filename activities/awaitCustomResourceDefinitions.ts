import type { Activities } from '../domain/contract.ts';
import { getObject, getString, type JsonObject } from '../domain/json.ts';
import type { KubernetesApi } from '../domain/kubernetes/api.ts';
import { isDefinitionReady } from '../domain/kubernetes/definitionReady.ts';
import { itemsOf } from '../domain/kubernetes/itemsOf.ts';
import { resourcesOfDefinition } from '../domain/plan/backupResources.ts';
import { restoreNameSelector } from '../domain/restore/labels.ts';
import type { Outcome } from '../domain/results/outcome.ts';
import { pause, runActivity } from './activity.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { settle } from './item/settle.ts';
import type { Sessions } from './session.ts';

const POLL_INTERVAL_MS = 500;
const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

/** Established, names accepted, and every served version listed by discovery: only then is a create sure to be understood. */
async function isServed(kubernetes: KubernetesApi, definition: JsonObject): Promise<boolean> {
  if (!isDefinitionReady(definition)) return false;
  const table = await kubernetes.discover();
  return resourcesOfDefinition(definition).every(
    ({ group, version, kind }) => table.forKind(group, version, kind) !== undefined,
  );
}

/**
 * Waits until all CustomResourceDefinitions that this restore created are ready to use, all together, up to the resource timeout
 * (spec restore-pipeline.md §22). Definitions that were there before are not waited for. Each that is not ready in time is an
 * error of the cluster; the restore goes on.
 */
export function awaitCustomResourceDefinitions(
  { kubernetes }: ActivityDependencies,
  sessions: Sessions,
): Activities['awaitCustomResourceDefinitions'] {
  return ({ ref, wave }) =>
    runActivity(async () => {
      const { record, work } = await sessions.get(ref);
      const labelSelector = restoreNameSelector(record.restore.name);
      const indexes = new Map<string, number>();
      for (let index = wave.offset; index < wave.offset + wave.length; index++) {
        indexes.set((await work.readPlanEntry(index)).name, index);
      }
      const deadline = Date.now() + record.options.resourceTimeoutMs;
      for (;;) {
        const listed = await settle(kubernetes, { mayWait: true }, () =>
          kubernetes.list(DEFINITIONS, { labelSelector }),
        );
        if (!listed.ok) return notReady([...indexes.values()].slice(0, 1), listed.message);
        const definitions = itemsOf(listed.object);
        await kubernetes.discover({ refresh: true });
        const waiting: string[] = [];
        for (const definition of definitions) {
          const name = getString(getObject(definition, ['metadata']), ['name']) ?? '';
          if (indexes.has(name) && !(await isServed(kubernetes, definition))) waiting.push(name);
        }
        if (waiting.length === 0) return [];
        if (Date.now() > deadline) {
          const late = waiting.map((name) => indexes.get(name)).filter((index) => index !== undefined);
          return notReady(late, `timed out waiting for CustomResourceDefinition to be ready: ${waiting.join(', ')}`);
        }
        await pause(POLL_INTERVAL_MS);
      }
    });
}

function notReady(indexes: readonly number[], text: string): Outcome[] {
  return indexes.map((index) => ({
    index,
    // Lets what the create recorded stand: this adds a message only.
    action: 'skipped',
    tracked: false,
    messages: [{ level: 'error', scope: 'cluster', text }],
    at: new Date().toISOString(),
  }));
}
