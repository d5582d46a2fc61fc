import { describe, expect, it } from '@jest/globals';
import { type ApiResource, ResourceTable } from '../../../../domain/kubernetes/resourceTable.ts';
import {
  IncludesExcludes,
  resourceIncludesExcludes,
  validateIncludesExcludes,
} from '../../../../domain/selection/includesExcludes.ts';

describe('includes and excludes', () => {
  it.each<[string, string[] | undefined, string[] | undefined, string, boolean]>([
    ['R-212 both empty', undefined, undefined, 'foo', true],
    ['R-213 include *', ['*'], [], 'foo', true],
    ['R-214 item listed', ['foo', 'bar', 'baz'], [], 'foo', true],
    ['R-215 item not listed', ['foo', 'baz'], [], 'bar', false],
    ['R-216 include *, item excluded', ['*'], ['foo'], 'foo', false],
    ['R-217 include *, other item excluded', ['*'], ['foo'], 'bar', true],
    ['R-218 item in both', ['foo'], ['foo'], 'foo', false],
    ['R-219 glob matches', ['*.bar'], [], 'foo.bar', true],
    ['R-220 glob does not match', ['*.bar'], [], 'bar.foo', false],
    ['R-221 excluding glob matches', ['*'], ['*.bar'], 'foo.bar', false],
    ['R-222 excluding glob does not match', ['*'], ['*.bar'], 'bar.foo', true],
    ['* spans dots', ['pods*'], [], 'pods.metrics.k8s.io', true],
    ['* among others', ['foo', '*'], [], 'bar', true],
    ['exclude without include', [], ['foo'], 'bar', true],
    ['exclude *', [], ['*'], 'foo', false],
    ['? is one character', ['ns-?'], [], 'ns-12', false],
    ['alternatives', ['{foo,bar}'], [], 'bar', true],
    ['a malformed glob matches nothing', ['['], [], '[', false],
    ['a malformed glob does not switch off those sorted after it', [], ['[', 'foo'], 'foo', false],
    ['only malformed globs include nothing', ['[a'], [], 'a', false],
  ])('%s', (_, includes, excludes, item, expected) => {
    expect(new IncludesExcludes(includes, excludes).shouldInclude(item)).toBe(expected);
  });

  it.each<[string[], string[], boolean]>([
    [[], [], true],
    [['*'], [], true],
    [['*', '*'], [], true],
    [['*', 'foo'], [], false],
    [['foo'], [], false],
    [['**'], [], false],
    [[], ['foo'], false],
    [['*'], ['foo'], false],
  ])('includes %j, excludes %j include everything: %s', (includes, excludes, expected) => {
    expect(new IncludesExcludes(includes, excludes).includesEverything()).toBe(expected);
  });

  it.each<[string, string[] | undefined, string[] | undefined, string, string]>([
    ['R-227 unset', undefined, undefined, '*', '<none>'],
    ['R-227 sorted', ['foo', 'bar'], ['xyz', 'baz'], 'bar, foo', 'baz, xyz'],
    ['R-227 without repeats', ['foo', 'foo'], ['x', 'x'], 'foo', 'x'],
  ])('%s', (_, includes, excludes, wantIncludes, wantExcludes) => {
    const lists = new IncludesExcludes(includes, excludes);
    expect(lists.includesString()).toBe(wantIncludes);
    expect(lists.excludesString()).toBe(wantExcludes);
  });
});

describe('validateIncludesExcludes', () => {
  const ALL_OR_LIST = "includes list must either contain '*' only, or a non-empty list of items";
  const NO_STAR = "excludes list cannot contain '*'";
  const IN_BOTH = 'excludes list cannot contain an item in the includes list: ';

  it.each<[string, string[] | undefined, string[] | undefined, string[]]>([
    ['R-223 empty includes', [], [], []],
    ['R-223 unset', undefined, undefined, []],
    ['R-223 only *', ['*'], [], []],
    ['R-224 * with others', ['*', 'foo'], [], [ALL_OR_LIST]],
    ['R-225 exclude *', ['foo'], ['*'], [NO_STAR]],
    ['R-226 name in both lists', ['foo', 'bar'], ['bar'], [`${IN_BOTH}bar`]],
    [
      'all at once, in order',
      ['b', '*', 'a'],
      ['*', 'b', 'a'],
      [ALL_OR_LIST, NO_STAR, `${IN_BOTH}*`, `${IN_BOTH}a`, `${IN_BOTH}b`],
    ],
  ])('%s', (_, includes, excludes, expected) => {
    expect(validateIncludesExcludes(includes, excludes)).toEqual(expected);
  });
});

describe('resourceIncludesExcludes', () => {
  const deployments: ApiResource = {
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    singular: 'deployment',
    shortNames: ['deploy'],
    kind: 'Deployment',
    namespaced: true,
    verbs: ['list', 'create'],
  };
  const table = new ResourceTable([deployments], []);

  it.each<[string, string[] | undefined, string[] | undefined, string, string]>([
    ['resolves names of every form once', ['deploy', 'Deployment', 'deployments'], [], 'deployments.apps', '<none>'],
    [
      'keeps unknown names',
      ['widgets', 'deploy'],
      ['gadgets.example.com'],
      'deployments.apps, widgets',
      'gadgets.example.com',
    ],
    ['keeps * among includes, leaves it out of excludes', ['*'], ['*', 'deploy'], '*', 'deployments.apps'],
    ['takes unset lists', undefined, undefined, '*', '<none>'],
    ['leaves out empty names', [''], [''], '*', '<none>'],
  ])('%s', (_, includes, excludes, wantIncludes, wantExcludes) => {
    const lists = resourceIncludesExcludes(includes, excludes, table);
    expect([lists.includesString(), lists.excludesString()]).toEqual([wantIncludes, wantExcludes]);
  });
});
