import { describe, expect, it } from '@jest/globals';
import { admissionWebhookConfigurationAction } from '../../../../domain/actions/admissionWebhookConfiguration.ts';
import { clusterRoleBindingsAction } from '../../../../domain/actions/clusterRoleBindings.ts';
import { crdPreserveFieldsAction } from '../../../../domain/actions/crdPreserveFields.ts';
import { pvcAction } from '../../../../domain/actions/pvc.ts';
import { roleBindingsAction } from '../../../../domain/actions/roleBindings.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { parseJson, renderJson } from '../../../../domain/jsonText.ts';
import { runAction } from './runAction.ts';

function binding(subjects?: JsonObject[]): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace: 'shop', name: 'b' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'shop' },
    ...(subjects === undefined ? {} : { subjects }),
  };
}

const account = (namespace: string, name = 'web'): JsonObject => ({ kind: 'ServiceAccount', name, namespace });
const USER = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'system:serviceaccount:shop:web' };
const MAPPING = { shop: 'shop-copy', data: 'data-copy' };

describe.each([
  ['velero.io/role-bindings', roleBindingsAction],
  ['velero.io/cluster-role-bindings', clusterRoleBindingsAction],
])('%s', (_, action) => {
  it.each<[string, Record<string, string> | undefined, JsonObject[] | undefined, JsonObject[] | undefined]>([
    ['no mapping', undefined, [account('shop')], [account('shop')]],
    ['an empty mapping', {}, [account('shop')], [account('shop')]],
    ['no subjects', MAPPING, undefined, undefined],
    ['a mapped subject', MAPPING, [account('shop')], [account('shop-copy')]],
    ['an unmapped subject', MAPPING, [account('infra')], [account('infra')]],
    [
      'a mixed list, in its order',
      MAPPING,
      [account('infra'), account('data'), USER, account('shop')],
      [account('infra'), account('data-copy'), USER, account('shop-copy')],
    ],
    [
      'any kind of subject that has a namespace',
      MAPPING,
      [{ kind: 'Group', name: 'g', namespace: 'shop' }],
      [{ kind: 'Group', name: 'g', namespace: 'shop-copy' }],
    ],
    ['a chain, of which only the first step counts', { a: 'b', b: 'c' }, [account('a')], [account('b')]],
    ['a namespace named like a property of objects', MAPPING, [account('constructor')], [account('constructor')]],
  ])('%s', async (_name, namespaceMapping, subjects, expected) => {
    const output = await runAction(action, binding(subjects), { spec: { namespaceMapping } });
    expect(output.item).toEqual(binding(expected));
    expect(output.additionalItems).toEqual([]);
  });

  it('refuses a namespace that is no string', async () => {
    const item = binding([{ kind: 'ServiceAccount', name: 'web', namespace: 4 }]);
    await expect(runAction(action, item, { spec: { namespaceMapping: MAPPING } })).rejects.toThrow(
      'subjects[0].namespace: expected a string, found a number',
    );
  });
});

function claim(annotations: JsonObject | undefined, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'data', ...(annotations === undefined ? {} : { annotations }) },
    spec,
  };
}

describe('velero.io/pvc', () => {
  it.each([
    'pv.kubernetes.io/bind-completed',
    'pv.kubernetes.io/bound-by-controller',
    'volume.kubernetes.io/storage-provisioner',
    'volume.beta.kubernetes.io/storage-provisioner',
    'volume.kubernetes.io/selected-node',
    'velero.io/volume-snapshot-name',
    'velero.io/data-upload-name',
  ])('removes the annotation %s and keeps others', async (annotation) => {
    const output = await runAction(pvcAction, claim({ [annotation]: 'yes', 'example.com/team': 'shop' }));
    expect(output.item).toEqual(claim({ 'example.com/team': 'shop' }));
  });

  it('leaves out annotations where none is left', async () => {
    const output = await runAction(pvcAction, claim({ 'pv.kubernetes.io/bind-completed': 'yes' }));
    expect(output.item).toEqual(claim(undefined));
  });

  it('has nothing to do with a node mapping: the selected node always goes', async () => {
    const config: JsonObject = {
      metadata: {
        name: 'nodes',
        labels: { 'velero.io/plugin-config': '', 'velero.io/change-pvc-node-selector': 'RestoreItemAction' },
      },
      data: { n1: 'n2' },
    };
    const output = await runAction(pvcAction, claim({ 'volume.kubernetes.io/selected-node': 'n1' }), {
      cluster: { 'configmaps velero': [config] },
    });
    expect(output.item).toEqual(claim(undefined));
  });

  it('asks for the volume of the claim in the backup, whose status the item has lost', async () => {
    const item = claim(undefined, { volumeName: 'vol-1' });
    const output = await runAction(pvcAction, item, { itemFromBackup: { ...item, status: { phase: 'Bound' } } });
    expect(output.additionalItems).toEqual([
      { group: '', resource: 'persistentvolumes', namespace: '', name: 'vol-1' },
    ]);
    expect(output.item).toEqual(item);
  });

  it.each([
    ['not bound', { spec: { volumeName: 'vol-1' }, status: { phase: 'Pending' } }],
    ['without volume name', { spec: {}, status: { phase: 'Bound' } }],
  ])('asks for nothing for a claim %s', async (_, itemFromBackup) => {
    expect((await runAction(pvcAction, claim(undefined), { itemFromBackup })).additionalItems).toEqual([]);
  });

  it('refuses annotations that are no object', async () => {
    await expect(runAction(pvcAction, { metadata: { annotations: ['a'] } })).rejects.toThrow(
      'metadata.annotations: expected an object, found a list',
    );
  });
});

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
