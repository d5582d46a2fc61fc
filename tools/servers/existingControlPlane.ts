import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

/** A Kubernetes API to work with, whoever runs it. */
export interface TargetCluster {
  readonly kubeconfigPath: string;
  readonly url: string;
}

/**
 * The cluster that the person who runs the tests wants to have used instead of one of our own: the kubeconfig that
 * `DURABLE_RESTORE_TEST_KUBECONFIG` names. Undefined when that is not set.
 * @throws Error when the file cannot be read or its current context leads to no cluster
 */
export function existingControlPlane(environment: NodeJS.ProcessEnv = process.env): TargetCluster | undefined {
  const given = environment['DURABLE_RESTORE_TEST_KUBECONFIG'];
  if (!given) return undefined;
  const kubeconfigPath = resolve(given);
  // Only the address is wanted: the Kubernetes client takes seconds to load, this file is read in no time.
  const config: unknown = parse(readFileSync(kubeconfigPath, 'utf8'));
  const context = named(config, 'contexts', field(config, 'current-context'));
  const cluster = named(config, 'clusters', field(field(context, 'context'), 'cluster'));
  const url = field(field(cluster, 'cluster'), 'server');
  if (typeof url !== 'string') {
    throw new Error(
      `DURABLE_RESTORE_TEST_KUBECONFIG is ${given}, expected a kubeconfig whose current context has a cluster`,
    );
  }
  return { kubeconfigPath, url };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function named(config: unknown, list: string, name: unknown): unknown {
  const entries = field(config, list);
  if (!Array.isArray(entries)) return undefined;
  return entries.find((entry) => field(entry, 'name') === name);
}
