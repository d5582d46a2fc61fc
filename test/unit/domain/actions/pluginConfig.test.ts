import { describe, expect, it } from '@jest/globals';
import type { ActionCluster } from '../../../../domain/actions/action.ts';
import { changeImageNameAction } from '../../../../domain/actions/changeImageName.ts';
import { changeStorageClassAction } from '../../../../domain/actions/changeStorageClass.ts';
import { secretAction } from '../../../../domain/actions/secret.ts';
import type { Backup } from '../../../../domain/backup/backup.ts';
import { KubernetesUnreachable } from '../../../../domain/kubernetes/api.ts';

const UNREACHABLE = new KubernetesUnreachable('connect ECONNREFUSED');
const DEAD: ActionCluster = { get: () => Promise.reject(UNREACHABLE), list: () => Promise.reject(UNREACHABLE) };

describe('actions that ask the cluster', () => {
  it.each(
    [changeImageNameAction, changeStorageClassAction, secretAction].map((action) => [action.name, action] as const),
  )('%s lets a failure of the API server through as it is, so that the item can be tried again', async (_, action) => {
    const item = { type: 'kubernetes.io/service-account-token', metadata: { namespace: 'shop', name: 'x' } };
    const run = async (): Promise<unknown> =>
      action.execute({
        item,
        itemFromBackup: item,
        restore: { name: 'again', namespace: 'velero', uid: '1', spec: {} },
        backup: {} as Backup,
        cluster: DEAD,
      });
    await expect(run()).rejects.toBe(UNREACHABLE);
  });
});
