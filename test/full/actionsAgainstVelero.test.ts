import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { actionCluster } from '../../activities/actionCluster.ts';
import { createKubernetesApi } from '../../adapters/kubernetes/client.ts';
import { PluginRegistry } from '../../adapters/plugins/pluginRegistry.ts';
import { openRestoreItemAction } from '../../adapters/plugins/restoreItemAction.ts';
import type { ActionCluster, RestoreItemAction, RestoreItemActionInput } from '../../domain/actions/action.ts';
import { resolveActions } from '../../domain/actions/appliesTo.ts';
import { builtInActions } from '../../domain/actions/registry.ts';
import { parseItem } from '../../domain/backup/parseItem.ts';
import { resetMetadata, resetStatus } from '../../domain/item/resetMetadata.ts';
import { getStringMap, isObject, type Json, type JsonObject } from '../../domain/json.ts';
import type { ResourceTable } from '../../domain/kubernetes/resourceTable.ts';
import { itemPath } from '../../domain/plan/planSource.ts';
import { startControlPlane } from '../../tools/servers/controlPlane.ts';
import { ensurePrograms } from '../../tools/servers/ensure.ts';
import { Cluster } from '../integration/support/cluster.ts';
import { readGoldenBackup } from '../unit/domain/support/goldenBackup.ts';

jest.setTimeout(300_000);

/** Left out: pod-volume-restore (needs Velero's Deployment) and dataupload (makes objects). */
const NAMES = [
  'velero.io/add-pvc-from-pod',
  'velero.io/admission-webhook-configuration',
  'velero.io/apiservice',
  'velero.io/change-image-name',
  'velero.io/change-storage-class',
  'velero.io/cluster-role-bindings',
  'velero.io/crd-preserve-fields',
  'velero.io/init-restore-hook',
  'velero.io/job',
  'velero.io/pod',
  'velero.io/pvc',
  'velero.io/role-bindings',
  'velero.io/secret',
  'velero.io/service',
  'velero.io/service-account',
] as const;

const restore = {
  name: 'restore-1',
  namespace: 'velero',
  uid: 'uid-1',
  spec: { backupName: 'full', namespaceMapping: { shop: 'copy' } },
};

interface Subject {
  readonly title: string;
  readonly groupResource: string;
  readonly item: JsonObject;
}

let registry: PluginRegistry;
let cluster: ActionCluster;
let table: ResourceTable;
const stops: (() => unknown)[] = [];
const theirs = new Map<string, RestoreItemAction>();
const subjects: Subject[] = [];

beforeAll(async () => {
  const { velero } = await ensurePrograms(['velero']);
  const directory = await mkdtemp(join(tmpdir(), 'actions-against-velero-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  const controlPlane = await startControlPlane({ directory, controllers: 'minimal' });
  stops.push(() => controlPlane.stop());
  const kubernetes = await createKubernetesApi({ kubeconfig: controlPlane.kubeconfigPath });
  stops.push(() => kubernetes.close());
  await new Cluster(kubernetes).create(...settings);
  table = await kubernetes.discover();
  cluster = actionCluster(kubernetes, table);
  registry = await PluginRegistry.open({
    commands: [{ path: velero, args: ['run-plugins'] }],
    environment: { KUBECONFIG: controlPlane.kubeconfigPath },
    log: () => undefined,
  });
  stops.push(() => registry.close());
  for (const name of NAMES) {
    const { host } = registry.find('RestoreItemAction', name);
    theirs.set(name, await openRestoreItemAction(host, name, 1));
  }
  for (const backup of ['full', 'shop']) {
    for (const { item, text } of (await readGoldenBackup(backup)).files) {
      const { groupResource } = item;
      subjects.push({ title: `${backup}: ${itemPath(item)}`, groupResource, item: parseItem(text, itemPath(item)) });
    }
  }
  subjects.push(...handMade);
}, 1_800_000);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

function object(groupResource: string, apiVersion: string, kind: string, rest: JsonObject): Subject {
  const metadata = { name: 'one', namespace: 'shop', ...(isObject(rest['metadata']) ? rest['metadata'] : {}) };
  return {
    title: `hand-made ${kind} ${JSON.stringify(rest).slice(0, 60)}`,
    groupResource,
    item: { apiVersion, kind, ...rest, metadata },
  };
}

const container = { name: 'main', image: 'registry.example.com/image:1' };

function settingsOf(name: string, data: JsonObject): JsonObject {
  const labels = { 'velero.io/plugin-config': '', [`velero.io/${name}`]: 'RestoreItemAction' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'velero', labels }, data };
}

/** What actions are told by, and a class that one of them looks for. */
const settings: readonly JsonObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'velero' } },
  settingsOf('change-image-name', { one: 'registry.example.com,mirror.example.com' }),
  settingsOf('change-storage-class', { slow: 'fast', standard: 'fast', gone: 'missing' }),
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'example.com/p' },
];

function claim(storageClassName: string, spec: JsonObject = {}): Subject {
  return object('persistentvolumeclaims', 'v1', 'PersistentVolumeClaim', {
    metadata: {
      annotations: { 'volume.kubernetes.io/selected-node': 'node-1', 'velero.io/vsi-volumesnapshot-name': 's' },
    },
    spec: { storageClassName, volumeName: 'volume-1', accessModes: ['ReadWriteOnce'], ...spec },
    status: { phase: 'Bound' },
  });
}

/** What the backups do not have. */
const handMade: readonly Subject[] = [
  claim('slow'),
  claim('gone'),
  claim('other', { selector: { matchLabels: { a: 'b' } }, dataSource: { kind: 'VolumeSnapshot', name: 's' } }),
  object('deployments.apps', 'apps/v1', 'Deployment', {
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'main', image: 'registry.example.com/image:1' }] },
      },
    },
  }),
  object('pods', 'v1', 'Pod', {
    spec: {
      nodeName: 'node-1',
      priority: 100,
      priorityClassName: 'fast',
      serviceAccountName: 'runner',
      containers: [
        {
          ...container,
          volumeMounts: [
            { name: 'runner-token-abcde', mountPath: '/token' },
            { name: 'data', mountPath: '/data' },
          ],
        },
      ],
      initContainers: [{ ...container, name: 'init', volumeMounts: [{ name: 'runner-token-abcde', mountPath: '/t' }] }],
      volumes: [
        { name: 'runner-token-abcde', secret: { secretName: 'runner-token-abcde' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'more', persistentVolumeClaim: { claimName: 'more' } },
        { name: 'empty', emptyDir: {} },
      ],
    },
  }),
  object('services', 'v1', 'Service', {
    spec: {
      type: 'NodePort',
      clusterIP: '10.0.0.7',
      clusterIPs: ['10.0.0.7'],
      ports: [{ name: 'http', port: 80, nodePort: 30_080 }],
    },
  }),
  object('services', 'v1', 'Service', { spec: { clusterIP: 'None', clusterIPs: ['None'], ports: [{ port: 80 }] } }),
  object('services', 'v1', 'Service', {
    spec: {
      type: 'LoadBalancer',
      clusterIP: '10.0.0.8',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30_000,
      ports: [{ port: 1 }],
    },
  }),
  object('jobs.batch', 'batch/v1', 'Job', {
    spec: {
      selector: { matchLabels: { 'controller-uid': 'u', 'batch.kubernetes.io/controller-uid': 'u', app: 'a' } },
      template: {
        metadata: { labels: { 'controller-uid': 'u', 'batch.kubernetes.io/controller-uid': 'u', app: 'a' } },
        spec: { containers: [container], restartPolicy: 'Never' },
      },
    },
  }),
  object('secrets', 'v1', 'Secret', {
    metadata: {
      annotations: { 'kubernetes.io/service-account.name': 'runner', 'kubernetes.io/service-account.uid': 'u' },
    },
    type: 'kubernetes.io/service-account-token',
    data: { token: 'dA==', 'ca.crt': 'dA==', namespace: 'dA==', other: 'dA==' },
  }),
  object('secrets', 'v1', 'Secret', {
    metadata: { name: 'runner-token-abcde', annotations: { 'kubernetes.io/service-account.name': 'runner' } },
    type: 'kubernetes.io/service-account-token',
    data: { token: 'dA==' },
  }),
  object('serviceaccounts', 'v1', 'ServiceAccount', {
    metadata: { name: 'runner' },
    secrets: [{ name: 'runner-token-abcde' }, { name: 'runner-dockercfg-xyz' }, { name: 'other' }],
  }),
  object('rolebindings.rbac.authorization.k8s.io', 'rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'role' },
    subjects: [
      { kind: 'ServiceAccount', name: 'a', namespace: 'shop' },
      { kind: 'ServiceAccount', name: 'b', namespace: 'data' },
      { kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' },
    ],
  }),
  object('customresourcedefinitions.apiextensions.k8s.io', 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      preserveUnknownFields: true,
      names: { kind: 'Thing', plural: 'things' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { n: { type: 'number', maximum: 5 } } } },
        },
        { name: 'v2', served: false, storage: false },
      ],
    },
  }),
  object(
    'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    {
      webhooks: [
        { name: 'a.example.com', sideEffects: 'Unknown' },
        { name: 'b.example.com' },
        { name: 'c.example.com', sideEffects: 'NoneOnDryRun' },
      ],
    },
  ),
  object('apiservices.apiregistration.k8s.io', 'apiregistration.k8s.io/v1', 'APIService', {
    metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: { group: 'g', version: 'v1' },
  }),
];

/** Velero's typed structs write zero values and empty structs; what is left says what an action did (item-actions.md §4). */
function withoutZeros(value: Json): Json | undefined {
  if (value === null || value === '' || value === 0 || value === false) return undefined;
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((one) => withoutZeros(one) ?? null);
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, one]): [string, Json][] => {
    const kept = withoutZeros(one);
    return kept === undefined ? [] : [[key, kept]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

async function outcome(action: RestoreItemAction, input: RestoreItemActionInput): Promise<unknown> {
  try {
    const { item, additionalItems, skipRestore } = await action.execute(input);
    return skipRestore ? { skipRestore } : { item: withoutZeros(item), additionalItems };
  } catch {
    return 'error';
  }
}

describe("each built-in action does to each item what Velero's own does", () => {
  it.each(NAMES)('%s', async (name) => {
    const mine = builtInActions().find((action) => action.name === name);
    const velero = theirs.get(name);
    if (mine === undefined || velero === undefined) throw new Error(`no action ${name}`);
    const [resolvedMine] = resolveActions([mine], table);
    const [resolvedTheirs] = resolveActions([velero], table);
    let applied = 0;
    const differences: unknown[] = [];
    for (const { title, groupResource, item: itemFromBackup } of subjects) {
      const labels = getStringMap(itemFromBackup, ['metadata', 'labels']);
      const candidate = { groupResource, targetNamespace: 'shop', labels };
      const applies = resolvedMine?.appliesTo(candidate);
      expect({ title, applies: resolvedTheirs?.appliesTo(candidate) }).toEqual({ title, applies });
      if (applies !== true) continue;
      applied += 1;
      const backup = { name: 'full', namespace: 'velero' } as RestoreItemActionInput['backup'];
      const input = { item: resetStatus(resetMetadata(itemFromBackup)), itemFromBackup, restore, backup, cluster };
      const [ours, veleros] = await Promise.all([outcome(mine, input), outcome(velero, input)]);
      if (JSON.stringify(sorted(ours)) !== JSON.stringify(sorted(veleros))) differences.push({ title, ours, veleros });
    }
    expect(differences).toEqual([]);
    expect(applied).toBeGreaterThan(0);
  });
});

/** With the keys of all objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
