import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKubernetesApi } from '../../adapters/kubernetes/client.ts';
import { resetMetadata, resetStatus } from '../../domain/item/resetMetadata.ts';
import { getArray, getObject, getString, type JsonObject, withoutKeys } from '../../domain/json.ts';
import type { KubernetesApi } from '../../domain/kubernetes/api.ts';
import { startControlPlane } from '../servers/controlPlane.ts';
import { createObject } from './createObject.ts';
import { dumpCluster } from './dump.ts';
import { emptyTarget } from './goldenData.ts';
import { readObjects } from './objectFile.ts';

/** Filled in by a controller from all roles that carry their label. */
const AGGREGATED_ROLES: readonly string[] = ['admin', 'edit', 'view'];
const SETTLE_DEADLINE_MS = 120_000;
/** For so long nothing may change before the cluster counts as prepared. */
const SETTLED_MS = 1_500;

/**
 * Prepares the data of an empty target as the golden runs had it: a cluster in which all controllers have run until the system
 * roles were filled in, and what Velero's installation had put into it. Taken from the dump of such a target, so that no Velero
 * is needed.
 * @returns etcd's data folder, stopped
 */
export async function prepareEmptyTarget(directory: string): Promise<string> {
  const controlPlane = await startControlPlane({ directory, controllers: 'all' });
  try {
    const kubernetes = await createKubernetesApi({ kubeconfig: controlPlane.kubeconfigPath });
    try {
      await installVelero(kubernetes);
      await untilSettled(kubernetes);
    } finally {
      await kubernetes.close();
    }
  } finally {
    await controlPlane.stop();
  }
  return controlPlane.etcd.dataDirectory;
}

/** Kinds that the cluster or a case's setup brings. */
function isInstalled({ kind, ...object }: JsonObject): boolean {
  if (kind === 'Namespace') return getString(object, ['metadata', 'name']) === 'velero';
  return kind === 'CustomResourceDefinition' && (getString(object, ['spec', 'group']) ?? '').endsWith('velero.io');
}

async function installVelero(kubernetes: KubernetesApi): Promise<void> {
  const installed = (await readObjects(emptyTarget.objects)).filter(isInstalled);
  for (const object of installed) await createObject(kubernetes, asCreated(object), creatorOf(object));
  await createObject(kubernetes, veleroDeployment, 'kubectl-create');
}

/** The object as it was submitted, as far as that can be told from what the API server made of it. */
function asCreated(object: JsonObject): JsonObject {
  const reset = resetStatus(resetMetadata(object));
  const metadata = withoutKeys(getObject(reset, ['metadata']) ?? {}, ['managedFields']);
  // The server adds the finalizers of a Namespace, which are all there is to its spec.
  const submitted = object['kind'] === 'Namespace' ? withoutKeys(reset, ['spec']) : reset;
  return { ...submitted, metadata };
}

function creatorOf(object: JsonObject): string {
  const [first] = (getArray(object, ['metadata', 'managedFields']) ?? []).filter(
    (entry) => (getString(entry, ['subresource']) ?? '') === '',
  );
  return getString(first, ['manager']) ?? 'kubectl-create';
}

/** What a Velero server of the target looks at; no pod of it ever runs. */
const veleroDeployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'velero', namespace: 'velero' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { deploy: 'velero' } },
    template: {
      metadata: { labels: { deploy: 'velero' } },
      spec: { containers: [{ name: 'velero', image: 'velero/velero:v1.18.3' }] },
    },
  },
};

async function untilSettled(kubernetes: KubernetesApi): Promise<void> {
  const deadline = Date.now() + SETTLE_DEADLINE_MS;
  let last = '';
  let since = Date.now();
  for (;;) {
    const objects = await dumpCluster(kubernetes);
    const digest = createHash('sha256')
      .update(JSON.stringify(objects.map(contentOf)))
      .digest('hex');
    if (digest !== last) since = Date.now();
    last = digest;
    if (Date.now() - since >= SETTLED_MS && isFilledIn(objects)) return;
    if (Date.now() > deadline)
      throw new Error(`the prepared cluster was not at rest ${SETTLE_DEADLINE_MS / 1000} s after its start`);
    await sleep(300);
  }
}

function contentOf(object: JsonObject): unknown {
  const name = getString(object, ['metadata', 'name']);
  return [object['kind'], name, object['rules'], object['status']];
}

function isFilledIn(objects: readonly JsonObject[]): boolean {
  const rolesAreFilled = AGGREGATED_ROLES.every((role) => {
    const found = objects.find((one) => one['kind'] === 'ClusterRole' && getString(one, ['metadata', 'name']) === role);
    return (getArray(found, ['rules']) ?? []).length > 0;
  });
  // Published by a controller that restore targets do not run.
  const hasRootCertificate = objects.some((one) => getString(one, ['metadata', 'name']) === 'kube-root-ca.crt');
  return rolesAreFilled && hasRootCertificate;
}
