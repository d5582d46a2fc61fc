import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getArray, getString, type JsonObject } from '../../domain/json.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import { itemsOf } from '../../domain/kubernetes/itemsOf.ts';
import { ensurePrograms } from '../servers/ensure.ts';
import { withFreePorts } from '../servers/freePort.ts';
import { answersOk } from '../servers/httpProbe.ts';
import { ServerProcess } from '../servers/process.ts';
import { kwokConfig } from './goldenData.ts';

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const NODES_READY_MS = 60_000;

/** Node, addresses and times of pods that run differ from run to run (golden README, "How it was made"). */
export const ignoredWithNodes: readonly string[] = [
  '--ignore-path',
  '.status*',
  '--ignore-path',
  '.spec.nodeName',
  '--ignore-managed-fields',
];

/** Names of the nodes that a case's setup has made; in such a target pods run. */
export async function nodeNames(kubernetes: KubernetesApi): Promise<string[]> {
  return (await listNodes(kubernetes)).map((node) => getString(node, ['metadata', 'name']) ?? '');
}

async function listNodes(kubernetes: KubernetesApi): Promise<JsonObject[]> {
  const listed = await kubernetes.list(NODES);
  if (!listed.ok) throw new Error(`listing nodes: ${listed.message}`);
  return itemsOf(listed.object);
}

/**
 * Lets pods run as in the golden targets with nodes: a scheduler, and kwok in the part of the nodes.
 * @returns once the nodes are ready, what stops the two
 */
export async function startNodes(
  directory: string,
  kubeconfig: string,
  kubernetes: KubernetesApi,
): Promise<() => Promise<void>> {
  const programs = await ensurePrograms(['kube-scheduler', 'kwok']);
  for (const name of await nodeNames(kubernetes)) await untaint(kubernetes, name);
  const scheduler = await startScheduler(programs['kube-scheduler'], directory, kubeconfig);
  const kwok = await startKwok(programs.kwok, directory, kubeconfig).catch(async (error: unknown) => {
    await scheduler.stop();
    throw error;
  });
  const stop = async (): Promise<void> => {
    await kwok.stop();
    await scheduler.stop();
  };
  try {
    await untilReady(kubernetes);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What the node lifecycle controller would do, which does not run here. */
async function untaint(kubernetes: KubernetesApi, name: string): Promise<void> {
  const patched = await kubernetes.patch(
    { ...NODES, name },
    { spec: { taints: null } },
    { type: 'merge', fieldManager: 'kubectl-taint' },
  );
  if (!patched.ok) throw new Error(`removing the taints of node ${name}: ${patched.message}`);
}

function startScheduler(program: string, directory: string, kubeconfig: string): Promise<ServerProcess> {
  return withFreePorts([undefined], ([port = 0]) =>
    ServerProcess.start({
      name: 'kube-scheduler',
      program,
      args: [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--bind-address=127.0.0.1', `--secure-port=${port}`],
      logFile: join(directory, 'logs', 'kube-scheduler.log'),
      ready: (signal) => answersOk(`https://127.0.0.1:${port}/healthz`, { signal }),
    }),
  );
}

function startKwok(program: string, directory: string, kubeconfig: string): Promise<ServerProcess> {
  return withFreePorts([undefined], ([port = 0]) =>
    ServerProcess.start({
      name: 'kwok',
      program,
      args: [
        `--kubeconfig=${kubeconfig}`,
        '--manage-all-nodes=true',
        `--config=${kwokConfig}`,
        // Where the API server finds what runs commands in pods.
        '--node-ip=127.0.0.1',
        `--node-port=${port}`,
        `--tls-cert-file=${join(directory, 'certs', 'apiserver.crt')}`,
        `--tls-private-key-file=${join(directory, 'certs', 'apiserver.key')}`,
        '--cidr=10.244.0.0/16',
        `--server-address=127.0.0.1:${port}`,
      ],
      logFile: join(directory, 'logs', 'kwok.log'),
      ready: (signal) => answersOk(`http://127.0.0.1:${port}/healthz`, { signal }),
    }),
  );
}

async function untilReady(kubernetes: KubernetesApi): Promise<void> {
  const deadline = Date.now() + NODES_READY_MS;
  for (;;) {
    if ((await listNodes(kubernetes)).every(isReady)) return;
    if (Date.now() > deadline) throw new Error(`the nodes were not ready after ${NODES_READY_MS / 1000} s`);
    await sleep(200);
  }
}

function isReady(node: JsonObject): boolean {
  const conditions = getArray(node, ['status', 'conditions']) ?? [];
  return conditions.some((one) => getString(one, ['type']) === 'Ready' && getString(one, ['status']) === 'True');
}
