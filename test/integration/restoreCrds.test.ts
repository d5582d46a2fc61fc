import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getIn, type JsonObject, setIn } from '../../domain/json.ts';
import { makeBackup } from './support/backupBucket.ts';
import { type Environment, startEnvironment } from './support/environment.ts';
import { countActivities, expectSoundHistories } from './support/histories.ts';
import { configMap, type DefinitionOptions, definition, namespace } from './support/objects.ts';
import { type EndedRestore, outcomeOf, restore } from './support/restore.ts';

jest.setTimeout(240_000);

let environment: Environment;

beforeAll(async () => {
  environment = await startEnvironment();
}, 1_200_000);

afterAll(async () => {
  await environment.stop();
});

function instance(apiVersion: string, kind: string, name: string, ofNamespace?: string): JsonObject {
  const metadata: JsonObject = ofNamespace === undefined ? { name } : { name, namespace: ofNamespace };
  return { apiVersion, kind, metadata, spec: { version: apiVersion }, status: { seen: true } };
}

/** A definition as a backup holds it: of a cluster where it was in use. */
function usedDefinition(options: DefinitionOptions): JsonObject {
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({
    type,
    status: 'True',
    reason: 'x',
    message: '',
  }));
  return { ...definition(options), status: { conditions, storedVersions: [...(options.versions ?? ['v1'])] } };
}

describe('definitions and their instances in one backup', () => {
  const group = 'stars.example.com';
  const definitions = [
    usedDefinition({ group, kind: 'Comet', versions: ['v1', 'v1beta1'], shortNames: ['cm'] }),
    usedDefinition({ group, kind: 'Galaxy', scope: 'Cluster' }),
    ...['Asteroid', 'Moon', 'Nebula'].map((kind) => usedDefinition({ group, kind })),
  ];
  const instances = {
    newer: instance(`${group}/v1`, 'Comet', 'halley', 'sky'),
    older: instance(`${group}/v1beta1`, 'Comet', 'encke', 'sky'),
    cluster: instance(`${group}/v1`, 'Galaxy', 'andromeda'),
    others: ['Asteroid', 'Moon', 'Nebula'].map((kind) => instance(`${group}/v1`, kind, 'one', 'sky')),
  };
  let ended: EndedRestore;

  beforeAll(async () => {
    const { newer, older, cluster, others } = instances;
    const items = [namespace('sky'), ...definitions, newer, older, cluster, ...others, configMap('sky', 'settings')];
    await makeBackup(environment.bucket, 'stars', items);
    const restoreStatus = { includedResources: ['comets'] };
    ended = await restore(environment, { backupName: 'stars', restoreStatus });
  });

  it('are all restored in the same run', async () => {
    expect(ended.results).toEqual({ errors: {}, warnings: {} });
    expect(ended.status).toMatchObject({ phase: 'Completed', progress: { totalItems: 13, itemsRestored: 13 } });
    for (const object of [...definitions, ...instances.others, instances.newer, instances.older, instances.cluster]) {
      const live = await environment.cluster.live(object);
      expect(getIn(live, ['metadata', 'labels', 'velero.io/restore-name'])).toBe(ended.name);
    }
    expect(ended.resourceList[`${group}/v1/Galaxy`]).toEqual(['andromeda(created)']);
    expect(ended.resourceList[`${group}/v1beta1/Comet`]).toEqual(['sky/encke(created)']);
  });

  it('an instance keeps its version and what it holds; its status where that was asked for', async () => {
    expect(getIn(await environment.cluster.live(instances.older), ['spec'])).toEqual({ version: `${group}/v1beta1` });
    expect(getIn(await environment.cluster.live(instances.older), ['status'])).toEqual({ seen: true });
    expect(getIn(await environment.cluster.live(instances.cluster), ['status'])).toBeUndefined();
  });

  it('R-426: the definitions are waited for together, before anything else', async () => {
    expect(ended.plan.slice(0, 5).map(({ kind }) => kind)).toEqual(Array(5).fill('CustomResourceDefinition'));
    expect(await countActivities(environment, ended.workflowId, 'awaitCustomResourceDefinitions')).toBe(1);
  });

  it('restored once more, everything is there already', async () => {
    const again = await restore(environment, { backupName: 'stars' });
    expect(again.status.phase).toBe('Completed');
    expect(again.counters).toMatchObject({ created: 0, updated: 0, failed: 0, errors: 0 });
    const states = Object.values(again.resourceList).flat();
    expect(states.some((text) => text.endsWith('(created)'))).toBe(false);
  });
});

describe('filters that name a resource which only the backup knows', () => {
  const group = 'herbs.example.com';
  const herb = instance(`${group}/v1`, 'Basil', 'pot', 'kitchen');

  beforeAll(async () => {
    const basil = usedDefinition({ group, kind: 'Basil', shortNames: ['bsl'] });
    await makeBackup(environment.bucket, 'herbs', [
      namespace('kitchen'),
      basil,
      herb,
      configMap('kitchen', 'settings'),
    ]);
  });

  it('without its definition: the instance is an error that says what to do', async () => {
    const ended = await restore(environment, { backupName: 'herbs', includedResources: ['bsl'] });

    expect(ended.status).toMatchObject({ phase: 'PartiallyFailed', errors: 1 });
    expect(ended.results.errors).toEqual({
      namespaces: {
        kitchen: [
          'error restoring basils.herbs.example.com/kitchen/pot: the server could not find the requested resource (CustomResourceDefinition basils.herbs.example.com is not in the cluster; if the backup has it, select it too: includeClusterResources=true, or includedResources with customresourcedefinitions)',
        ],
      },
    });
    expect(ended.plan.map(({ kind }) => kind)).toEqual(['Namespace', 'Basil']);
  });

  it.each([
    ['its short name', { includedResources: ['crd', 'bsl'] }],
    ['its kind, with all cluster resources', { includedResources: ['Basil', 'crds'], includeClusterResources: true }],
  ])('selects an instance by %s', async (_, spec) => {
    const target = `kitchen-${Object.keys(spec).length}`;
    const namespaceMapping = { kitchen: target };
    const ended = await restore(environment, { backupName: 'herbs', ...spec, namespaceMapping });

    expect(ended.results.errors).toEqual({});
    expect(ended.status.phase).toBe('Completed');
    expect(outcomeOf(ended, 'Basil', 'pot').action).toBe('created');
    expect(await environment.cluster.find(herb, target)).toBeDefined();
    expect(await environment.cluster.find(configMap(target, 'settings'))).toBeUndefined();
  });
});

describe('definitions that cannot be used', () => {
  const group = 'odd.example.com';
  const taken = usedDefinition({ group, kind: 'Taken' });
  /** Another plural for the same kind: the API server keeps it, but never accepts its names. */
  const conflicting = usedDefinition({ group, kind: 'Taken', plural: 'takings' });
  const refused = setIn(usedDefinition({ group, kind: 'Refused' }), ['spec', 'names', 'plural'], 'others');
  const unknown = { ...usedDefinition({ group, kind: 'Unknown' }), apiVersion: 'apiextensions.k8s.io/v2' };
  let ended: EndedRestore;

  beforeAll(async () => {
    await environment.cluster.create(taken);
    await makeBackup(environment.bucket, 'odd', [
      namespace('odd'),
      conflicting,
      refused,
      {
        path: `customresourcedefinitions.apiextensions.k8s.io/cluster/unknowns.${group}.json`,
        text: JSON.stringify(unknown),
      },
      {
        path: `takings.${group}/namespaces/odd/one.json`,
        text: JSON.stringify(instance(`${group}/v1`, 'Taken', 'one', 'odd')),
      },
      instance(`${group}/v1`, 'Refused', 'two', 'odd'),
      configMap('odd', 'settings'),
    ]);
    ended = await restore(environment, { backupName: 'odd' }, { options: { resourceTimeoutMs: 3_000 } });
  });

  it('R-426 R-428: are errors of the cluster, and the restore goes on', () => {
    expect(ended.results.errors.cluster).toEqual([
      expect.stringMatching(
        new RegExp(
          `^error restoring customresourcedefinitions.apiextensions.k8s.io/refuseds.${group}: .* is invalid: `,
        ),
      ),
      `timed out waiting for CustomResourceDefinition to be ready: takings.${group}`,
      expect.stringMatching(
        /^error restoring customresourcedefinitions\.apiextensions\.k8s\.io\/unknowns\.odd\.example\.com: /,
      ),
    ]);
    expect(outcomeOf(ended, 'ConfigMap', 'settings').action).toBe('created');
    expect(ended.status.phase).toBe('PartiallyFailed');
  });

  it('their instances say that the group is there, but not the resource', () => {
    expect(ended.results.errors.namespaces).toEqual({
      odd: [
        `error restoring refuseds.${group}/odd/two: the server could not find the requested resource (the API server serves ${group}, but not this resource or version)`,
        `error restoring takings.${group}/odd/one: the server could not find the requested resource (the API server serves ${group}, but not this resource or version)`,
      ],
    });
  });

  it('an object that was created stays counted as created', () => {
    expect(outcomeOf(ended, 'CustomResourceDefinition', `takings.${group}`).action).toBe('created');
    expect(ended.resourceList['apiextensions.k8s.io/v1/CustomResourceDefinition']).toEqual([
      `refuseds.${group}(failed)`,
      `takings.${group}(created)`,
    ]);
    expect(ended.result?.counters).toEqual(ended.counters);
  });
});

describe('after all of them', () => {
  it('no object is left with the manager of an unfinished create', async () => {
    expect(await environment.cluster.objectsManagedBy(/^durable-restore:/)).toEqual([]);
  });

  it('workflow histories replay and are small', async () => {
    await expectSoundHistories(environment);
  });
});
