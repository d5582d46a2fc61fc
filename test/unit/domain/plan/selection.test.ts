import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../domain/json.ts';
import type { RestoreSpec } from '../../../../domain/restore/restore.ts';
import { validateIncludesExcludes } from '../../../../domain/selection/includesExcludes.ts';
import { item, podOf, volumeOf } from '../support/items.ts';
import { namespacesOf, planOf, textsOf } from '../support/plans.ts';

function podsIn(namespaces: readonly string[]): JsonObject[] {
  return namespaces.map((namespace) => podOf(`${namespace}/pod-1`));
}

/** As Velero 1.18.3 does: globs are neither expanded nor checked, they match while items are chosen. */
describe('namespace globs', () => {
  it.each<[string, RestoreSpec, string[], string[]]>([
    [
      'R-144 literals',
      { includedNamespaces: ['ns1', 'ns2'], excludedNamespaces: ['ns3'] },
      ['ns1', 'ns2', 'ns3'],
      ['ns1', 'ns2'],
    ],
    ['R-145 one glob', { includedNamespaces: ['test*'] }, ['test1', 'test2', 'prod1'], ['test1', 'test2']],
    [
      'R-146 two globs',
      { includedNamespaces: ['test*', 'dev*'] },
      ['test1', 'test2', 'dev1', 'prod1'],
      ['dev1', 'test1', 'test2'],
    ],
    [
      'R-147 a glob on both sides',
      { includedNamespaces: ['test*'], excludedNamespaces: ['*-temp'] },
      ['test1', 'test2-temp', 'test3'],
      ['test1', 'test3'],
    ],
    [
      'R-148 a literal exclude',
      { includedNamespaces: ['app-*'], excludedNamespaces: ['app-test'] },
      ['app-prod', 'app-test', 'app-dev'],
      ['app-dev', 'app-prod'],
    ],
    [
      'R-152 a star in the middle',
      { includedNamespaces: ['app-*-prod'] },
      ['app-frontend-prod', 'app-backend-prod', 'app-frontend-dev'],
      ['app-backend-prod', 'app-frontend-prod'],
    ],
    ['two stars match like one', { includedNamespaces: ['sh**'] }, ['shop', 'data'], ['shop']],
    ['one character', { includedNamespaces: ['ns?'] }, ['ns1', 'ns2', 'ns10'], ['ns1', 'ns2']],
    ['a class', { includedNamespaces: ['ns[ab]'] }, ['nsa', 'nsb', 'nsc'], ['nsa', 'nsb']],
    ['braces', { includedNamespaces: ['ns-{prod,dev}'] }, ['ns-prod', 'ns-dev', 'ns-test'], ['ns-dev', 'ns-prod']],
    ['only an exclude', { excludedNamespaces: ['kube-*'] }, ['kube-system', 'shop'], ['shop']],
    [
      'includes are original names',
      { includedNamespaces: ['sh*'], namespaceMapping: { shop: 'target', data: 'shop' } },
      ['shop', 'data'],
      ['target'],
    ],
  ])('%s', async (_title, spec, namespaces, expected) => {
    const plan = await planOf(spec, podsIn(namespaces));

    expect(namespacesOf(plan)).toEqual(expected);
    expect(plan.messages).toEqual([]);
  });

  it('R-153 a glob is a namespace filter: cluster-scoped items are not picked', async () => {
    const plan = await planOf({ includedNamespaces: ['test*'] }, [
      ...podsIn(['test1', 'test2']),
      volumeOf('pv-1', 'Retain'),
      item('v1', 'Namespace', 'other'),
    ]);

    expect(plan.entries.map((entry) => entry.kind)).toEqual(['Namespace', 'Namespace', 'Pod', 'Pod']);
  });

  it('R-149 a star in the excludes is refused at validation', () => {
    expect(validateIncludesExcludes(['test*'], ['*'])).toEqual([`excludes list cannot contain '*'`]);
  });

  it.each<[string, string[], string[]]>([
    ['R-150 an empty backup', ['test*'], []],
    ['R-151 no namespace matches', ['nonexistent*'], ['ns1', 'ns2']],
    ['a literal that is not there', ['absent'], ['ns1']],
    ['a pattern that is none', ['ns[1'], ['ns1']],
  ])('%s: nothing is selected, with a warning', async (_title, includedNamespaces, namespaces) => {
    const plan = await planOf({ includedNamespaces }, [...podsIn(namespaces), volumeOf('pv-1', 'Retain')]);

    expect(plan.entries).toEqual([]);
    expect(plan.messages).toEqual([
      {
        level: 'warning',
        scope: 'velero',
        text: `included namespace "${includedNamespaces[0] ?? ''}" matches no namespace of the backup`,
      },
    ]);
  });

  it('warns of each pattern that matches nothing, and restores what the others match', async () => {
    const plan = await planOf({ includedNamespaces: ['ns1', 'zz*', 'absent'] }, podsIn(['ns1']));

    expect(namespacesOf(plan)).toEqual(['ns1']);
    expect(textsOf(plan, 'warning')).toEqual([
      'included namespace "zz*" matches no namespace of the backup',
      'included namespace "absent" matches no namespace of the backup',
    ]);
  });
});

/** Seen by asking for each of them: a name that the backup has gives no warning. */
describe('namespaces of a backup', () => {
  const deployment = (path: string): JsonObject => item('apps/v1', 'Deployment', path);

  it.each<[string, JsonObject[], string[]]>([
    ['R-154 three namespaces', podsIn(['ns1', 'ns2', 'ns3']), ['ns1', 'ns2', 'ns3']],
    ['R-155 of several resources', [...podsIn(['ns1']), deployment('ns2/d')], ['ns1', 'ns2']],
    ['R-156 cluster scope is none', [...podsIn(['ns1']), volumeOf('ns2', 'Retain')], ['ns1']],
    ['R-157 an empty backup', [], []],
    ['R-158 only cluster scope', [volumeOf('ns1', 'Retain')], []],
    ['R-159 one namespace in several resources', [...podsIn(['ns1']), deployment('ns1/d')], ['ns1']],
    ['a namespace that nothing is in', [item('v1', 'Namespace', 'ns2')], ['ns2']],
  ])('%s', async (_title, objects, expected) => {
    const asked = ['ns1', 'ns2', 'ns3'];

    const plan = await planOf({ includedNamespaces: asked }, objects);

    const known = asked.filter((name) => !textsOf(plan, 'warning').some((text) => text.includes(`"${name}"`)));
    expect(known).toEqual(expected);
  });
});
