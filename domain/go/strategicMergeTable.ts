/**
 * Made by tools/strategicMerge from the OpenAPI document of Kubernetes' API server (x-kubernetes-patch-merge-key, x-kubernetes-patch-strategy). Types and
 * fields from which no merge key or strategy can be reached are left out.
 */
export interface StrategicMergeField {
  /** Type of the field, or of the entries of the list. */
  readonly type?: string;
  /** What tells the entries of the list apart. */
  readonly key?: string;
  readonly strategy?: string;
}

/** Type by `group/version kind`; the core group has no group. */
export const STRATEGIC_MERGE_KINDS: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy': 'admissionregistration.v1.MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding':
    'admissionregistration.v1.MutatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration':
    'admissionregistration.v1.MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy': 'admissionregistration.v1.ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding':
    'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration':
    'admissionregistration.v1.ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy':
    'admissionregistration.v1alpha1.MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding':
    'admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy':
    'admissionregistration.v1beta1.MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding':
    'admissionregistration.v1beta1.MutatingAdmissionPolicyBinding',
  'internal.apiserver.k8s.io/v1alpha1 StorageVersion': 'apiserverinternal.v1alpha1.StorageVersion',
  'apps/v1 ControllerRevision': 'apps.v1.ControllerRevision',
  'apps/v1 DaemonSet': 'apps.v1.DaemonSet',
  'apps/v1 Deployment': 'apps.v1.Deployment',
  'apps/v1 ReplicaSet': 'apps.v1.ReplicaSet',
  'apps/v1 StatefulSet': 'apps.v1.StatefulSet',
  'authentication.k8s.io/v1 SelfSubjectReview': 'authentication.v1.SelfSubjectReview',
  'authentication.k8s.io/v1 TokenRequest': 'authentication.v1.TokenRequest',
  'authentication.k8s.io/v1 TokenReview': 'authentication.v1.TokenReview',
  'authorization.k8s.io/v1 LocalSubjectAccessReview': 'authorization.v1.LocalSubjectAccessReview',
  'authorization.k8s.io/v1 SelfSubjectAccessReview': 'authorization.v1.SelfSubjectAccessReview',
  'authorization.k8s.io/v1 SelfSubjectRulesReview': 'authorization.v1.SelfSubjectRulesReview',
  'authorization.k8s.io/v1 SubjectAccessReview': 'authorization.v1.SubjectAccessReview',
  'autoscaling/v1 HorizontalPodAutoscaler': 'autoscaling.v1.HorizontalPodAutoscaler',
  'autoscaling/v1 Scale': 'autoscaling.v1.Scale',
  'autoscaling/v2 HorizontalPodAutoscaler': 'autoscaling.v2.HorizontalPodAutoscaler',
  'batch/v1 CronJob': 'batch.v1.CronJob',
  'batch/v1 Job': 'batch.v1.Job',
  'certificates.k8s.io/v1 CertificateSigningRequest': 'certificates.v1.CertificateSigningRequest',
  'certificates.k8s.io/v1alpha1 ClusterTrustBundle': 'certificates.v1alpha1.ClusterTrustBundle',
  'certificates.k8s.io/v1beta1 ClusterTrustBundle': 'certificates.v1beta1.ClusterTrustBundle',
  'certificates.k8s.io/v1beta1 PodCertificateRequest': 'certificates.v1beta1.PodCertificateRequest',
  'coordination.k8s.io/v1 Lease': 'coordination.v1.Lease',
  'coordination.k8s.io/v1alpha2 LeaseCandidate': 'coordination.v1alpha2.LeaseCandidate',
  'coordination.k8s.io/v1beta1 LeaseCandidate': 'coordination.v1beta1.LeaseCandidate',
  'v1 Binding': 'core.v1.Binding',
  'v1 ComponentStatus': 'core.v1.ComponentStatus',
  'v1 ConfigMap': 'core.v1.ConfigMap',
  'v1 Endpoints': 'core.v1.Endpoints',
  'v1 Event': 'core.v1.Event',
  'v1 LimitRange': 'core.v1.LimitRange',
  'v1 Namespace': 'core.v1.Namespace',
  'v1 Node': 'core.v1.Node',
  'v1 PersistentVolume': 'core.v1.PersistentVolume',
  'v1 PersistentVolumeClaim': 'core.v1.PersistentVolumeClaim',
  'v1 Pod': 'core.v1.Pod',
  'v1 PodTemplate': 'core.v1.PodTemplate',
  'v1 ReplicationController': 'core.v1.ReplicationController',
  'v1 ResourceQuota': 'core.v1.ResourceQuota',
  'v1 Secret': 'core.v1.Secret',
  'v1 Service': 'core.v1.Service',
  'v1 ServiceAccount': 'core.v1.ServiceAccount',
  'discovery.k8s.io/v1 EndpointSlice': 'discovery.v1.EndpointSlice',
  'events.k8s.io/v1 Event': 'events.v1.Event',
  'flowcontrol.apiserver.k8s.io/v1 FlowSchema': 'flowcontrol.v1.FlowSchema',
  'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration': 'flowcontrol.v1.PriorityLevelConfiguration',
  'networking.k8s.io/v1 IPAddress': 'networking.v1.IPAddress',
  'networking.k8s.io/v1 Ingress': 'networking.v1.Ingress',
  'networking.k8s.io/v1 IngressClass': 'networking.v1.IngressClass',
  'networking.k8s.io/v1 NetworkPolicy': 'networking.v1.NetworkPolicy',
  'networking.k8s.io/v1 ServiceCIDR': 'networking.v1.ServiceCIDR',
  'networking.k8s.io/v1beta1 IPAddress': 'networking.v1beta1.IPAddress',
  'networking.k8s.io/v1beta1 ServiceCIDR': 'networking.v1beta1.ServiceCIDR',
  'node.k8s.io/v1 RuntimeClass': 'node.v1.RuntimeClass',
  'policy/v1 Eviction': 'policy.v1.Eviction',
  'policy/v1 PodDisruptionBudget': 'policy.v1.PodDisruptionBudget',
  'rbac.authorization.k8s.io/v1 ClusterRole': 'rbac.v1.ClusterRole',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': 'rbac.v1.ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1 Role': 'rbac.v1.Role',
  'rbac.authorization.k8s.io/v1 RoleBinding': 'rbac.v1.RoleBinding',
  'resource.k8s.io/v1 DeviceClass': 'resource.v1.DeviceClass',
  'resource.k8s.io/v1 ResourceClaim': 'resource.v1.ResourceClaim',
  'resource.k8s.io/v1 ResourceClaimTemplate': 'resource.v1.ResourceClaimTemplate',
  'resource.k8s.io/v1 ResourceSlice': 'resource.v1.ResourceSlice',
  'resource.k8s.io/v1alpha3 DeviceTaintRule': 'resource.v1alpha3.DeviceTaintRule',
  'resource.k8s.io/v1alpha3 ResourcePoolStatusRequest': 'resource.v1alpha3.ResourcePoolStatusRequest',
  'resource.k8s.io/v1beta1 DeviceClass': 'resource.v1beta1.DeviceClass',
  'resource.k8s.io/v1beta1 ResourceClaim': 'resource.v1beta1.ResourceClaim',
  'resource.k8s.io/v1beta1 ResourceClaimTemplate': 'resource.v1beta1.ResourceClaimTemplate',
  'resource.k8s.io/v1beta1 ResourceSlice': 'resource.v1beta1.ResourceSlice',
  'resource.k8s.io/v1beta2 DeviceClass': 'resource.v1beta2.DeviceClass',
  'resource.k8s.io/v1beta2 DeviceTaintRule': 'resource.v1beta2.DeviceTaintRule',
  'resource.k8s.io/v1beta2 ResourceClaim': 'resource.v1beta2.ResourceClaim',
  'resource.k8s.io/v1beta2 ResourceClaimTemplate': 'resource.v1beta2.ResourceClaimTemplate',
  'resource.k8s.io/v1beta2 ResourceSlice': 'resource.v1beta2.ResourceSlice',
  'scheduling.k8s.io/v1 PriorityClass': 'scheduling.v1.PriorityClass',
  'scheduling.k8s.io/v1alpha2 PodGroup': 'scheduling.v1alpha2.PodGroup',
  'scheduling.k8s.io/v1alpha2 Workload': 'scheduling.v1alpha2.Workload',
  'storage.k8s.io/v1 CSIDriver': 'storage.v1.CSIDriver',
  'storage.k8s.io/v1 CSINode': 'storage.v1.CSINode',
  'storage.k8s.io/v1 CSIStorageCapacity': 'storage.v1.CSIStorageCapacity',
  'storage.k8s.io/v1 StorageClass': 'storage.v1.StorageClass',
  'storage.k8s.io/v1 VolumeAttachment': 'storage.v1.VolumeAttachment',
  'storage.k8s.io/v1 VolumeAttributesClass': 'storage.v1.VolumeAttributesClass',
  'storage.k8s.io/v1beta1 VolumeAttributesClass': 'storage.v1beta1.VolumeAttributesClass',
  'storagemigration.k8s.io/v1beta1 StorageVersionMigration': 'storagemigration.v1beta1.StorageVersionMigration',
  'apiextensions.k8s.io/v1 CustomResourceDefinition': 'apiextensions.v1.CustomResourceDefinition',
  'apiregistration.k8s.io/v1 APIService': 'apiregistration.v1.APIService',
};

export const STRATEGIC_MERGE_TYPES: Readonly<Record<string, Readonly<Record<string, StrategicMergeField>>>> = {
  'admissionregistration.v1.MutatingAdmissionPolicy': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'admissionregistration.v1.MutatingAdmissionPolicySpec',
    },
  },
  'admissionregistration.v1.MutatingAdmissionPolicyBinding': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'admissionregistration.v1.MutatingAdmissionPolicySpec': {
    matchConditions: {
      key: 'name',
      strategy: 'merge',
    },
  },
  'admissionregistration.v1.MutatingWebhook': {
    matchConditions: {
      key: 'name',
      strategy: 'merge',
    },
  },
  'admissionregistration.v1.MutatingWebhookConfiguration': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    webhooks: {
      type: 'admissionregistration.v1.MutatingWebhook',
      key: 'name',
      strategy: 'merge',
    },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicy': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'admissionregistration.v1.ValidatingAdmissionPolicySpec',
    },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': {
    matchConditions: {
      key: 'name',
      strategy: 'merge',
    },
    variables: {
      key: 'name',
      strategy: 'merge',
    },
  },
  'admissionregistration.v1.ValidatingWebhook': {
    matchConditions: {
      key: 'name',
      strategy: 'merge',
    },
  },
  'admissionregistration.v1.ValidatingWebhookConfiguration': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    webhooks: {
      type: 'admissionregistration.v1.ValidatingWebhook',
      key: 'name',
      strategy: 'merge',
    },
  },
  'admissionregistration.v1alpha1.MutatingAdmissionPolicy': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'admissionregistration.v1alpha1.MutatingAdmissionPolicySpec',
    },
  },
  'admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'admissionregistration.v1alpha1.MutatingAdmissionPolicySpec': {
    matchConditions: {
      key: 'name',
      strategy: 'merge',
    },
  },
  'admissionregistration.v1beta1.MutatingAdmissionPolicy': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'admissionregistration.v1beta1.MutatingAdmissionPolicySpec',
    },
  },
  'admissionregistration.v1beta1.MutatingAdmissionPolicyBinding': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'admissionregistration.v1beta1.MutatingAdmissionPolicySpec': {
    matchConditions: {
      key: 'name',
      strategy: 'merge',
    },
  },
  'apiserverinternal.v1alpha1.StorageVersion': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'apps.v1.ControllerRevision': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'apps.v1.DaemonSet': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'apps.v1.DaemonSetSpec',
    },
    status: {
      type: 'apps.v1.DaemonSetStatus',
    },
  },
  'apps.v1.DaemonSetSpec': {
    template: {
      type: 'core.v1.PodTemplateSpec',
    },
  },
  'apps.v1.DaemonSetStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'apps.v1.Deployment': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'apps.v1.DeploymentSpec',
    },
    status: {
      type: 'apps.v1.DeploymentStatus',
    },
  },
  'apps.v1.DeploymentSpec': {
    strategy: {
      strategy: 'retainKeys',
    },
    template: {
      type: 'core.v1.PodTemplateSpec',
    },
  },
  'apps.v1.DeploymentStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'apps.v1.ReplicaSet': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'apps.v1.ReplicaSetSpec',
    },
    status: {
      type: 'apps.v1.ReplicaSetStatus',
    },
  },
  'apps.v1.ReplicaSetSpec': {
    template: {
      type: 'core.v1.PodTemplateSpec',
    },
  },
  'apps.v1.ReplicaSetStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'apps.v1.StatefulSet': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'apps.v1.StatefulSetSpec',
    },
    status: {
      type: 'apps.v1.StatefulSetStatus',
    },
  },
  'apps.v1.StatefulSetSpec': {
    template: {
      type: 'core.v1.PodTemplateSpec',
    },
    volumeClaimTemplates: {
      type: 'core.v1.PersistentVolumeClaim',
    },
  },
  'apps.v1.StatefulSetStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'authentication.v1.SelfSubjectReview': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'authentication.v1.TokenRequest': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'authentication.v1.TokenReview': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'authorization.v1.LocalSubjectAccessReview': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'authorization.v1.SelfSubjectAccessReview': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'authorization.v1.SelfSubjectRulesReview': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'authorization.v1.SubjectAccessReview': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'autoscaling.v1.HorizontalPodAutoscaler': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'autoscaling.v1.Scale': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'autoscaling.v2.HorizontalPodAutoscaler': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'autoscaling.v2.HorizontalPodAutoscalerStatus',
    },
  },
  'autoscaling.v2.HorizontalPodAutoscalerStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'batch.v1.CronJob': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'batch.v1.CronJobSpec',
    },
  },
  'batch.v1.CronJobSpec': {
    jobTemplate: {
      type: 'batch.v1.JobTemplateSpec',
    },
  },
  'batch.v1.Job': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'batch.v1.JobSpec',
    },
    status: {
      type: 'batch.v1.JobStatus',
    },
  },
  'batch.v1.JobSpec': {
    template: {
      type: 'core.v1.PodTemplateSpec',
    },
  },
  'batch.v1.JobStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'batch.v1.JobTemplateSpec': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'batch.v1.JobSpec',
    },
  },
  'certificates.v1.CertificateSigningRequest': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'certificates.v1alpha1.ClusterTrustBundle': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'certificates.v1beta1.ClusterTrustBundle': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'certificates.v1beta1.PodCertificateRequest': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'certificates.v1beta1.PodCertificateRequestStatus',
    },
  },
  'certificates.v1beta1.PodCertificateRequestStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'coordination.v1.Lease': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'coordination.v1alpha2.LeaseCandidate': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'coordination.v1beta1.LeaseCandidate': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.Binding': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.ComponentStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.ConfigMap': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.Container': {
    env: {
      key: 'name',
      strategy: 'merge',
    },
    ports: {
      key: 'containerPort',
      strategy: 'merge',
    },
    volumeDevices: {
      key: 'devicePath',
      strategy: 'merge',
    },
    volumeMounts: {
      key: 'mountPath',
      strategy: 'merge',
    },
  },
  'core.v1.ContainerStatus': {
    allocatedResourcesStatus: {
      key: 'name',
      strategy: 'merge',
    },
    volumeMounts: {
      key: 'mountPath',
      strategy: 'merge',
    },
  },
  'core.v1.Endpoints': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.EphemeralContainer': {
    env: {
      key: 'name',
      strategy: 'merge',
    },
    ports: {
      key: 'containerPort',
      strategy: 'merge',
    },
    volumeDevices: {
      key: 'devicePath',
      strategy: 'merge',
    },
    volumeMounts: {
      key: 'mountPath',
      strategy: 'merge',
    },
  },
  'core.v1.EphemeralVolumeSource': {
    volumeClaimTemplate: {
      type: 'core.v1.PersistentVolumeClaimTemplate',
    },
  },
  'core.v1.Event': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.LimitRange': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.Namespace': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'core.v1.NamespaceStatus',
    },
  },
  'core.v1.NamespaceStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'core.v1.Node': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'core.v1.NodeSpec',
    },
    status: {
      type: 'core.v1.NodeStatus',
    },
  },
  'core.v1.NodeSpec': {
    podCIDRs: {
      strategy: 'merge',
    },
  },
  'core.v1.NodeStatus': {
    addresses: {
      key: 'type',
      strategy: 'merge',
    },
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'core.v1.PersistentVolume': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.PersistentVolumeClaim': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'core.v1.PersistentVolumeClaimStatus',
    },
  },
  'core.v1.PersistentVolumeClaimStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'core.v1.PersistentVolumeClaimTemplate': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.Pod': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'core.v1.PodSpec',
    },
    status: {
      type: 'core.v1.PodStatus',
    },
  },
  'core.v1.PodSpec': {
    containers: {
      type: 'core.v1.Container',
      key: 'name',
      strategy: 'merge',
    },
    ephemeralContainers: {
      type: 'core.v1.EphemeralContainer',
      key: 'name',
      strategy: 'merge',
    },
    hostAliases: {
      key: 'ip',
      strategy: 'merge',
    },
    imagePullSecrets: {
      key: 'name',
      strategy: 'merge',
    },
    initContainers: {
      type: 'core.v1.Container',
      key: 'name',
      strategy: 'merge',
    },
    resourceClaims: {
      key: 'name',
      strategy: 'merge,retainKeys',
    },
    schedulingGates: {
      key: 'name',
      strategy: 'merge',
    },
    topologySpreadConstraints: {
      key: 'topologyKey',
      strategy: 'merge',
    },
    volumes: {
      type: 'core.v1.Volume',
      key: 'name',
      strategy: 'merge,retainKeys',
    },
  },
  'core.v1.PodStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
    containerStatuses: {
      type: 'core.v1.ContainerStatus',
    },
    ephemeralContainerStatuses: {
      type: 'core.v1.ContainerStatus',
    },
    hostIPs: {
      key: 'ip',
      strategy: 'merge',
    },
    initContainerStatuses: {
      type: 'core.v1.ContainerStatus',
    },
    podIPs: {
      key: 'ip',
      strategy: 'merge',
    },
    resourceClaimStatuses: {
      key: 'name',
      strategy: 'merge,retainKeys',
    },
  },
  'core.v1.PodTemplate': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    template: {
      type: 'core.v1.PodTemplateSpec',
    },
  },
  'core.v1.PodTemplateSpec': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'core.v1.PodSpec',
    },
  },
  'core.v1.ReplicationController': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'core.v1.ReplicationControllerSpec',
    },
    status: {
      type: 'core.v1.ReplicationControllerStatus',
    },
  },
  'core.v1.ReplicationControllerSpec': {
    template: {
      type: 'core.v1.PodTemplateSpec',
    },
  },
  'core.v1.ReplicationControllerStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'core.v1.ResourceQuota': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.Secret': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'core.v1.Service': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'core.v1.ServiceSpec',
    },
    status: {
      type: 'core.v1.ServiceStatus',
    },
  },
  'core.v1.ServiceAccount': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    secrets: {
      key: 'name',
      strategy: 'merge',
    },
  },
  'core.v1.ServiceSpec': {
    ports: {
      key: 'port',
      strategy: 'merge',
    },
  },
  'core.v1.ServiceStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'core.v1.Volume': {
    ephemeral: {
      type: 'core.v1.EphemeralVolumeSource',
    },
  },
  'discovery.v1.EndpointSlice': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'events.v1.Event': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'flowcontrol.v1.FlowSchema': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'flowcontrol.v1.FlowSchemaStatus',
    },
  },
  'flowcontrol.v1.FlowSchemaStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'flowcontrol.v1.PriorityLevelConfiguration': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'flowcontrol.v1.PriorityLevelConfigurationStatus',
    },
  },
  'flowcontrol.v1.PriorityLevelConfigurationStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'networking.v1.IPAddress': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'networking.v1.Ingress': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'networking.v1.IngressClass': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'networking.v1.NetworkPolicy': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'networking.v1.ServiceCIDR': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'networking.v1.ServiceCIDRStatus',
    },
  },
  'networking.v1.ServiceCIDRStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'networking.v1beta1.IPAddress': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'networking.v1beta1.ServiceCIDR': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'networking.v1beta1.ServiceCIDRStatus',
    },
  },
  'networking.v1beta1.ServiceCIDRStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'node.v1.RuntimeClass': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'policy.v1.Eviction': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'policy.v1.PodDisruptionBudget': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'policy.v1.PodDisruptionBudgetSpec',
    },
    status: {
      type: 'policy.v1.PodDisruptionBudgetStatus',
    },
  },
  'policy.v1.PodDisruptionBudgetSpec': {
    selector: {
      strategy: 'replace',
    },
  },
  'policy.v1.PodDisruptionBudgetStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'rbac.v1.ClusterRole': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'rbac.v1.ClusterRoleBinding': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'rbac.v1.Role': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'rbac.v1.RoleBinding': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'resource.v1.DeviceClass': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'resource.v1.ResourceClaim': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'resource.v1.ResourceClaimStatus',
    },
  },
  'resource.v1.ResourceClaimStatus': {
    reservedFor: {
      key: 'uid',
      strategy: 'merge',
    },
  },
  'resource.v1.ResourceClaimTemplate': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'resource.v1.ResourceClaimTemplateSpec',
    },
  },
  'resource.v1.ResourceClaimTemplateSpec': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'resource.v1.ResourceSlice': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'resource.v1alpha3.DeviceTaintRule': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'resource.v1alpha3.DeviceTaintRuleStatus',
    },
  },
  'resource.v1alpha3.DeviceTaintRuleStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'resource.v1alpha3.ResourcePoolStatusRequest': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'resource.v1alpha3.ResourcePoolStatusRequestStatus',
    },
  },
  'resource.v1alpha3.ResourcePoolStatusRequestStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'resource.v1beta1.DeviceClass': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'resource.v1beta1.ResourceClaim': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'resource.v1beta1.ResourceClaimStatus',
    },
  },
  'resource.v1beta1.ResourceClaimStatus': {
    reservedFor: {
      key: 'uid',
      strategy: 'merge',
    },
  },
  'resource.v1beta1.ResourceClaimTemplate': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'resource.v1beta1.ResourceClaimTemplateSpec',
    },
  },
  'resource.v1beta1.ResourceClaimTemplateSpec': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'resource.v1beta1.ResourceSlice': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'resource.v1beta2.DeviceClass': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'resource.v1beta2.DeviceTaintRule': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'resource.v1beta2.DeviceTaintRuleStatus',
    },
  },
  'resource.v1beta2.DeviceTaintRuleStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'resource.v1beta2.ResourceClaim': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'resource.v1beta2.ResourceClaimStatus',
    },
  },
  'resource.v1beta2.ResourceClaimStatus': {
    reservedFor: {
      key: 'uid',
      strategy: 'merge',
    },
  },
  'resource.v1beta2.ResourceClaimTemplate': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'resource.v1beta2.ResourceClaimTemplateSpec',
    },
  },
  'resource.v1beta2.ResourceClaimTemplateSpec': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'resource.v1beta2.ResourceSlice': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'scheduling.v1.PriorityClass': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'scheduling.v1alpha2.PodGroup': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'scheduling.v1alpha2.PodGroupSpec',
    },
    status: {
      type: 'scheduling.v1alpha2.PodGroupStatus',
    },
  },
  'scheduling.v1alpha2.PodGroupSpec': {
    resourceClaims: {
      key: 'name',
      strategy: 'merge,retainKeys',
    },
  },
  'scheduling.v1alpha2.PodGroupStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
    resourceClaimStatuses: {
      key: 'name',
      strategy: 'merge,retainKeys',
    },
  },
  'scheduling.v1alpha2.PodGroupTemplate': {
    resourceClaims: {
      key: 'name',
      strategy: 'merge,retainKeys',
    },
  },
  'scheduling.v1alpha2.Workload': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'scheduling.v1alpha2.WorkloadSpec',
    },
  },
  'scheduling.v1alpha2.WorkloadSpec': {
    podGroupTemplates: {
      type: 'scheduling.v1alpha2.PodGroupTemplate',
    },
  },
  'storage.v1.CSIDriver': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'storage.v1.CSINode': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'storage.v1.CSINodeSpec',
    },
  },
  'storage.v1.CSINodeSpec': {
    drivers: {
      key: 'name',
      strategy: 'merge',
    },
  },
  'storage.v1.CSIStorageCapacity': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'storage.v1.StorageClass': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'storage.v1.VolumeAttachment': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'storage.v1.VolumeAttributesClass': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'storage.v1beta1.VolumeAttributesClass': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
  },
  'storagemigration.v1beta1.StorageVersionMigration': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'storagemigration.v1beta1.StorageVersionMigrationStatus',
    },
  },
  'storagemigration.v1beta1.StorageVersionMigrationStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
  'apiextensions.v1.CustomResourceDefinition': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    spec: {
      type: 'apiextensions.v1.CustomResourceDefinitionSpec',
    },
  },
  'apiextensions.v1.CustomResourceDefinitionSpec': {
    versions: {
      type: 'apiextensions.v1.CustomResourceDefinitionVersion',
    },
  },
  'apiextensions.v1.CustomResourceDefinitionVersion': {
    schema: {
      type: 'apiextensions.v1.CustomResourceValidation',
    },
  },
  'apiextensions.v1.CustomResourceValidation': {
    openAPIV3Schema: {
      type: 'apiextensions.v1.JSONSchemaProps',
    },
  },
  'apiextensions.v1.JSONSchemaProps': {
    allOf: {
      type: 'apiextensions.v1.JSONSchemaProps',
    },
    anyOf: {
      type: 'apiextensions.v1.JSONSchemaProps',
    },
    not: {
      type: 'apiextensions.v1.JSONSchemaProps',
    },
    oneOf: {
      type: 'apiextensions.v1.JSONSchemaProps',
    },
    'x-kubernetes-validations': {
      key: 'rule',
      strategy: 'merge',
    },
  },
  'meta.v1.ObjectMeta': {
    finalizers: {
      strategy: 'merge',
    },
    ownerReferences: {
      key: 'uid',
      strategy: 'merge',
    },
  },
  'apiregistration.v1.APIService': {
    metadata: {
      type: 'meta.v1.ObjectMeta',
    },
    status: {
      type: 'apiregistration.v1.APIServiceStatus',
    },
  },
  'apiregistration.v1.APIServiceStatus': {
    conditions: {
      key: 'type',
      strategy: 'merge',
    },
  },
};
