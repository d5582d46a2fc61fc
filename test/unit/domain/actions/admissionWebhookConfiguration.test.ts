import { describe, expect, it } from '@jest/globals';
import { admissionWebhookConfigurationAction } from '../../../../domain/actions/admissionWebhookConfiguration.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { runAction } from './runAction.ts';

function configuration(webhooks: Json | undefined, version = 'v1'): JsonObject {
  return {
    apiVersion: `admissionregistration.k8s.io/${version}`,
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'checks' },
    ...(webhooks === undefined ? {} : { webhooks }),
  };
}

const hook = (sideEffects: Json): JsonObject => ({ name: 'a.example.com', sideEffects, timeoutSeconds: 3 });

describe('velero.io/admission-webhook-configuration', () => {
  it.each<[string, Json | undefined, Json | undefined]>([
    ['Unknown', [hook('Unknown')], [hook('None')]],
    ['Some', [hook('Some')], [hook('None')]],
    [
      'several',
      [hook('Unknown'), hook('NoneOnDryRun'), hook('Some')],
      [hook('None'), hook('NoneOnDryRun'), hook('None')],
    ],
    ['None', [hook('None')], [hook('None')]],
    ['a missing one', [{ name: 'a' }], [{ name: 'a', sideEffects: 'None' }]],
    ['one that is no string', [hook(7)], [hook('None')]],
    ['an entry that is no object is dropped', ['x', hook('None')], [hook('None')]],
    ['no webhooks', undefined, undefined],
    ['an empty list', [], []],
  ])('sideEffects in v1: %s', async (_, webhooks, expected) => {
    const output = await runAction(admissionWebhookConfigurationAction, configuration(webhooks));
    expect(output.item).toEqual(configuration(expected));
  });

  it.each(['v1beta1', 'v1alpha1', 'v2'])('leaves %s alone', async (version) => {
    const item = configuration([hook('Unknown')], version);
    expect((await runAction(admissionWebhookConfigurationAction, item)).item).toEqual(item);
  });

  it('refuses webhooks that are no list', async () => {
    await expect(runAction(admissionWebhookConfigurationAction, configuration({ a: 1 }))).rejects.toThrow(
      'webhooks: expected a list, found an object',
    );
  });
});
