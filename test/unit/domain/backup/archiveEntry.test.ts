import { describe, expect, it } from '@jest/globals';
import {
  type ArchiveItem,
  classifyEntry,
  isBelowResources,
  itemPath,
  refusedDirectory,
  sourceVersions,
} from '../../../../domain/backup/archiveEntry.ts';
import { parseGroupResource } from '../../../../domain/kubernetes/groupResource.ts';

describe('classifyEntry', () => {
  it.each<[string, string, ArchiveItem]>([
    [
      'R-431 namespaced',
      'resources/pods/namespaces/shop/api.json',
      { groupResource: 'pods', namespace: 'shop', name: 'api' },
    ],
    [
      'R-431 cluster-scoped',
      'resources/namespaces/cluster/shop.json',
      { groupResource: 'namespaces', namespace: '', name: 'shop' },
    ],
    [
      'R-431 with group',
      'resources/deployments.apps/namespaces/shop/api.json',
      { groupResource: 'deployments.apps', namespace: 'shop', name: 'api' },
    ],
    [
      'names with colons and dots',
      'resources/clusterroles.rbac.authorization.k8s.io/cluster/system:node.v1.2.json',
      { groupResource: 'clusterroles.rbac.authorization.k8s.io', namespace: '', name: 'system:node.v1.2' },
    ],
    [
      'only one suffix is cut',
      'resources/configmaps/namespaces/a/x.json.json',
      { groupResource: 'configmaps', namespace: 'a', name: 'x.json' },
    ],
    [
      'R-434 preferred version',
      'resources/pods/v1-preferredversion/namespaces/shop/api.json',
      { groupResource: 'pods', namespace: 'shop', name: 'api', versionDirectory: 'v1-preferredversion' },
    ],
    [
      'R-434 other version, cluster-scoped',
      'resources/widgets.example.com/v1beta1/cluster/x.json',
      { groupResource: 'widgets.example.com', namespace: '', name: 'x', versionDirectory: 'v1beta1' },
    ],
    ['a leading ./', './resources/pods/namespaces/a/x.json', { groupResource: 'pods', namespace: 'a', name: 'x' }],
    [
      'namespace called cluster',
      'resources/pods/namespaces/cluster/x.json',
      { groupResource: 'pods', namespace: 'cluster', name: 'x' },
    ],
  ])('item: %s', (_title, name, item) => {
    expect(classifyEntry(name)).toEqual({ kind: 'item', item, versionDirectory: item.versionDirectory ?? '' });
  });

  it.each<[string, boolean]>([
    ['metadata/version', false],
    ['README', false],
    ['resources/README', true],
    ['resources/pods/namespaces/README.json', true],
    ['resources/pods/namespaces/shop/deeper/x.json', true],
    ['resources/pods/cluster/deeper/x.json', true],
    ['resources/pods/namespaces/shop/.json', true],
    ['resources/pods/namespaces/shop/no-suffix', true],
    ['resources/pods/v1', true],
    ['resources/pods/v1/README', true],
    ['resources/pods/v1/cluster', true],
    ['resources/pods/v1/other/x.json', true],
  ])('no item: %s (odd: %s)', (name, odd) => {
    expect(classifyEntry(name)).toEqual({ kind: 'other', odd });
  });

  it.each<[string, string, RegExp]>([
    ['R-439 parent', '../evil', /escapes target directory/],
    ['R-439 parent in the middle', 'resources/../../evil', /escapes target directory/],
    ['parent that stays inside', 'resources/pods/../x.json', /".." segment/],
    ['absolute', '/etc/passwd', /absolute/],
    ['empty segment', 'resources//x.json', /empty segment/],
    ['empty segment at the end', 'resources/pods/', /empty segment/],
    ['backslash', 'resources\\pods\\x.json', /backslash/],
    ['NUL', 'resources/pods/namespaces/a/x\0.json', /NUL/],
    ['empty', '', /empty/],
    ['resources is a file', 'resources', /"resources" is a file/],
    ['cluster is a file', 'resources/pods/cluster', /"resources\/pods\/cluster" is a file/],
    ['namespaces is a file', 'resources/pods/namespaces', /"resources\/pods\/namespaces" is a file/],
  ])('refused: %s', (_title, name, reason) => {
    expect(classifyEntry(name)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) });
  });
});

describe('directories', () => {
  it.each<[string, boolean]>([
    ['resources/', true],
    ['resources', true],
    ['./resources/pods/', true],
    ['metadata/', false],
    ['resourcesX/', false],
  ])('%s shows a resources directory: %s', (name, expected) => {
    expect(isBelowResources(name)).toBe(expected);
  });

  it.each<[string, RegExp | undefined]>([
    ['resources/', undefined],
    ['./', undefined],
    ['a/../b/', /escapes/],
    ['/a/', /absolute/],
    ['a//b/', /empty segment/],
  ])('%s', (name, reason) => {
    const found = refusedDirectory(name);
    if (reason === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(reason);
  });
});

describe('itemPath', () => {
  it.each<[string, ArchiveItem, string]>([
    [
      'R-440 R-441 cluster',
      { groupResource: 'namespaces', namespace: '', name: 'a' },
      'resources/namespaces/cluster/a.json',
    ],
    [
      'R-440 R-441 namespaced',
      { groupResource: 'pods', namespace: 'ns', name: 'a' },
      'resources/pods/namespaces/ns/a.json',
    ],
    [
      'R-440 version directory, namespaced',
      { groupResource: 'pods', namespace: 'ns', name: 'a', versionDirectory: 'v1' },
      'resources/pods/v1/namespaces/ns/a.json',
    ],
    [
      'R-440 version directory, cluster',
      { groupResource: 'x.g', namespace: '', name: 'a', versionDirectory: 'v2-preferredversion' },
      'resources/x.g/v2-preferredversion/cluster/a.json',
    ],
  ])('%s', (_title, item, path) => {
    expect(itemPath(item)).toBe(path);
    expect(classifyEntry(path)).toMatchObject({ kind: 'item', item });
  });
});

describe('sourceVersions', () => {
  it.each<[string, string[], { preferred: string; versions: string[] }]>([
    ['R-433 none', [], { preferred: '', versions: [] }],
    [
      'R-434 preferred and two others',
      ['v1-preferredversion', 'v1beta1', 'v2'],
      { preferred: 'v1', versions: ['v1', 'v1beta1', 'v2'] },
    ],
    [
      'the last preferred one wins',
      ['v1-preferredversion', 'v2-preferredversion'],
      { preferred: 'v2', versions: ['v1', 'v2'] },
    ],
  ])('%s', (_title, directories, expected) => {
    expect(sourceVersions(directories)).toEqual(expected);
  });
});

describe('group of a folder name', () => {
  it.each<[string, string]>([
    ['pods', ''],
    ['cronjobs.batch', 'batch'],
    ['leases.coordination.k8s.io', 'coordination.k8s.io'],
    ['roles.rbac.authorization.k8s.io', 'rbac.authorization.k8s.io'],
  ])('R-435 %s is in group "%s"', (folder, group) => {
    expect(parseGroupResource(folder).group).toBe(group);
  });
});
