import { describe, expect, it } from '@jest/globals';
import { describeRestoreJson } from '../../../../domain/describe/describeRestoreJson.ts';
import type { Restore } from '../../../../domain/restore/restore.ts';

const restore: Restore = { name: 'r', namespace: 'velero', uid: 'u-1', spec: { backupName: 'full' } };

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
});
