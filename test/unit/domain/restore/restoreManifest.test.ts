import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import {
  parseRestoreManifest,
  RestoreManifestError,
  toManifestObject,
} from '../../../../domain/restore/restoreManifest.ts';

const HEAD = 'apiVersion: velero.io/v1\nkind: Restore\n';

function problemsOf(text: string): readonly string[] {
  try {
    parseRestoreManifest(text);
  } catch (error) {
    if (error instanceof RestoreManifestError) return error.problems;
    throw error;
  }
  return [];
}

function problemsOfSpec(spec: string): readonly string[] {
  return problemsOf(`${HEAD}metadata: {name: r}\nspec: ${spec}\n`);
}

const everything = {
  backupName: 'full',
  scheduleName: '',
  includedNamespaces: ['shop'],
  excludedNamespaces: [],
  includedResources: ['*'],
  excludedResources: ['secrets'],
  namespaceMapping: { shop: 'copy' },
  labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }] },
  orLabelSelectors: [{ matchLabels: { e: 'f' } }],
  restorePVs: false,
  restoreStatus: { includedResources: ['pods'], excludedResources: [] },
  preserveNodePorts: true,
  includeClusterResources: true,
  hooks: { resources: [{ name: 'h', postHooks: [{ init: { initContainers: [{ name: 'a', tty: null }] } }] }] },
  existingResourcePolicy: 'update',
  itemOperationTimeout: '4h0m0s',
  resourceModifier: { apiGroup: '', kind: 'configmap', name: 'm' },
  uploaderConfig: { writeSparseFiles: true, parallelFilesDownload: 3 },
};

describe('parseRestoreManifest', () => {
  const manifest = { apiVersion: 'velero.io/v1', kind: 'Restore', metadata: { name: 'r' }, spec: everything };

  it.each([
    ['YAML', stringify(manifest)],
    ['JSON', JSON.stringify(manifest)],
    ['JSON with tabs', JSON.stringify(manifest, undefined, '\t')],
  ])('reads every field of the spec, hooks as written, from %s', (_, text) => {
    expect(parseRestoreManifest(text)).toEqual({ name: 'r', spec: everything });
  });

  it('reads what kubectl prints: status, other metadata and null are let pass', () => {
    const text = JSON.stringify({
      ...manifest,
      metadata: {
        name: 'r',
        namespace: 'velero',
        uid: 'u-1',
        labels: { a: 'b' },
        annotations: null,
        creationTimestamp: '2026-11-30T16:32:44Z',
        finalizers: ['restores.velero.io/external-resources-finalizer'],
        generation: 2,
        resourceVersion: '360',
        managedFields: [{ manager: 'velero' }],
      },
      spec: { backupName: 'full', restorePVs: null, labelSelector: null, restoreStatus: { includedResources: null } },
      status: { phase: 'Completed', whatever: 3 },
    });
    expect(parseRestoreManifest(text)).toEqual({
      name: 'r',
      namespace: 'velero',
      uid: 'u-1',
      labels: { a: 'b' },
      spec: { backupName: 'full', restoreStatus: {} },
    });
  });

  it.each([
    ['no spec', `${HEAD}metadata: {name: r}`],
    ['an empty document behind it', `---\n${HEAD}metadata: {name: r}\n---\n`],
    ['anchors', `${HEAD}metadata: &m {name: r}\nstatus: *m`],
  ])('takes %s', (_, text) => {
    expect(parseRestoreManifest(text)).toEqual({ name: 'r', spec: {} });
  });

  it('leaves the policy for the validation to judge', () => {
    const { spec } = parseRestoreManifest(`${HEAD}metadata: {name: r}\nspec: {existingResourcePolicy: replace}`);
    expect(spec.existingResourcePolicy).toBe('replace');
  });

  it.each([
    ['{backupName: 3}', 'spec.backupName: found 3, expected a string'],
    ['{includedNamespaces: shop}', 'spec.includedNamespaces: found "shop", expected an array'],
    ['{includedNamespaces: [shop, null]}', 'spec.includedNamespaces.1: found null, expected a string'],
    ['{namespaceMapping: {a: [b]}}', 'spec.namespaceMapping.a: found ["b"], expected a string'],
    ['{restorePVs: "true"}', 'spec.restorePVs: found "true", expected a boolean'],
    ['{preserveNodePorts: yes}', 'spec.preserveNodePorts: found "yes", expected a boolean'],
    ['{hooks: []}', 'spec.hooks: found [], expected a map'],
    [
      '{itemOperationTimeout: 3 days}',
      'spec.itemOperationTimeout: found "3 days", expected a Go duration such as 4h or 1h30m',
    ],
    ['{itemOperationTimeout: 3600}', 'spec.itemOperationTimeout: found 3600, expected a string'],
    ['{resourceModifier: {kind: configmap}}', 'spec.resourceModifier.name: found nothing, expected a string'],
    [
      '{uploaderConfig: {parallelFilesDownload: 1.5}}',
      'spec.uploaderConfig.parallelFilesDownload: found 1.5, expected an int',
    ],
    [
      '{labelSelector: {matchLabel: {}}}',
      'spec.labelSelector.matchLabel: unknown field (value {}), expected one of matchLabels, matchExpressions',
    ],
    [
      '{orLabelSelectors: [{matchExpressions: [{key: a, operator: In, value: b}]}]}',
      'spec.orLabelSelectors.0.matchExpressions.0.value: unknown field (value "b"), expected one of key, operator, values',
    ],
    [
      '{restoreStatus: {includeResources: []}}',
      'spec.restoreStatus.includeResources: unknown field (value []), expected one of includedResources, excludedResources',
    ],
    ['[]', 'spec: found [], expected an object'],
  ])('refuses the spec %s', (spec, problem) => {
    expect(problemsOfSpec(spec)).toEqual([problem]);
  });

  it('names every problem at once, and no value of what sounds like a secret', () => {
    const text =
      'apiVersion: velero.io/v2\nkind: Backup\nmetadata: {labels: {a: 1}}\nspec: {restorePvs: true, password: hunter2}\n';
    const problems = problemsOf(text);
    expect(problems).toHaveLength(6);
    expect(problems).toEqual(
      expect.arrayContaining([
        'apiVersion: found "velero.io/v2", expected "velero.io/v1"',
        'kind: found "Backup", expected "Restore"',
        'metadata.name: found nothing, expected a string',
        'metadata.labels.a: found 1, expected a string',
        expect.stringMatching(
          /^spec\.restorePvs: unknown field \(value true\), expected one of backupName, .*restorePVs/,
        ),
        expect.stringMatching(/^spec\.password: unknown field \(value a string\)/),
      ]),
    );
    expect(() => parseRestoreManifest(text)).toThrow(expect.objectContaining({ type: 'InvalidRestoreManifest' }));
    expect(() => parseRestoreManifest(text)).not.toThrow('hunter2');
  });

  it.each([
    ['', 'found 0 documents, expected one Restore'],
    ['a: 1\n---\nb: 2', 'found 2 documents, expected one Restore'],
    ['text', 'document: found "text", expected an object'],
    ['spec: {a: 1,\n  a: 2}', 'line 2, column 3: Map keys must be unique'],
    ['a: !secret b', 'line 1, column 4: Unresolved tag: !secret'],
    ['a: *b', 'Unresolved alias (the anchor must be set before the alias): b'],
    [
      'a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c]',
      'Excessive alias count indicates a resource exhaustion attack',
    ],
    [
      `${HEAD}metadata: {name: r}\nspec: {hooks: {a: [1, 9007199254740993]}}`,
      'spec.hooks.a.1: found 9007199254740993, expected an integer below 2^53',
    ],
  ])('refuses %j', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });
});

describe('toManifestObject', () => {
  it('is what was read', () => {
    const text = JSON.stringify({
      apiVersion: 'velero.io/v1',
      kind: 'Restore',
      metadata: { name: 'r', namespace: 'velero', labels: { a: 'b' } },
      spec: everything,
    });
    expect(toManifestObject(parseRestoreManifest(text))).toEqual(JSON.parse(text));
  });

  it('leaves out what is undefined', () => {
    const object = toManifestObject({ name: 'r', uid: undefined, spec: { backupName: 'b', restorePVs: undefined } });
    expect(JSON.stringify(object)).toBe(
      '{"apiVersion":"velero.io/v1","kind":"Restore","metadata":{"name":"r"},"spec":{"backupName":"b"}}',
    );
    expect(Object.keys(object['spec'] as object)).toEqual(['backupName']);
  });
});
