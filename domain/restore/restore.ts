import type { JsonObject } from '../json.ts';

/** A label selector as in metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[]
    | undefined;
}

export type ExistingResourcePolicy = 'none' | 'update';

/** `spec` of a Velero Restore; field by field in spec restore-pipeline.md §2. Durations are Go duration texts. */
export interface RestoreSpec {
  readonly backupName?: string | undefined;
  readonly scheduleName?: string | undefined;
  readonly includedNamespaces?: readonly string[] | undefined;
  readonly excludedNamespaces?: readonly string[] | undefined;
  readonly includedResources?: readonly string[] | undefined;
  readonly excludedResources?: readonly string[] | undefined;
  readonly namespaceMapping?: Readonly<Record<string, string>> | undefined;
  readonly labelSelector?: LabelSelector | undefined;
  readonly orLabelSelectors?: readonly LabelSelector[] | undefined;
  readonly restorePVs?: boolean | undefined;
  readonly restoreStatus?:
    | {
        readonly includedResources?: readonly string[] | undefined;
        readonly excludedResources?: readonly string[] | undefined;
      }
    | undefined;
  readonly preserveNodePorts?: boolean | undefined;
  readonly includeClusterResources?: boolean | undefined;
  /** Parsed by the hooks rooms; kept as written. */
  readonly hooks?: JsonObject | undefined;
  readonly existingResourcePolicy?: '' | ExistingResourcePolicy | undefined;
  readonly itemOperationTimeout?: string | undefined;
  readonly resourceModifier?:
    | { readonly apiGroup?: string | undefined; readonly kind: string; readonly name: string }
    | undefined;
  readonly uploaderConfig?:
    | { readonly writeSparseFiles?: boolean | undefined; readonly parallelFilesDownload?: number | undefined }
    | undefined;
}

export type RestorePhase =
  | 'New'
  | 'FailedValidation'
  | 'InProgress'
  | 'WaitingForPluginOperations'
  | 'WaitingForPluginOperationsPartiallyFailed'
  | 'Finalizing'
  | 'FinalizingPartiallyFailed'
  | 'Completed'
  | 'PartiallyFailed'
  | 'Failed';

/** `status` of a Velero Restore (spec cli-and-status.md §8); zero values are left out. */
export interface RestoreStatus {
  readonly phase: RestorePhase;
  readonly validationErrors?: readonly string[] | undefined;
  readonly warnings?: number | undefined;
  readonly errors?: number | undefined;
  readonly failureReason?: string | undefined;
  readonly startTimestamp?: string | undefined;
  readonly completionTimestamp?: string | undefined;
  readonly progress?: { readonly totalItems: number; readonly itemsRestored: number } | undefined;
  readonly restoreItemOperationsAttempted?: number | undefined;
  readonly restoreItemOperationsCompleted?: number | undefined;
  readonly restoreItemOperationsFailed?: number | undefined;
  readonly hookStatus?:
    | { readonly hooksAttempted?: number | undefined; readonly hooksFailed?: number | undefined }
    | undefined;
}

/** A Velero Restore as far as a restore itself needs it. */
export interface Restore {
  readonly name: string;
  /** Velero's namespace: where the Restore object is or would be. */
  readonly namespace: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly spec: RestoreSpec;
}
