import { isObject, type Json, type JsonObject, setIn } from '../json.ts';
import { type RestoreItemAction, updated } from './action.ts';
import { readList, readString } from './itemFields.ts';

const ALLOWED_SIDE_EFFECTS: readonly (Json | undefined)[] = ['None', 'NoneOnDryRun'];

/**
 * Sets `sideEffects` of webhooks to `None` where v1 does not allow what v1beta1 did (spec item-actions.md §5.2). Other
 * versions stay as they are; entries that are no objects are dropped.
 */
export const admissionWebhookConfigurationAction: RestoreItemAction = {
  name: 'velero.io/admission-webhook-configuration',
  appliesTo: { includedResources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'] },
  execute: ({ item }) => updated(withAllowedSideEffects(item)),
};

function withAllowedSideEffects(item: JsonObject): JsonObject {
  if (readString(item, ['apiVersion']) !== 'admissionregistration.k8s.io/v1') return item;
  const webhooks = readList(item, ['webhooks']);
  if (webhooks === undefined) return item;
  const allowed = webhooks.filter(isObject).map(withAllowedSideEffect);
  return setIn(item, ['webhooks'], allowed);
}

function withAllowedSideEffect(webhook: JsonObject): JsonObject {
  return ALLOWED_SIDE_EFFECTS.includes(webhook['sideEffects']) ? webhook : { ...webhook, sideEffects: 'None' };
}
