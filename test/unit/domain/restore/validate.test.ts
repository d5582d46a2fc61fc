import { describe, expect, it } from '@jest/globals';
import type { Backup } from '../../../../domain/backup/backup.ts';
import { NON_RESTORABLE_RESOURCES } from '../../../../domain/restore/nonRestorable.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { backupPhaseWarnings, type RestoreValidation, validateRestore } from '../../../../domain/restore/validate.ts';

/** Any text may stand where a manifest is concerned. */
type LooseSpec = Omit<RestoreSpec, 'existingResourcePolicy'> & { readonly existingResourcePolicy?: string | undefined };

function validate(spec: LooseSpec, name = 'r1'): RestoreValidation {
  return validateRestore(spec as RestoreSpec, { name, namespace: 'velero' });
}

const ONE_SOURCE = 'Either a backup or schedule must be specified as a source for the restore, but not both';
const ONE_SELECTOR = 'encountered labelSelector as well as orLabelSelectors in restore spec, only one can be specified';
const resources = (text: string): string => `Invalid included/excluded resource lists: ${text}`;
const namespaces = (text: string): string => `Invalid included/excluded namespace lists: ${text}`;
const STAR_ALONE = "includes list must either contain '*' only, or a non-empty list of items";
const NO_STAR = "excludes list cannot contain '*'";
const inBoth = (item: string): string => `excludes list cannot contain an item in the includes list: ${item}`;
const BAD_CONTAINER =
  'invalid init container in restore hook "h": invalid InitContainer in restore hook, it doesn\'t have Command, Name or Image field';
const backupName = 'full';

describe('validateRestore as Velero', () => {
  it.each<[string, LooseSpec, string[]]>([
    ['R-289 golden backup-and-schedule', { backupName, scheduleName: 'nightly' }, [ONE_SOURCE]],
    ['R-288 golden no-backup-name', { includedNamespaces: ['shop'] }, [ONE_SOURCE]],
    ['R-318 empty names are none', { backupName: '', scheduleName: '' }, [ONE_SOURCE]],
    ['R-318 a schedule', { scheduleName: 'nightly' }, []],
    ['R-318 a backup', { backupName, scheduleName: '' }, []],
    [
      'R-290 golden both-selectors',
      { backupName, labelSelector: { matchLabels: { a: 'b' } }, orLabelSelectors: [{ matchLabels: { c: 'd' } }] },
      [ONE_SELECTOR],
    ],
    [
      'golden everything-wrong',
      {
        includedResources: ['*', 'nodes'],
        excludedResources: ['*'],
        includedNamespaces: ['*', 'shop'],
        excludedNamespaces: ['*'],
        labelSelector: { matchLabels: { a: 'b' } },
        orLabelSelectors: [{ matchLabels: { c: 'd' } }],
        existingResourcePolicy: 'UPDATE',
      },
      [
        'nodes are non-restorable resources',
        resources(STAR_ALONE),
        resources(NO_STAR),
        resources(inBoth('*')),
        resources(inBoth('nodes')),
        namespaces(STAR_ALONE),
        namespaces(NO_STAR),
        namespaces(inBoth('*')),
        ONE_SELECTOR,
        ONE_SOURCE,
      ],
    ],
    [
      'golden hook-bad-selector',
      {
        backupName,
        hooks: {
          resources: [
            {
              name: 'h',
              labelSelector: { matchExpressions: [{ key: 'a', operator: 'Nope' }] },
              postHooks: [{ exec: { command: ['x'] } }],
            },
          ],
        },
      },
      ['invalid restore hooks: "Nope" is not a valid label selector operator'],
    ],
    [
      'golden init-hook-without-image',
      {
        backupName,
        hooks: {
          resources: [
            {
              name: 'h',
              postHooks: [
                {
                  init: {
                    initContainers: [
                      { name: 'a', command: ['x'] },
                      { name: 'b', image: 'c' },
                      { image: 'd', command: ['run'] },
                    ],
                  },
                },
              ],
            },
          ],
        },
      },
      [BAD_CONTAINER, BAD_CONTAINER, BAD_CONTAINER],
    ],
    [
      'R-299 golden node-in-includes',
      { backupName, includedResources: ['nodes', 'pods'] },
      ['nodes are non-restorable resources', resources(inBoth('nodes'))],
    ],
    ['golden node-singular-in-includes', { backupName, includedResources: ['node'] }, []],
    ['golden negative-glob-namespace', { backupName, includedNamespaces: ['sh**'] }, []],
    [
      'golden policy-capitalised',
      { backupName, existingResourcePolicy: 'Update' },
      ['Invalid ExistingResourcePolicy: Update'],
    ],
    [
      'R-296 golden policy-unknown',
      { backupName, existingResourcePolicy: 'replace' },
      ['Invalid ExistingResourcePolicy: replace'],
    ],
    [
      'R-286 R-287 golden same-in-and-out',
      {
        backupName,
        includedResources: ['pods', 'secrets'],
        excludedResources: ['secrets'],
        includedNamespaces: ['shop'],
        excludedNamespaces: ['shop'],
      },
      [resources(inBoth('secrets')), namespaces(inBoth('shop'))],
    ],
    ['golden star-in-excluded-namespaces', { backupName, excludedNamespaces: ['*'] }, [namespaces(NO_STAR)]],
    ['golden star-in-excluded-resources', { backupName, excludedResources: ['*'] }, [resources(NO_STAR)]],
    ['golden star-plus-other-namespace', { backupName, includedNamespaces: ['*', 'shop'] }, [namespaces(STAR_ALONE)]],
    ['golden star-plus-other-resource', { backupName, includedResources: ['*', 'pods'] }, [resources(STAR_ALONE)]],
    ['R-294 policy none', { backupName, existingResourcePolicy: 'none' }, []],
    ['R-295 policy update', { backupName, existingResourcePolicy: 'update' }, []],
    ['empty policy', { backupName, existingResourcePolicy: '' }, []],
    ['R-297 plain', { backupName }, []],
  ])('%s', (_, spec, errors) => {
    expect(validate(spec).errors).toEqual(errors);
  });

  it.each([
    ['R-300', 'events'],
    ['R-301', 'events.events.k8s.io'],
    ['R-302', 'backups.velero.io'],
    ['R-303', 'restores.velero.io'],
  ])('%s %s cannot be restored', (_, resource) => {
    const { errors } = validate({ backupName, includedResources: [resource] });
    expect(errors).toEqual([`${resource} are non-restorable resources`, resources(inBoth(resource))]);
  });

  it('R-297 completes the excludes and the timeout', () => {
    const { spec } = validate({ backupName, excludedResources: ['secrets', 'events'] });
    const added = NON_RESTORABLE_RESOURCES.filter((resource) => resource !== 'events');
    expect(spec).toEqual({
      backupName,
      excludedResources: ['secrets', 'events', ...added],
      itemOperationTimeout: '4h0m0s',
    });
  });

  it.each([
    ['10m', '10m'],
    ['0', '4h0m0s'],
    ['0s', '4h0m0s'],
  ])('R-297 a timeout of %s becomes %s', (itemOperationTimeout, expected) => {
    expect(validate({ backupName, itemOperationTimeout }).spec.itemOperationTimeout).toBe(expected);
  });

  it('completes the spec also where there are errors, as golden everything-wrong shows', () => {
    expect(validate({ excludedResources: ['*'] }).spec.excludedResources).toEqual(['*', ...NON_RESTORABLE_RESOURCES]);
  });

  it('changes nothing in place', () => {
    const spec: RestoreSpec = Object.freeze({ backupName, excludedResources: Object.freeze(['secrets']) });
    validate(spec);
    expect(spec).toEqual({ backupName, excludedResources: ['secrets'] });
  });
});

describe('validateRestore beyond Velero', () => {
  it.each<[string, LooseSpec, RegExp]>([
    [
      'golden bad-label-selector',
      { backupName, labelSelector: { matchExpressions: [{ key: 'a', operator: 'Nope' }] } },
      /^spec\.labelSelector\.matchExpressions\[0\]\.operator: found "Nope", expected In, NotIn, Exists or DoesNotExist$/,
    ],
    [
      'or selector',
      { backupName, orLabelSelectors: [{}, { matchLabels: { a: '?' } }] },
      /^spec\.orLabelSelectors\.1\.matchLabels\[a\]: found "\?", expected a label value/,
    ],
    [
      'namespace glob',
      { backupName, includedNamespaces: ['a', '[b'] },
      /^spec\.includedNamespaces\.1: glob pattern "\[b"/,
    ],
    [
      'excluded namespace glob',
      { backupName, excludedNamespaces: ['[]'] },
      /^spec\.excludedNamespaces\.0: glob pattern "\[\]"/,
    ],
    ['resource glob', { backupName, includedResources: ['[z-a]'] }, /^spec\.includedResources\.0: glob pattern/],
    ['excluded resource glob', { backupName, excludedResources: ['[b'] }, /^spec\.excludedResources\.0: glob pattern/],
    [
      'status glob',
      { backupName, restoreStatus: { includedResources: ['[b'] } },
      /^spec\.restoreStatus\.includedResources\.0: glob/,
    ],
    [
      'mapping target',
      { backupName, namespaceMapping: { a: 'B_' } },
      /^spec\.namespaceMapping\.a: found "B_", expected the name of/,
    ],
    [
      'empty mapping target',
      { backupName, namespaceMapping: { a: '' } },
      /^spec\.namespaceMapping\.a: found "", expected/,
    ],
    [
      'long mapping target',
      { backupName, namespaceMapping: { a: 'b'.repeat(64) } },
      /^spec\.namespaceMapping\.a: found "bbb/,
    ],
    [
      'parallel downloads',
      { backupName, uploaderConfig: { parallelFilesDownload: -1 } },
      /^spec\.uploaderConfig\.parallelFilesDownload: found -1/,
    ],
  ])('%s', (_, spec, error) => {
    const { errors } = validate(spec);
    expect(errors).toEqual([expect.stringMatching(error)]);
  });

  it.each(['', 'Upper', 'a_b', 'a/b', '../b', 'a'.repeat(254)])('refuses the name %j', (name) => {
    expect(validate({ backupName }, name).errors).toEqual([
      expect.stringMatching(/^metadata\.name: found ".*", expected lower case letters/),
    ]);
  });

  it('names its own errors after those of Velero, also where Velero stops early', () => {
    const { errors } = validate({ namespaceMapping: { a: '' } });
    expect(errors).toEqual([ONE_SOURCE, expect.stringContaining('spec.namespaceMapping.a')]);
  });

  it.each<[string, RestoreSpec, string[]]>([
    ['nothing to say', { backupName, namespaceMapping: { a: 'b', c: 'd' } }, []],
    [
      'several namespaces into one',
      { backupName, namespaceMapping: { c: 'x', a: 'x', b: 'y' } },
      [
        'spec.namespaceMapping: the namespaces a, c are all mapped to x: of items with the same name only one is restored',
      ],
    ],
    [
      'a glob as mapping source',
      { backupName, namespaceMapping: { 'shop-*': 'x' } },
      ['spec.namespaceMapping: "shop-*" can be no namespace\'s name, so nothing is mapped by it'],
    ],
    [
      'a modifier kind that Velero ignores',
      { backupName, resourceModifier: { kind: 'Secret', name: 'm' } },
      [
        'spec.resourceModifier.kind: found "Secret", expected "configmap": the resource modifier is ignored, as in Velero',
      ],
    ],
    [
      'nothing about hooks',
      { backupName, hooks: { resources: [{ name: 'h', postHooks: [{ exec: { command: ['x'] } }] }] } },
      [],
    ],
  ])('warns of %s', (_, spec, warnings) => {
    const validation = validate(spec);
    expect(validation.warnings).toEqual(warnings);
    expect(validation.errors).toEqual([]);
  });
});

describe('backupPhaseWarnings', () => {
  function inPhase(phase: string): Backup {
    return {
      name: 'full',
      namespace: 'velero',
      labels: {},
      storageLocation: 'default',
      snapshotMoveData: false,
      csiSnapshotTimeout: undefined,
      formatVersion: '1.1.0',
      phase,
      startTimestamp: undefined,
    };
  }

  it.each([
    ['Completed', []],
    [
      'PartiallyFailed',
      ['the phase of backup full is PartiallyFailed, not Completed: whatever it lacks cannot be restored'],
    ],
    ['', ['the phase of backup full is New, not Completed: whatever it lacks cannot be restored']],
  ])('W10 %j', (phase, warnings) => {
    expect(backupPhaseWarnings(inPhase(phase))).toEqual(warnings);
  });
});
