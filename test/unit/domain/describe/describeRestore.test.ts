import { describe, expect, it } from '@jest/globals';
import { describeRestore } from '../../../../domain/describe/describeRestore.ts';
import { describeRestoreJson } from '../../../../domain/describe/describeRestoreJson.ts';
import type { RestoreDescription } from '../../../../domain/describe/restoreDescription.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import type { Restore, RestorePhase, RestoreSpec, RestoreStatus } from '../../../../domain/restore/restore.ts';

function described(spec: RestoreSpec, status: Partial<RestoreStatus>, more: Partial<RestoreDescription> = {}): string {
  return describeRestore({
    restore: { name: 'nightly-7', namespace: 'velero', uid: 'u', spec: { backupName: 'nightly', ...spec } },
    status: { phase: 'Completed', ...status },
    ...more,
  });
}

/** The group of lines that starts with `label`. */
function group(text: string, label: string): string | undefined {
  return text
    .split('\n\n')
    .find((part) => part.startsWith(label))
    ?.trimEnd();
}

describe('describeRestore', () => {
  it('R-455 shows all sections in order', () => {
    const text = describeRestore({
      restore: {
        name: 'nightly-7',
        namespace: 'velero',
        uid: 'u',
        labels: { b: '2', a: '1' },
        spec: {
          backupName: 'nightly',
          includedNamespaces: ['shop', 'data-*'],
          excludedNamespaces: ['data-old'],
          excludedResources: ['nodes', 'events'],
          includeClusterResources: true,
          namespaceMapping: { shop: 'shop-copy', data: 'data-copy' },
          labelSelector: { matchLabels: { app: 'web' } },
          restorePVs: false,
          existingResourcePolicy: 'update',
          itemOperationTimeout: '4h0m0s',
          resourceModifier: { kind: 'configmap', name: 'changes' },
          uploaderConfig: { writeSparseFiles: true, parallelFilesDownload: 4 },
        },
      },
      status: {
        phase: 'PartiallyFailed',
        startTimestamp: '2026-05-04T08:00:00Z',
        completionTimestamp: '2026-05-04T08:01:10Z',
        progress: { totalItems: 12, itemsRestored: 12 },
        warnings: 1,
        errors: 3,
        hookStatus: { hooksAttempted: 2, hooksFailed: 1 },
      },
      results: {
        warnings: { cluster: ['could not restore, PriorityClass:x already exists.'] },
        errors: { velero: ['one', 'two\nlines'], namespaces: { shop: ['three'], data: ['four', 'five'] } },
      },
      resourceList: { 'v1/Pod': ['shop/a(created)', 'shop/b(failed)'], 'apps/v1/Deployment': ['shop/a(created)'] },
      extra: { workflowId: 'restore/default/velero/nightly-7', uiUrl: 'http://localhost:8233/namespaces/default' },
    });
    expect(text).toBe(`Name:         nightly-7
Namespace:    velero
Labels:       a=1
              b=2
Annotations:  <none>

Phase:                       PartiallyFailed (run 'durable-restore logs nightly-7' for more information)
Total items to be restored:  12
Items restored:              12

Started:    2026-05-04 08:00:00 +0000 UTC
Completed:  2026-05-04 08:01:10 +0000 UTC

Warnings:
  Velero:      <none>
  Cluster:     could not restore, PriorityClass:x already exists.
  Namespaces:  <none>

Errors:
  Velero:   one
            two lines
  Cluster:  <none>
  Namespaces:
    data:  four
           five
    shop:  three

Backup:  nightly

Namespaces:
  Included:  shop, data-*
  Excluded:  data-old

Resources:
  Included:        *
  Excluded:        nodes, events
  Cluster-scoped:  included

Namespace mappings:  data=data-copy
                     shop=shop-copy

Label selector:  app=web

Or label selector:  <none>

Restore PVs:  false

Existing Resource Policy:  update
ItemOperationTimeout:      4h0m0s

Preserve Service NodePorts:  auto

Resource modifier:
  Type:  configmap
  Name:  changes

Uploader config:
  Write Sparse Files:  true
  Parallel Restore:    4

HooksAttempted:  2
HooksFailed:     1

Workflow:     restore/default/velero/nightly-7
Workflow UI:  http://localhost:8233/namespaces/default

Resource List:
  apps/v1/Deployment:
    - shop/a(created)
  v1/Pod:
    - shop/a(created)
    - shop/b(failed)
`);
  });

  it.each<[RestorePhase, string]>([
    ['InProgress', 'Estimated total items to be restored:'],
    ['Completed', 'Total items to be restored:'],
  ])('calls the numbers of a restore in phase %s as Velero does', (phase, label) => {
    const text = described({}, { phase, progress: { totalItems: 3, itemsRestored: 2 } });
    expect(group(text, 'Phase:')?.split('\n')[1]).toMatch(new RegExp(`^${label} +3$`));
  });

  it.each<[RestorePhase, string | undefined, boolean]>([
    ['Completed', 'green', false],
    ['FailedValidation', 'red', false],
    ['PartiallyFailed', 'red', true],
    ['Failed', 'red', true],
    ['InProgress', undefined, false],
    ['New', undefined, false],
  ])('paints %s %s', (phase, colour, hasHint) => {
    const restore = { name: 'r', namespace: 'velero', uid: 'u', spec: {} };
    const text = describeRestore({ restore, status: { phase } }, (name, painted) => `<${name}>${painted}</>`);
    const line = group(text, 'Phase:')!;
    expect(line.startsWith(`Phase:  ${colour === undefined ? phase : `<${colour}>${phase}</>`}`)).toBe(true);
    expect(line.includes('logs r')).toBe(hasHint);
  });

  it('lists validation errors, and no times', () => {
    const text = described({}, { phase: 'FailedValidation', validationErrors: ['one', 'two'] });
    expect(group(text, 'Started:')).toBe('Started:    <n/a>\nCompleted:  <n/a>');
    expect(group(text, 'Validation errors:')).toBe('Validation errors:  one\n                    two');
  });

  it('R-457 aligns Velero and Cluster, namespaces one block each or none', () => {
    const results = { warnings: { namespaces: { b: ['1'], a: ['2', '3'] } }, errors: { cluster: ['c'] } };
    const text = described({}, { warnings: 3, errors: 1 }, { results });
    expect(group(text, 'Warnings:')).toBe(
      'Warnings:\n  Velero:   <none>\n  Cluster:  <none>\n  Namespaces:\n    a:  2\n        3\n    b:  1',
    );
    expect(group(text, 'Errors:')).toBe('Errors:\n  Velero:      <none>\n  Cluster:     c\n  Namespaces:  <none>');
  });

  it('has no results where there are none, and says so where they cannot be had', () => {
    expect(described({}, {}, { results: { warnings: {}, errors: {} } })).not.toMatch(/Warnings|Errors/);
    const text = described({}, { errors: 3 });
    expect(group(text, 'Errors:')).toBe('Errors:  3 (the results file is not available)');
    expect(text).not.toContain('Warnings');
  });

  it.each<[string, RestoreSpec['uploaderConfig'], string | undefined]>([
    ['nil', undefined, undefined],
    [
      'both',
      { writeSparseFiles: true, parallelFilesDownload: 2 },
      '  Write Sparse Files:  true\n  Parallel Restore:    2',
    ],
    ['sparse only', { writeSparseFiles: true }, '  Write Sparse Files:  true'],
    ['parallel only', { parallelFilesDownload: 2 }, '  Parallel Restore:  2'],
  ])('R-460 uploader config %s', (_, uploaderConfig, lines) => {
    const found = group(described({ uploaderConfig }, {}), 'Uploader config:');
    expect(found).toBe(lines === undefined ? undefined : `Uploader config:\n${lines}`);
  });

  const podVolume = (pod: string, volumeName: string, Phase: string): JsonObject => ({
    restoreMethod: 'PodVolumeRestore',
    pvrInfo: { uploaderType: 'kopia', podNamespace: 'shop', podName: pod, volumeName, Phase },
  });
  const csi: JsonObject = {
    pvcNamespace: 'shop',
    pvcName: 'data',
    restoreMethod: 'CSISnapshot',
    snapshotDataMoved: false,
    csiSnapshotInfo: { vscName: 'content', snapshotHandle: 'handle', driver: 'driver' },
  };
  const moved: JsonObject = {
    pvcNamespace: 'shop',
    pvcName: 'files',
    restoreMethod: 'CSISnapshot',
    snapshotDataMoved: true,
    snapshotDataMovementInfo: { operationID: 'op', dataMover: 'velero', uploaderType: 'kopia' },
  };
  const podVolumes = [
    podVolume('web', 'b', 'Completed'),
    podVolume('web', 'a', 'Completed'),
    podVolume('db', 'x', 'Failed'),
  ];

  it.each<[string, JsonObject[], boolean, string | undefined]>([
    ['none', [csi], true, undefined],
    [
      'no details',
      podVolumes,
      false,
      'kopia Restores (specify --details for more information):\n  Completed:  2\n  Failed:     1',
    ],
    ['details', podVolumes, true, 'kopia Restores:\n  Completed:\n    shop/web: a, b\n  Failed:\n    shop/db: x'],
  ])('R-459 volumes of pods: %s', (_, volumeInfo, details, lines) => {
    expect(group(described({}, {}, { volumeInfo, details }), 'kopia Restores')).toBe(lines);
  });

  const snapshotText =
    '  shop/data:\n    Snapshot:\n      Snapshot Content Name: content\n      Storage Snapshot ID: handle\n      CSI Driver: driver';
  const movedText =
    '  shop/files:\n    Data Movement:\n      Operation ID: op\n      Data Mover: velero\n      Uploader Type: kopia';

  it.each<[string, JsonObject[], boolean, string]>([
    ['none', [], true, 'CSI Snapshot Restores:  <none included>'],
    [
      'only native ones',
      [{ restoreMethod: 'NativeSnapshot', snapshotDataMoved: false }],
      true,
      'CSI Snapshot Restores:  <none included>',
    ],
    ['snapshots in detail', [csi], true, `CSI Snapshot Restores:\n${snapshotText}`],
    ['moved data in detail', [moved], true, `CSI Snapshot Restores:\n${movedText}`],
    [
      'both, those that were not moved first',
      [moved, csi],
      false,
      'CSI Snapshot Restores:\n  shop/data:\n    Snapshot: specify --details for more information\n  shop/files:\n    Data Movement: specify --details for more information',
    ],
  ])('R-461 CSI snapshots: %s', (_, volumeInfo, details, lines) => {
    expect(group(described({}, {}, { volumeInfo, details }), 'CSI Snapshot Restores')).toBe(lines);
  });

  it('R-461 has no section of volumes where the file is missing', () => {
    expect(described({}, {})).not.toContain('CSI Snapshot Restores');
  });

  it('R-462 resource modifier', () => {
    const text = described({ resourceModifier: { kind: 'ConfigMap', name: 'm' } }, {});
    expect(group(text, 'Resource modifier:')).toBe('Resource modifier:\n  Type:  ConfigMap\n  Name:  m');
  });

  it.each<[RestoreSpec, string]>([
    [{}, 'Namespaces:\n  Included:  all namespaces found in the backup\n  Excluded:  <none>'],
    [
      { includedNamespaces: ['*'] },
      'Namespaces:\n  Included:  all namespaces found in the backup\n  Excluded:  <none>',
    ],
    [
      { includedResources: ['pods'], includeClusterResources: false },
      'Resources:\n  Included:        pods\n  Excluded:        <none>\n  Cluster-scoped:  excluded',
    ],
    [
      { orLabelSelectors: [{ matchLabels: { a: 'b' } }, { matchLabels: { c: 'd' } }] },
      'Or label selector:  a=b or c=d',
    ],
    [{ restorePVs: true }, 'Restore PVs:  true'],
    [{ preserveNodePorts: false }, 'Preserve Service NodePorts:  false'],
    [{ existingResourcePolicy: '' }, 'Existing Resource Policy:  <none>\nItemOperationTimeout:      <none>'],
  ])('shows the filters of %j', (spec, expected) => {
    expect(
      described(spec, {})
        .split('\n\n')
        .map((part) => part.trimEnd()),
    ).toContain(expected);
  });

  it('shows why a restore failed', () => {
    const text = described({}, { phase: 'Failed', failureReason: 'the backup cannot be read' });
    expect(group(text, 'Failure reason:')).toBe('Failure reason:  the backup cannot be read');
  });

  it('lets no control characters through', () => {
    const results = { warnings: {}, errors: { cluster: ['\u001b]0;title\u0007'] } };
    const text = described({ backupName: 'b\u001b[2J' }, { errors: 1 }, { results });
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

const restore: Restore = { name: 'r', namespace: 'velero', uid: 'u-1', spec: { backupName: 'full' } };

describe('the section of operations', () => {
  const status = { restoreItemOperationsAttempted: 1, restoreItemOperationsCompleted: 1, hookStatus: {} };
  const itemOperations: JsonObject[] = [{ spec: { operationID: 'operation-1' }, status: { phase: 'Completed' } }];

  it('R-458 is before that of hooks, short without details', () => {
    const text = described({}, status, { itemOperations });
    expect(group(text, 'Restore Item Operations:')).toContain('1 of 1 completed successfully, 0 failed');
    expect(text.indexOf('Restore Item Operations:')).toBeLessThan(text.indexOf('HooksAttempted:'));
  });

  it('R-458 names each operation with details', () => {
    expect(group(described({}, status, { itemOperations, details: true }), 'Restore Item Operations:')).toMatch(
      /Operation ID: +operation-1$/m,
    );
  });
});

describe('describeRestoreJson', () => {
  it('leaves out what is not known', () => {
    expect(JSON.parse(describeRestoreJson({ restore, status: { phase: 'New' } }))).toEqual({
      metadata: { name: 'r', namespace: 'velero', uid: 'u-1', labels: {}, annotations: {} },
      phase: 'New',
      spec: {
        backup: 'full',
        namespaces: { included: ['*'], excluded: [] },
        resources: { included: ['*'], excluded: [], clusterScoped: 'auto' },
        namespaceMappings: {},
        restorePVs: 'auto',
        preserveNodePorts: 'auto',
      },
      status: { warnings: 0, errors: 0 },
    });
  });

  it('has everything that is known', () => {
    const text = describeRestoreJson({
      restore: {
        ...restore,
        spec: {
          scheduleName: 'nightly',
          includedNamespaces: ['shop'],
          excludedResources: ['nodes'],
          includeClusterResources: false,
          labelSelector: { matchLabels: { a: 'b' } },
          orLabelSelectors: [{ matchLabels: { c: 'd' } }],
          existingResourcePolicy: 'update',
          resourceModifier: { apiGroup: '', kind: 'configmap', name: 'm' },
          uploaderConfig: { parallelFilesDownload: 2 },
        },
      },
      status: {
        phase: 'PartiallyFailed',
        validationErrors: ['v'],
        warnings: 1,
        errors: 2,
        startTimestamp: '2026-05-04T08:00:00Z',
        progress: { totalItems: 5, itemsRestored: 4 },
        hookStatus: { hooksAttempted: 1 },
      },
      results: { warnings: { cluster: ['<w> & more'] }, errors: { velero: ['e'], namespaces: { shop: ['n'] } } },
      resourceList: { 'v1/Pod': ['shop/a(created)'] },
      extra: { workflowId: 'restore/default/velero/r' },
    });
    expect(text.startsWith('{\n    "metadata": {\n        "name": "r"')).toBe(true);
    expect(text.endsWith('}\n')).toBe(true);
    expect(text).toContain('<w> & more');
    expect(JSON.parse(text)).toMatchObject({
      phase: 'PartiallyFailed',
      validationErrors: ['v'],
      warnings: { velero: [], cluster: ['<w> & more'], namespaces: {} },
      errors: { velero: ['e'], cluster: [], namespaces: { shop: ['n'] } },
      spec: {
        schedule: 'nightly',
        namespaces: { included: ['shop'], excluded: [] },
        resources: { included: ['*'], excluded: ['nodes'], clusterScoped: 'excluded' },
        labelSelector: 'a=b',
        orLabelSelectors: ['c=d'],
        existingResourcePolicy: 'update',
        resourceModifier: { type: 'configmap', name: 'm' },
        uploaderConfig: { parallelFilesDownload: 2 },
      },
      status: {
        started: '2026-05-04T08:00:00Z',
        totalItemsToBeRestored: 5,
        itemsRestored: 4,
        warnings: 1,
        errors: 2,
        hooksAttempted: 1,
        hooksFailed: 0,
        resourceList: { 'v1/Pod': ['shop/a(created)'] },
      },
      workflow: { id: 'restore/default/velero/r' },
    });
  });

  it('calls the numbers of a running restore estimates', () => {
    const status = { phase: 'InProgress', progress: { totalItems: 5, itemsRestored: 1 } } as const;
    const described = JSON.parse(describeRestoreJson({ restore, status })) as { status: object };
    expect(described.status).toEqual({
      estimatedTotalItemsToBeRestored: 5,
      itemsRestoredSoFar: 1,
      warnings: 0,
      errors: 0,
    });
  });

  it('R-458 has the operations of actions; integers keep their digits', () => {
    const itemOperations: JsonObject[] = [{ spec: { operationID: 'o' }, status: { nTotal: 9_007_199_254_740_993n } }];
    const status = {
      phase: 'Completed',
      restoreItemOperationsAttempted: 2,
      restoreItemOperationsCompleted: 1,
    } as const;
    const described = JSON.parse(describeRestoreJson({ restore, status, itemOperations })) as { status: object };
    expect(described.status).toEqual({
      warnings: 0,
      errors: 0,
      itemOperationsAttempted: 2,
      itemOperationsCompleted: 1,
      itemOperations: [{ spec: { operationID: 'o' }, status: { nTotal: '9007199254740993' } }],
    });
  });
});
