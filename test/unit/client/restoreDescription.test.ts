import { describe, expect, it } from '@jest/globals';
import { parseRestoreWorkflowId } from '../../../client/restoreDescription.ts';
import { restoreWorkflowId } from '../../../domain/contract.ts';

describe('parseRestoreWorkflowId', () => {
  it('reads what restoreWorkflowId makes', () => {
    const id = restoreWorkflowId('east', 'velero', 'copy');
    expect(parseRestoreWorkflowId(id)).toEqual({ cluster: 'east', namespace: 'velero', name: 'copy' });
  });

  it.each([
    'restore/east/velero',
    'restore/east/velero/copy/00000000',
    'other/east/velero/copy',
    'restore//velero/copy',
  ])('knows that %s is none', (id) => {
    expect(parseRestoreWorkflowId(id)).toBeUndefined();
  });
});
