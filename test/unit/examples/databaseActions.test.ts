import { describe, expect, it } from '@jest/globals';
import type { ActionCluster, ResourceIdentifier, RestoreItemActionOutput } from '../../../domain/actions/index.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { actions } from '../../../examples/databaseActions.ts';
import { loadActionModules } from '../../../worker/actionModules.ts';

const [action] = actions;
if (action === undefined) throw new Error('the example has no action');

const restore = {
  name: 'restore-1',
  namespace: 'velero',
  uid: 'uid',
  spec: { backupName: 'backup-1', namespaceMapping: { shop: 'copy' } },
};
const database: JsonObject = {
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { name: 'orders', namespace: 'shop' },
  spec: { secretName: 'orders-password', claimName: 'orders-data' },
};

/** A cluster that has these objects, by `resource namespace/name`. */
function clusterOf(objects: Readonly<Record<string, JsonObject>>): ActionCluster {
  return {
    get: (resource, namespace, name) => Promise.resolve(objects[`${resource} ${namespace ?? ''}/${name}`]),
    list: () => Promise.resolve([]),
  };
}

const secret: ResourceIdentifier = { group: '', resource: 'secrets', namespace: 'shop', name: 'orders-password' };
const claim: ResourceIdentifier = {
  group: '',
  resource: 'persistentvolumeclaims',
  namespace: 'shop',
  name: 'orders-data',
};

describe('the example of an action', () => {
  it('is a module that a worker can load', async () => {
    const path = new URL('../../../examples/databaseActions.ts', import.meta.url).pathname;
    expect((await loadActionModules([path])).map(({ name }) => name)).toEqual(['example.com/open-database']);
  });

  it('asks for secret and claim, a wait and an operation', async () => {
    const backup = { name: 'backup-1' } as Parameters<typeof action.execute>[0]['backup'];
    const input = { item: database, itemFromBackup: database, restore, backup, cluster: clusterOf({}) };
    const output: RestoreItemActionOutput = await action.execute(input);
    expect(output).toMatchObject({
      item: { spec: { open: true } },
      additionalItems: [secret, claim],
      waitForAdditionalItems: true,
      additionalItemsReadyTimeoutMs: 900_000,
      operationId: 'shop/orders',
    });
  });

  it.each([
    ['Pending', false],
    ['Bound', true],
  ])('with a claim that is %s says ready: %s', async (phase, ready) => {
    const cluster = clusterOf({ 'persistentvolumeclaims copy/orders-data': { status: { phase } } });
    expect(await action.areAdditionalItemsReady?.([secret, claim], { restore, cluster })).toBe(ready);
  });

  it.each<[string, Readonly<Record<string, JsonObject>>, object]>([
    ['goes on', { 'databases.example.com copy/orders': database }, { completed: false, description: 'opening' }],
    [
      'has ended',
      { 'databases.example.com copy/orders': { metadata: { annotations: { 'example.com/state': 'open' } } } },
      { completed: true, description: 'open' },
    ],
    ['has failed', {}, { completed: true, error: 'database shop/orders is gone' }],
  ])('tells that its operation %s', async (_title, objects, progress) => {
    expect(await action.progress?.('shop/orders', { restore, cluster: clusterOf(objects) })).toEqual(progress);
  });
});
