import { getString } from '../json.ts';
import { type RestoreItemAction, type RestoreItemActionInput, skipRestore, updated } from './action.ts';
import { readString, removeKeys } from './itemFields.ts';

/**
 * For service account tokens only: those that Kubernetes made for a ServiceAccount of the cluster are skipped, it makes new ones;
 * others lose what belongs to the old account, and Kubernetes fills it in again (spec item-actions.md §5.14).
 *
 * Looks at the ServiceAccounts of the namespace that the Secret is restored into. Velero looks at the original namespace even where
 * it is mapped, and so restores tokens that were made automatically.
 */
export const secretAction: RestoreItemAction = {
  name: 'velero.io/secret',
  appliesTo: { includedResources: ['secrets'] },
  async execute(input) {
    const { item } = input;
    if (readString(item, ['type']) !== 'kubernetes.io/service-account-token') return updated(item);
    if (await isAutoCreated(input)) return skipRestore(item);
    const withoutUid = removeKeys(item, ['metadata', 'annotations'], ['kubernetes.io/service-account.uid']);
    return updated(removeKeys(withoutUid, ['data'], ['token', 'ca.crt']));
  },
};

async function isAutoCreated({ item, restore, cluster }: RestoreItemActionInput): Promise<boolean> {
  const name = readString(item, ['metadata', 'name']) ?? '';
  const namespace = readString(item, ['metadata', 'namespace']) ?? '';
  const mapping = restore.spec.namespaceMapping ?? {};
  const target = Object.hasOwn(mapping, namespace) ? mapping[namespace] : namespace;
  const accounts = await cluster.list('serviceaccounts', target);
  return accounts.some((account) => name.startsWith(`${getString(account, ['metadata', 'name']) ?? ''}-token-`));
}
