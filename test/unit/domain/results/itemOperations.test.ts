import { describe, expect, it } from '@jest/globals';
import type { OperationProgress } from '../../../../domain/actions/action.ts';
import {
  countOperations,
  operationMessages,
  operationsOf,
  type RestoreOperation,
  renderOperations,
  withFailure,
  withProgress,
  withTimeout,
} from '../../../../domain/results/itemOperations.ts';

const created = '2026-01-01T00:00:00Z';
const started = '2026-01-01T00:00:05Z';

function operation(): RestoreOperation {
  const [one] = operationsOf(
    { name: 'r', namespace: 'velero', uid: 'u', spec: {} },
    {
      index: 3,
      groupResource: 'deployments.apps',
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'shop',
      targetNamespace: 'copy',
      name: 'web',
    },
    {
      index: 3,
      action: 'created',
      tracked: true,
      at: created,
      operations: [{ action: 'a.b/c', operationId: 'id', created }],
    },
  );
  if (one === undefined) throw new Error('expected an operation');
  return one;
}

describe('operations of restores', () => {
  it('R-069, R-070 are recorded with target namespace, backup name and phase New', () => {
    expect(operation()).toEqual({
      spec: {
        restoreName: 'r',
        restoreUID: 'u',
        restoreItemAction: 'a.b/c',
        resourceIdentifier: { Group: 'apps', Resource: 'deployments', Namespace: 'copy', Name: 'web' },
        operationID: 'id',
      },
      status: { phase: 'New', created },
    });
  });

  it.each<[string, OperationProgress, RestoreOperation['status']]>([
    ['not begun', { completed: false }, { phase: 'New', created }],
    ['begun', { completed: false, started, nTotal: 2 }, { phase: 'InProgress', nTotal: 2, created, started }],
    [
      'ended',
      {
        completed: true,
        started,
        updated: started,
        nCompleted: 2,
        nTotal: 2,
        operationUnits: 'bytes',
        description: 'd',
      },
      {
        phase: 'Completed',
        nCompleted: 2,
        nTotal: 2,
        operationUnits: 'bytes',
        description: 'd',
        created,
        started,
        updated: started,
      },
    ],
    ['failed', { completed: true, error: 'e' }, { phase: 'Failed', error: 'e', created }],
    ['going on in spite of an error', { completed: false, error: 'e' }, { phase: 'New', created }],
  ])('%s', (_title, progress, status) => {
    expect(withProgress(operation(), progress).status).toEqual(status);
  });

  it('never go back from InProgress to New', () => {
    const begun = withProgress(operation(), { completed: false, started });
    expect(withProgress(begun, { completed: false }).status.phase).toBe('InProgress');
  });

  it('that failed are counted and told', () => {
    const all = [
      withFailure(operation(), 'no such plugin'),
      withTimeout(operation()),
      withProgress(operation(), { completed: true }),
      operation(),
    ];
    expect(countOperations(all)).toEqual({ attempted: 4, completed: 1, failed: 2 });
    expect(operationMessages(all).map(({ level, scope, text }) => [level, scope, text])).toEqual([
      ['error', 'velero', 'error from restore item operation: no such plugin'],
      ['error', 'velero', 'error from restore item operation: Asynchronous action timed out'],
    ]);
    expect(JSON.parse(renderOperations(all))).toHaveLength(4);
    expect(renderOperations([])).toBe('[]\n');
  });
});
