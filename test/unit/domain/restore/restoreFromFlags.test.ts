import { describe, expect, it } from '@jest/globals';
import { RestoreFlagsError } from '../../../../domain/restore/flagValues.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { type RestoreFlags, restoreFromFlags } from '../../../../domain/restore/restoreFromFlags.ts';
import { parseRestoreManifest, toManifestObject } from '../../../../domain/restore/restoreManifest.ts';

const now = new Date(2026, 4, 4, 8, 0, 7);

function specOf(flags: RestoreFlags): RestoreSpec {
  return restoreFromFlags({ fromBackup: 'full', ...flags }, 'velero', now).spec;
}

describe('restoreFromFlags', () => {
  it('makes the least Restore as Velero does', () => {
    expect(restoreFromFlags({ name: 'r', fromBackup: 'full' }, 'velero', now)).toEqual({
      name: 'r',
      namespace: 'velero',
      spec: { backupName: 'full', includedNamespaces: ['*'], uploaderConfig: {} },
    });
  });

  it('R-450 takes all flags', () => {
    const manifest = restoreFromFlags(
      {
        name: 'r',
        fromSchedule: 'nightly',
        includeNamespaces: 'shop,data-*',
        excludeNamespaces: 'data-old',
        includeResources: 'pods,deployments.apps',
        excludeResources: 'secrets',
        statusIncludeResources: 'pods',
        statusExcludeResources: 'jobs.batch',
        namespaceMappings: ['a:b,c:d', 'e:f'],
        labels: ['x=1,y=2'],
        annotations: ['"z=a,b",w='],
        existingResourcePolicy: 'update',
        selector: 'app=web,tier in (b,a),!old',
        restoreVolumes: 'false',
        preserveNodeports: true,
        includeClusterResources: 'T',
        itemOperationTimeout: '90m',
        resourceModifierConfigmap: 'changes',
        writeSparseFiles: true,
        parallelFilesDownload: '4',
      },
      'velero',
      now,
    );
    expect(manifest).toEqual({
      name: 'r',
      namespace: 'velero',
      labels: { x: '1', y: '2' },
      annotations: { z: 'a,b', w: '' },
      spec: {
        scheduleName: 'nightly',
        includedNamespaces: ['shop', 'data-*'],
        excludedNamespaces: ['data-old'],
        includedResources: ['pods', 'deployments.apps'],
        excludedResources: ['secrets'],
        restoreStatus: { includedResources: ['pods'], excludedResources: ['jobs.batch'] },
        namespaceMapping: { a: 'b', c: 'd', e: 'f' },
        existingResourcePolicy: 'update',
        labelSelector: {
          matchLabels: { app: 'web' },
          matchExpressions: [
            { key: 'tier', operator: 'In', values: ['a', 'b'] },
            { key: 'old', operator: 'DoesNotExist' },
          ],
        },
        restorePVs: false,
        preserveNodePorts: true,
        includeClusterResources: true,
        itemOperationTimeout: '1h30m0s',
        resourceModifier: { apiGroup: '', kind: 'configmap', name: 'changes' },
        uploaderConfig: { writeSparseFiles: true, parallelFilesDownload: 4 },
      },
    });
    expect(parseRestoreManifest(JSON.stringify(toManifestObject(manifest)))).toEqual(manifest);
  });

  it.each<[RestoreFlags, string]>([
    [{ fromBackup: 'full' }, 'full-20260504080007'],
    [{ fromSchedule: 'nightly' }, 'nightly-20260504080007'],
  ])('names a restore without a name after its source: %j', (flags, name) => {
    expect(restoreFromFlags(flags, 'velero', now).name).toBe(name);
  });

  it.each<[RestoreFlags, Partial<RestoreSpec>]>([
    [{ includeNamespaces: 'a, b' }, { includedNamespaces: ['a', ' b'] }],
    [{ itemOperationTimeout: '0' }, {}],
    [{ existingResourcePolicy: '' }, {}],
    [{ resourceModifierConfigmap: '' }, {}],
    [{ statusExcludeResources: 'pods' }, {}],
    [{ restoreVolumes: true }, { restorePVs: true }],
    [
      { orSelector: 'a=b or c,d notin (e, f)' },
      {
        orLabelSelectors: [
          { matchLabels: { a: 'b' } },
          {
            matchExpressions: [
              { key: 'c', operator: 'Exists' },
              { key: 'd', operator: 'NotIn', values: ['e', 'f'] },
            ],
          },
        ],
      },
    ],
    [{ selector: '' }, { labelSelector: {} }],
    [{ selector: 'a==b, c = d ,e=' }, { labelSelector: { matchLabels: { a: 'b', c: 'd', e: '' } } }],
    [
      { selector: 'a in(x,),example.com/b' },
      {
        labelSelector: {
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['', 'x'] },
            { key: 'example.com/b', operator: 'Exists' },
          ],
        },
      },
    ],
    [{ namespaceMappings: ['a:b:c'] }, { namespaceMapping: { a: 'b:c' } }],
  ])('%j', (flags, expected) => {
    expect(specOf(flags)).toEqual({ backupName: 'full', includedNamespaces: ['*'], uploaderConfig: {}, ...expected });
  });

  it.each<[string, RestoreFlags, string]>([
    ['R-450 two sources', { fromSchedule: 's' }, 'either a backup or schedule must be specified, but not both'],
    ['no source', { fromBackup: '' }, 'either a backup or schedule must be specified, but not both'],
    [
      'two selectors',
      { selector: 'a', orSelector: 'b' },
      "either a 'selector' or an 'or-selector' can be specified, but not both",
    ],
    [
      'policy',
      { existingResourcePolicy: 'Update' },
      'existing-resource-policy has invalid value, it accepts only none, update as value',
    ],
    ['negative downloads', { parallelFilesDownload: '-1' }, 'parallel-files-download cannot be negative'],
    [
      'downloads',
      { parallelFilesDownload: 'many' },
      'invalid argument "many" for "--parallel-files-download" flag: expected an integer',
    ],
    [
      'mapping',
      { namespaceMappings: ['a:b,c'] },
      'invalid argument "a:b,c" for "--namespace-mappings" flag: error parsing "c", expected key:value',
    ],
    [
      'label without key',
      { labels: ['=b'] },
      'invalid argument "=b" for "--labels" flag: error parsing "=b", expected key=value',
    ],
    [
      'quotes inside an entry',
      { labels: ['a="b"'] },
      'invalid argument "a=\\"b\\"" for "--labels" flag: found a double quote inside an entry, expected it around the whole entry',
    ],
    [
      'empty name in a list',
      { includeNamespaces: '' },
      'invalid argument "" for "--include-namespaces" flag: found an empty name, expected names separated by commas',
    ],
    [
      'operator',
      { selector: 'a!=b' },
      'invalid argument "a!=b" for "--selector" flag: "!=" is not a valid label selector operator',
    ],
    [
      'comparison',
      { orSelector: 'a or b>1' },
      'invalid argument "b>1" for "--or-selector" flag: ">" is not a valid label selector operator',
    ],
  ])('refuses: %s', (_, flags, message) => {
    expect(() => specOf(flags)).toThrow(new RestoreFlagsError(message));
    expect(() => specOf(flags)).toThrow(expect.objectContaining({ type: 'InvalidRestoreFlags' }));
  });

  it.each<[RestoreFlags, RegExp]>([
    [
      { restoreVolumes: 'yes' },
      /^invalid argument "yes" for "--restore-volumes" flag: "yes" is no truth value: expected one of 1, t/,
    ],
    [
      { itemOperationTimeout: '1d' },
      /^invalid argument "1d" for "--item-operation-timeout" flag: .*expected a Go duration/,
    ],
    [
      { selector: 'a in b' },
      /^invalid argument "a in b" for "--selector" flag: label selector: text is "a in b", expected '\('/,
    ],
  ])('refuses with the reason: %j', (flags, message) => {
    expect(() => specOf(flags)).toThrow(message);
  });
});
