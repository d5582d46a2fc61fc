import { parseApiVersion } from '../../../../domain/kubernetes/groupResource.ts';
import { type ApiResource, ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';

function served(
  apiVersion: string,
  kind: string,
  resource: string,
  scope: string,
  ...shortNames: string[]
): ApiResource {
  return {
    ...parseApiVersion(apiVersion),
    resource,
    singular: kind.toLowerCase(),
    shortNames,
    kind,
    namespaced: scope === 'namespaced',
    verbs: ['create', 'get', 'list', 'patch', 'update'],
  };
}

/** What an API server serves, as far as these tests need it; in the order of discovery. */
export const servedResources: readonly ApiResource[] = [
  served('v1', 'ConfigMap', 'configmaps', 'namespaced', 'cm'),
  served('v1', 'Endpoints', 'endpoints', 'namespaced', 'ep'),
  served('v1', 'Event', 'events', 'namespaced', 'ev'),
  served('v1', 'Namespace', 'namespaces', 'cluster', 'ns'),
  served('v1', 'Node', 'nodes', 'cluster', 'no'),
  served('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'namespaced', 'pvc', 'pvcs'),
  served('v1', 'PersistentVolume', 'persistentvolumes', 'cluster', 'pv', 'pvs'),
  served('v1', 'Pod', 'pods', 'namespaced', 'po'),
  served('v1', 'ResourceQuota', 'resourcequotas', 'namespaced', 'quota'),
  served('v1', 'Secret', 'secrets', 'namespaced'),
  served('v1', 'ServiceAccount', 'serviceaccounts', 'namespaced', 'sa'),
  served('v1', 'Service', 'services', 'namespaced', 'svc'),
  served('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', 'cluster'),
  served(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    'cluster',
  ),
  served('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', 'cluster', 'crd', 'crds'),
  served('apiregistration.k8s.io/v1', 'APIService', 'apiservices', 'cluster'),
  served('apps/v1', 'ControllerRevision', 'controllerrevisions', 'namespaced'),
  served('apps/v1', 'Deployment', 'deployments', 'namespaced', 'deploy'),
  served('apps/v1', 'ReplicaSet', 'replicasets', 'namespaced', 'rs'),
  served('apps/v1', 'StatefulSet', 'statefulsets', 'namespaced', 'sts'),
  served('batch/v1', 'CronJob', 'cronjobs', 'namespaced', 'cj'),
  served('batch/v1', 'Job', 'jobs', 'namespaced'),
  served('networking.k8s.io/v1', 'IPAddress', 'ipaddresses', 'cluster', 'ip'),
  served('networking.k8s.io/v1', 'IngressClass', 'ingressclasses', 'cluster'),
  served('networking.k8s.io/v1', 'Ingress', 'ingresses', 'namespaced', 'ing'),
  served('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', 'cluster'),
  served('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', 'cluster'),
  served('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', 'cluster', 'pc'),
  served('snapshot.storage.k8s.io/v1', 'VolumeSnapshotContent', 'volumesnapshotcontents', 'cluster', 'vsc'),
  served('storage.k8s.io/v1', 'CSIDriver', 'csidrivers', 'cluster'),
  served('storage.k8s.io/v1', 'StorageClass', 'storageclasses', 'cluster', 'sc'),
  served('velero.io/v2alpha1', 'DataUpload', 'datauploads', 'namespaced'),
];

export const servedTable = new ResourceTable(servedResources, []);
