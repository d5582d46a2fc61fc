import type { JsonObject } from '../json.ts';
import { type RestoreItemAction, updated } from './action.ts';
import { keepEntries, readObjects, readString } from './itemFields.ts';

/**
 * Removes the token that Kubernetes once made for the account: the last entry of `secrets` named `<account>-token-…`, only that one
 * (spec item-actions.md §5.16).
 */
export const serviceAccountAction: RestoreItemAction = {
  name: 'velero.io/service-account',
  appliesTo: { includedResources: ['serviceaccounts'] },
  execute: ({ item }) => updated(withoutToken(item)),
};

function withoutToken(account: JsonObject): JsonObject {
  const prefix = `${readString(account, ['metadata', 'name']) ?? ''}-token-`;
  const secrets = readObjects(account, ['secrets']);
  const token = secrets.findLastIndex((_, index) =>
    readString(account, ['secrets', index, 'name'])?.startsWith(prefix),
  );
  const kept = secrets.filter((_, index) => index !== token);
  return keepEntries(account, 'secrets', secrets, kept);
}
