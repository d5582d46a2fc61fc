import { createKubernetesApi } from '../../adapters/kubernetes/client.ts';
import type { JsonObject } from '../../domain/json.ts';
import { benchItem } from './makeBackup.ts';

export interface RawFigures {
  readonly itemsPerSecond: number;
  /** Of the client itself. */
  readonly cpuMsPerItem: number;
}

/**
 * What this API server gives a bare client with 64 connections: creates and managedFields patches of the benchmark's items, without
 * anything else.
 */
export async function rawRate(kubeconfig: string, namespace: string, items: number): Promise<RawFigures> {
  const kubernetes = await createKubernetesApi({ kubeconfig, connections: 64 });
  try {
    const core = { group: '', version: 'v1' };
    const made = await kubernetes.create(
      { ...core, resource: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { fieldManager: 'bench' },
    );
    if (!made.ok) throw new Error(`creating namespace ${namespace}: ${made.message}`);
    const location = { ...core, resource: 'configmaps', namespace };
    let next = 0;
    const cpuBefore = process.cpuUsage();
    const started = performance.now();
    const lane = async (): Promise<void> => {
      for (let index = next++; index < items; index = next++) {
        const item = benchItem(index) as JsonObject;
        const metadata = item['metadata'] as JsonObject;
        const name = metadata['name'] as string;
        const object = { ...item, metadata: { name, namespace, labels: { app: 'bench' } } };
        const created = await kubernetes.create(location, object, { fieldManager: 'bench' });
        if (!created.ok) throw new Error(`creating ${name}: ${created.message}`);
        const patch = { metadata: { managedFields: metadata['managedFields'] ?? [] } };
        const patched = await kubernetes.patch({ ...location, name }, patch, { type: 'merge', fieldManager: 'bench' });
        if (!patched.ok) throw new Error(`patching ${name}: ${patched.message}`);
      }
    };
    await Promise.all(Array.from({ length: 64 }, lane));
    const elapsedMs = performance.now() - started;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { itemsPerSecond: items / (elapsedMs / 1_000), cpuMsPerItem: (user + system) / 1_000 / items };
  } finally {
    await kubernetes.close();
  }
}
