import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { sourceVersions } from '../../../../domain/backup/archiveEntry.ts';
import { sortVersions } from '../../../../domain/go/versionPriority.ts';
import { ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';
import {
  choosesVersions,
  chooseVersionDirectory,
  parseVersionPriorities,
} from '../../../../domain/plan/apiVersions.ts';
import { item, podOf } from '../support/items.ts';
import { entryOf, planOf, textsOf } from '../support/plans.ts';

interface OrderVector {
  readonly versions: readonly string[];
  readonly sorted: readonly string[];
}

/** Made by a Go program with the sorting of k8s.io/apimachinery. */
const vectors = JSON.parse(
  readFileSync(new URL('../go/vectors/versionPriority.json', import.meta.url), 'utf8'),
) as OrderVector[];

describe('sortVersions', () => {
  it.each(vectors)('sorts $versions like Kubernetes', ({ versions, sorted }) => {
    expect(sortVersions(versions)).toEqual(sorted);
  });

  it('R-262 ten versions of every kind', () => {
    const mixed = ['v3beta1', 'foo10', 'v1', 'v12alpha1', 'foo1', 'v10', 'v11alpha2', 'v2', 'v11beta2', 'v10beta3'];
    expect(sortVersions(mixed)).toEqual([
      ...['v10', 'v2', 'v1'],
      ...['v11beta2', 'v10beta3', 'v3beta1'],
      ...['v12alpha1', 'v11alpha2'],
      ...['foo1', 'foo10'],
    ]);
  });
});

describe('parseVersionPriorities', () => {
  it.each<[string, string, Record<string, string[]>]>([
    [
      'R-263 three lines',
      'rockbands.music.example.io=v2beta1,v2beta2\norchestras.music.example.io=v2,v3alpha1\nsubscriptions.operators.coreos.com=v2,v1',
      {
        'rockbands.music.example.io': ['v2beta1', 'v2beta2'],
        'orchestras.music.example.io': ['v2', 'v3alpha1'],
        'subscriptions.operators.coreos.com': ['v2', 'v1'],
      },
    ],
    ['R-264 two equal signs', 'rockbands.music.example.io=v1\\n orchestras.music.example.io=v2', {}],
    [
      'R-265 blanks and empty lines',
      ' pods = v3 , v1 \n\n  \n configmaps=v2\n services =v4,v5\n',
      { pods: ['v3', 'v1'], configmaps: ['v2'], services: ['v4', 'v5'] },
    ],
    ['a line without versions or resource', 'pods=\n=v1\npods\nsecrets=v1', { secrets: ['v1'] }],
    ['lines of Windows', 'pods=v1\r\nsecrets=v2\r\n', { pods: ['v1'], secrets: ['v2'] }],
    ['nothing', '', {}],
  ])('%s', (_title, text, expected) => {
    expect(Object.fromEntries(parseVersionPriorities(text))).toEqual(expected);
  });
});

describe('choosesVersions', () => {
  it.each<[string, string[], string | undefined, boolean]>([
    ['with the feature and a backup of today', ['EnableCSI', 'EnableAPIGroupVersions'], '1.1.0', true],
    ['with the feature and an old backup', ['EnableAPIGroupVersions'], undefined, false],
    ['with the feature and format 1', ['EnableAPIGroupVersions'], '1', false],
    ['without the feature', ['EnableCSI'], '1.1.0', false],
  ])('%s', (_title, features, formatVersion, expected) => {
    expect(choosesVersions(features, formatVersion)).toBe(expected);
  });
});

describe('chooseVersionDirectory', () => {
  /** Versions of the source (preferred first), of the target (preferred first), and what the user wants. */
  function choose(
    source: readonly string[],
    target: readonly string[] | undefined,
    wanted?: string,
  ): string | undefined {
    const [preferred, ...others] = source;
    const folders = preferred === undefined ? [] : [`${preferred}-preferredversion`, ...others];
    const table = new ResourceTable([], target === undefined ? [] : [{ group: 'music.io', versions: target }]);
    const priorities = parseVersionPriorities(wanted === undefined ? '' : `bands.music.io=${wanted}`);
    return chooseVersionDirectory('bands.music.io', sourceVersions(folders), table, priorities);
  }

  it.each<[string, readonly string[], readonly string[] | undefined, string | undefined, string | undefined]>([
    ['R-266 a group that the target knows', ['v1', 'v2'], ['v2', 'v1'], undefined, 'v2'],
    ['R-267 a group that it does not know', ['v1', 'v2'], undefined, 'v2', 'v1-preferredversion'],
    ['R-268 one wanted version that both have', ['v1', 'v2beta1'], ['v1', 'v2beta1'], 'v3,v2beta1', 'v2beta1'],
    ['R-268 one wanted version, which the source preferred', ['v1', 'v2'], ['v2', 'v1'], 'v1', 'v1-preferredversion'],
    [
      'R-269 two of them: the first wanted',
      ['v1', 'v2beta1', 'v2beta2'],
      ['v1', 'v2beta2', 'v2beta1'],
      'v2beta1,v2beta2',
      'v2beta1',
    ],
    ['R-270 R-274 a wanted version of the source alone', ['v1', 'v2'], ['v1'], 'v2', 'v1-preferredversion'],
    ['R-271 R-273 a wanted version of the target alone', ['v1'], ['v1', 'v2'], 'v2', 'v1-preferredversion'],
    ['R-272 a wanted version of neither', ['v1', 'v2'], ['v2', 'v1'], 'v9', 'v2'],
    ['the version that the target prefers', ['v1', 'v2beta1'], ['v2beta1', 'v1'], undefined, 'v2beta1'],
    ['else the version that the source preferred', ['v1', 'v2beta1'], ['v2', 'v1'], undefined, 'v1-preferredversion'],
    ['else the best that both have', ['v4', 'v3', 'v2', 'v1'], ['v5', 'v1', 'v2'], undefined, 'v2'],
    ['none that both have', ['v1'], ['v3', 'v2'], undefined, 'v1-preferredversion'],
    ['a backup without version folders', [], ['v1'], undefined, undefined],
  ])('%s', (_title, source, target, wanted, expected) => {
    expect(choose(source, target, wanted)).toBe(expected);
  });

  it('has none where the backup marks no preferred version and shares none with the target', () => {
    const table = new ResourceTable([], [{ group: 'music.io', versions: ['v3'] }]);
    expect(chooseVersionDirectory('bands.music.io', sourceVersions(['v1']), table, new Map())).toBeUndefined();
  });
});

describe('a plan with chosen versions', () => {
  const job = (version: string): string => JSON.stringify(item(`batch/${version}`, 'CronJob', 'shop/nightly'));
  const path = { groupResource: 'cronjobs.batch', namespace: 'shop', name: 'nightly' };

  it('reads items from the folder of their version, and says so to those who restore them', async () => {
    const plan = await planOf({}, [podOf('shop/web')], {
      files: [
        { item: path, text: job('v1beta1') },
        { item: { ...path, versionDirectory: 'v1' }, text: job('v1') },
      ],
      versionDirectory: (groupResource) => (groupResource === 'cronjobs.batch' ? 'v1' : undefined),
    });
    expect(entryOf(plan, 'CronJob shop/nightly')).toMatchObject({ apiVersion: 'batch/v1', versionDirectory: 'v1' });
    expect(entryOf(plan, 'Pod shop/web')).not.toHaveProperty('versionDirectory');
  });

  it('names the file in an error', async () => {
    const plan = await planOf({}, [], {
      files: [
        { item: path, text: job('v1beta1') },
        { item: { ...path, versionDirectory: 'v1' }, text: '{' },
      ],
      versionDirectory: () => 'v1',
    });
    expect(textsOf(plan, 'error')).toEqual([
      expect.stringContaining('resources/cronjobs.batch/v1/namespaces/shop/nightly.json'),
    ]);
  });
});
