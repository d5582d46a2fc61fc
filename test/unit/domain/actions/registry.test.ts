import { describe, expect, it } from '@jest/globals';
import { apiServiceAction } from '../../../../domain/actions/apiService.ts';
import { resolveActions } from '../../../../domain/actions/appliesTo.ts';
import { builtInActions } from '../../../../domain/actions/registry.ts';
import { parseGroupResource } from '../../../../domain/kubernetes/groupResource.ts';
import { type ApiResource, ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';
import { runAction } from './runAction.ts';

function resource(groupResource: string, kind: string): ApiResource {
  return {
    ...parseGroupResource(groupResource),
    version: 'v1',
    singular: kind.toLowerCase(),
    shortNames: [],
    kind,
    namespaced: true,
    verbs: ['list', 'create'],
  };
}

const TABLE = new ResourceTable(
  [
    resource('pods', 'Pod'),
    resource('persistentvolumeclaims', 'PersistentVolumeClaim'),
    resource('persistentvolumes', 'PersistentVolume'),
    resource('secrets', 'Secret'),
    resource('services', 'Service'),
    resource('serviceaccounts', 'ServiceAccount'),
    resource('replicationcontrollers', 'ReplicationController'),
    resource('configmaps', 'ConfigMap'),
    resource('deployments.apps', 'Deployment'),
    resource('statefulsets.apps', 'StatefulSet'),
    resource('daemonsets.apps', 'DaemonSet'),
    resource('replicasets.apps', 'ReplicaSet'),
    resource('jobs.batch', 'Job'),
    resource('cronjobs.batch', 'CronJob'),
    resource('rolebindings.rbac.authorization.k8s.io', 'RoleBinding'),
    resource('clusterrolebindings.rbac.authorization.k8s.io', 'ClusterRoleBinding'),
    resource('apiservices.apiregistration.k8s.io', 'APIService'),
    resource('customresourcedefinitions.apiextensions.k8s.io', 'CustomResourceDefinition'),
    resource('mutatingwebhookconfigurations.admissionregistration.k8s.io', 'MutatingWebhookConfiguration'),
    resource('validatingwebhookconfigurations.admissionregistration.k8s.io', 'ValidatingWebhookConfiguration'),
    resource('services.serving.example.com', 'Service'),
  ],
  [],
);

describe('built-in actions', () => {
  it('come in the order of their names, as Velero runs them', () => {
    const names = builtInActions().map((action) => action.name);
    expect(names).toEqual([...names].sort());
    expect(new Set(names).size).toBe(names.length);
  });

  it('have those of CSI behind them, only where the feature is on', () => {
    expect(builtInActions(['EnableCSI']).map(({ name }) => name)).toEqual([
      ...builtInActions().map(({ name }) => name),
      'velero.io/csi-pvc-restorer',
      'velero.io/csi-volumesnapshot-restorer',
      'velero.io/csi-volumesnapshotclass-restorer',
      'velero.io/csi-volumesnapshotcontent-restorer',
    ]);
  });

  it.each<[string, string[], Record<string, string>?]>([
    ['pods', ['add-pvc-from-pod', 'change-image-name', 'init-restore-hook', 'pod', 'pod-volume-restore']],
    ['persistentvolumeclaims', ['change-storage-class', 'pvc']],
    ['persistentvolumes', ['change-storage-class']],
    ['statefulsets.apps', ['change-image-name', 'change-storage-class']],
    ['deployments.apps', ['change-image-name']],
    ['daemonsets.apps', ['change-image-name']],
    ['replicasets.apps', ['change-image-name']],
    ['replicationcontrollers', ['change-image-name']],
    ['cronjobs.batch', ['change-image-name']],
    ['jobs.batch', ['change-image-name', 'job']],
    ['secrets', ['secret']],
    ['services', ['service']],
    ['services.serving.example.com', []],
    ['serviceaccounts', ['service-account']],
    ['rolebindings.rbac.authorization.k8s.io', ['role-bindings']],
    ['clusterrolebindings.rbac.authorization.k8s.io', ['cluster-role-bindings']],
    ['customresourcedefinitions.apiextensions.k8s.io', ['crd-preserve-fields']],
    ['mutatingwebhookconfigurations.admissionregistration.k8s.io', ['admission-webhook-configuration']],
    ['validatingwebhookconfigurations.admissionregistration.k8s.io', ['admission-webhook-configuration']],
    ['apiservices.apiregistration.k8s.io', []],
    ['apiservices.apiregistration.k8s.io', ['apiservice'], { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' }],
    ['configmaps', []],
  ])('for %s are %j', (groupResource, expected, labels = {}) => {
    const applying = resolveActions(builtInActions(), TABLE).filter((resolved) =>
      resolved.appliesTo({ groupResource, targetNamespace: 'shop', labels }),
    );
    expect(applying.map(({ action }) => action.name)).toEqual(expected.map((name) => `velero.io/${name}`));
  });

  it('velero.io/apiservice skips its items', async () => {
    const item = { kind: 'APIService', metadata: { name: 'v1.apps' } };
    expect(await runAction(apiServiceAction, item)).toEqual({ item, additionalItems: [], skipRestore: true });
  });
});
