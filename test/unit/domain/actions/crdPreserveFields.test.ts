import { describe, expect, it } from '@jest/globals';
import { crdPreserveFieldsAction } from '../../../../domain/actions/crdPreserveFields.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { parseJson, renderJson } from '../../../../domain/jsonText.ts';
import { runAction } from './runAction.ts';

const FLAG = 'x-kubernetes-preserve-unknown-fields';

function crd(spec: JsonObject, version = 'v1'): JsonObject {
  return {
    apiVersion: `apiextensions.k8s.io/${version}`,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec,
  };
}

describe('velero.io/crd-preserve-fields', () => {
  it('moves the flag to the schema of every version that has one; false is what a missing field means', async () => {
    const item = crd({
      group: 'example.com',
      preserveUnknownFields: true,
      versions: [
        { name: 'v1', schema: { openAPIV3Schema: { type: 'object' } } },
        { name: 'v2', schema: {} },
        { name: 'v3' },
        { name: 'v4', schema: { openAPIV3Schema: { type: 'object', [FLAG]: true } } },
        { name: 'v5', schema: { openAPIV3Schema: {} } },
      ],
    });
    expect((await runAction(crdPreserveFieldsAction, item)).item).toEqual(
      crd({
        group: 'example.com',
        versions: [
          { name: 'v1', schema: { openAPIV3Schema: { type: 'object', [FLAG]: true } } },
          { name: 'v2', schema: {} },
          { name: 'v3' },
          { name: 'v4', schema: { openAPIV3Schema: { type: 'object', [FLAG]: true } } },
          { name: 'v5', schema: { openAPIV3Schema: { [FLAG]: true } } },
        ],
      }),
    );
  });

  it.each<[string, JsonObject]>([
    ['without the flag', crd({ versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object' } } }] })],
    [
      'with the flag false',
      crd({ preserveUnknownFields: false, versions: [{ name: 'v1', schema: { openAPIV3Schema: {} } }] }),
    ],
    ['of v1beta1', crd({ preserveUnknownFields: true, validation: { openAPIV3Schema: {} } }, 'v1beta1')],
  ])('leaves a CRD %s alone', async (_, item) => {
    expect((await runAction(crdPreserveFieldsAction, item)).item).toEqual(item);
  });

  it('keeps integers, decimals and integers beyond 2^53 in fields of the schema', async () => {
    const numbers = '{"maximum":5,"minimum":0.5,"multipleOf":9007199254740993}';
    const text = (flag: string, schemaFlag: string): string =>
      `{"apiVersion":"apiextensions.k8s.io/v1","spec":{${flag}"versions":[{"schema":{"openAPIV3Schema":{"properties":{"n":${numbers}}${schemaFlag}}}}]}}`;
    const output = await runAction(
      crdPreserveFieldsAction,
      parseJson(text('"preserveUnknownFields":true,', '')) as JsonObject,
    );
    expect(renderJson(output.item)).toBe(text('', `,"${FLAG}":true`));
  });

  it.each<[JsonObject, string]>([
    [{ preserveUnknownFields: 'true' }, 'spec.preserveUnknownFields: expected a boolean, found a string'],
    [{ preserveUnknownFields: true, versions: {} }, 'spec.versions: expected a list, found an object'],
    [
      { preserveUnknownFields: true, versions: [{ schema: { openAPIV3Schema: [] } }] },
      'spec.versions[0].schema.openAPIV3Schema: expected an object, found a list',
    ],
  ])('refuses %j', async (spec, message) => {
    await expect(runAction(crdPreserveFieldsAction, crd(spec))).rejects.toThrow(message);
  });
});
