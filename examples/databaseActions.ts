// Restore item actions of one's own: npx durable-restore worker --action-module ./databaseActions.js … (in your own code: from
// 'durable-restore/actions'). A Database object is restored after the Secret and the claim that it names, and not before the claim is
// bound; then the database is opened, which goes on for a while.
import {
  getString,
  getStringMap,
  mapNamespace,
  type ResourceIdentifier,
  type RestoreItemAction,
  RestoreItemActionExecuteOutput,
  setIn,
} from '../domain/actions/index.ts';

const DATABASES = 'databases.example.com';

/** Everything here may happen more than once: an action that is interrupted is executed again. */
const openDatabase: RestoreItemAction = {
  name: 'example.com/open-database',
  appliesTo: { includedResources: [DATABASES], labelSelector: '!example.com/manual' },

  execute({ item, itemFromBackup }) {
    const namespace = getString(itemFromBackup, ['metadata', 'namespace']) ?? '';
    const name = getString(itemFromBackup, ['metadata', 'name']) ?? '';
    const needs = (resource: string, path: string): ResourceIdentifier[] => {
      const named = getString(itemFromBackup, ['spec', path]);
      return named === undefined ? [] : [{ group: '', resource, namespace, name: named }];
    };
    return new RestoreItemActionExecuteOutput(setIn(item, ['spec', 'open'], true))
      .withAdditionalItems([...needs('secrets', 'secretName'), ...needs('persistentvolumeclaims', 'claimName')])
      .withItemsWait('15m')
      .withOperationId(`${namespace}/${name}`);
  },

  /** Asked at once, every second for half a minute, then ever more rarely, until it says yes or the 15 minutes are over. */
  async areAdditionalItemsReady(items, { restore, cluster }) {
    for (const { resource, namespace, name } of items) {
      if (resource !== 'persistentvolumeclaims') continue;
      const claim = await cluster.get(resource, mapNamespace(restore.spec, namespace), name);
      if (getString(claim, ['status', 'phase']) !== 'Bound') return false;
    }
    return true;
  },

  /** Asked when all items are restored, until it is completed or spec.itemOperationTimeout is over. */
  async progress(operationId, { restore, cluster }) {
    const [namespace = '', name = ''] = operationId.split('/');
    const database = await cluster.get(DATABASES, mapNamespace(restore.spec, namespace), name);
    if (database === undefined) return { completed: true, error: `database ${operationId} is gone` };
    const { 'example.com/state': state = 'opening' } = getStringMap(database, ['metadata', 'annotations']);
    return { completed: state === 'open', description: state };
  },
};

export const actions: readonly RestoreItemAction[] = [openDatabase];
