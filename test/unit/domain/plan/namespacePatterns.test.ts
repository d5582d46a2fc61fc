import { describe, expect, it } from '@jest/globals';
import { podOf } from '../support/items.ts';
import { namespacesOf, planOf, textsOf } from '../support/plans.ts';

/** Included and excluded patterns, the namespaces of the backup, those that are restored; patterns that a warning names. */
type Row = [string, readonly string[] | undefined, readonly string[] | undefined, string, string, string?];

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

async function check([, includes, excludes, namespaces, expected, unmatched]: Row): Promise<void> {
  const plan = await planOf(
    {
      ...(includes === undefined ? {} : { includedNamespaces: includes }),
      ...(excludes === undefined ? {} : { excludedNamespaces: excludes }),
    },
    words(namespaces).map((namespace) => podOf(`${namespace}/pod-1`)),
  );
  expect(namespacesOf(plan)).toEqual(words(expected).sort());
  expect(textsOf(plan, 'warning')).toEqual(
    (unmatched === undefined ? [] : unmatched.split(';')).map(
      (pattern) => `included namespace ${JSON.stringify(pattern)} matches no namespace of the backup`,
    ),
  );
}

/**
 * Later versions of Velero replace patterns by names before they choose items, and refuse some forms. Velero 1.18.3 and this
 * project match while they choose, so here each of those cases is what comes of it: the namespaces that are restored.
 */
describe('which lists of namespaces are patterns', () => {
  it.each<Row>([
    ['R-160 no patterns', ['ns1', 'ns2'], ['ns3'], 'ns1 ns2 ns3', 'ns1 ns2'],
    ['R-161 a star alone', ['*'], undefined, 'ns1 prod', 'ns1 prod'],
    ['R-162 a star beside a pattern', ['ns*', '*'], undefined, 'ns1 prod', 'ns1 prod'],
    ['R-163 an include', ['ns*'], undefined, 'ns1 ns2 prod', 'ns1 ns2'],
    ['R-164 an exclude beside a literal include', ['ns1', 'prod'], ['ns*'], 'ns1 ns2 prod', 'prod'],
    ['R-165 both', ['ns*'], ['*-test'], 'ns1 ns-test prod', 'ns1'],
    ['R-166 a pattern beside a star', ['*', 'ns*'], undefined, 'ns1 prod', 'ns1 prod'],
    ['R-167 two stars match all', ['**'], undefined, 'ns1 prod', 'ns1 prod'],
    ['R-168 nothing', [], [], 'ns1 prod', 'ns1 prod'],
    ['R-169 an exclude without includes', [], ['ns*'], 'ns1 ns2 prod', 'prod'],
    [
      'R-170 stars in front and inside',
      ['*-prod', 'test-*-staging'],
      [],
      'a-prod test-b-staging test-b',
      'a-prod test-b-staging',
    ],
    ['R-171 one character', ['ns?'], [], 'ns1 ns ns12', 'ns1'],
    ['R-172 a class', ['ns[abc]'], [], 'nsa nsd nsab', 'nsa'],
    ['R-173 braces', ['ns{prod,staging}'], [], 'nsprod nsstaging nstest', 'nsprod nsstaging'],
    ['R-174 a dot is no pattern', ['app.prod'], [], 'app.prod appxprod', 'app.prod'],
    ['R-175 a plus is no pattern', ['app+'], [], 'app+ app appp', 'app+'],
  ])('%s', (...row) => check(row));
});

describe('patterns on both sides', () => {
  const apps = 'app-prod app-staging db-prod';

  it.each<Row>([
    ['R-176 literals, one of them absent', ['app-prod', 'absent'], ['db-prod'], apps, 'app-prod', 'absent'],
    ['R-177 an include', ['app-*'], undefined, apps, 'app-prod app-staging'],
    ['R-178 an exclude', undefined, ['*-staging'], apps, 'app-prod db-prod'],
    ['R-179 both', ['*-prod'], ['*-staging'], apps, 'app-prod db-prod'],
    ['R-180 a star', ['*'], undefined, apps, apps],
    ['R-181 a backup without namespaces', ['app-*'], ['*-staging'], '', '', 'app-*'],
    ['R-182 nothing', undefined, undefined, apps, apps],
    [
      'R-183 three included, one of them excluded',
      ['*-app-*'],
      ['*-staging'],
      'my-app-prod my-app-dev my-app-staging my-db',
      'my-app-prod my-app-dev',
    ],
    ['R-184 two stars are like one (refused by later versions)', ['**'], undefined, apps, apps],
    ['R-185 two stars at the end', ['app-**'], undefined, apps, 'app-prod app-staging'],
    ['R-186 one character', ['ns?'], undefined, 'ns1 ns2 ns10', 'ns1 ns2'],
    ['R-187 a class', ['ns[abc]'], undefined, 'nsa nsb nsc nsd', 'nsa nsb nsc'],
    ['R-188 braces (refused by later versions)', ['app-{prod,staging}'], undefined, apps, 'app-prod app-staging'],
    ['R-189 dot and plus are literals', ['app.prod', 'app+'], undefined, 'app.prod app+ app-prod', 'app.prod app+'],
    ['R-190 parentheses are literals (refused by later versions)', ['ns(1|2)'], undefined, 'ns1 ns2', '', 'ns(1|2)'],
  ])('%s', (...row) => check(row));
});

describe('one list', () => {
  const mixed = 'app-prod app-test db-prod web-test';

  it.each<Row>([
    ['R-191 empty', [], undefined, mixed, mixed],
    ['R-192 literals, one of them absent', ['app-prod', 'absent'], undefined, mixed, 'app-prod', 'absent'],
    ['R-193 a star', ['*'], undefined, mixed, mixed],
    ['R-194 one pattern, two matches', ['app-*'], undefined, mixed, 'app-prod app-test'],
    ['R-195 patterns and a literal', ['app-*', 'db-prod', '*-test'], undefined, mixed, mixed],
    ['R-196 no match is nothing, not everything', ['zz-*'], undefined, mixed, '', 'zz-*'],
    ['R-197 patterns that overlap', ['app-*', '*-prod'], undefined, mixed, 'app-prod app-test db-prod'],
    ['R-198 one character', ['ns?'], undefined, 'ns1 nsa ns ns12', 'ns1 nsa'],
    ['R-199 a class', ['ns[12]'], undefined, 'ns1 ns2 ns3', 'ns1 ns2'],
    ['R-200 a range', ['ns[a-c]'], undefined, 'nsa nsb nsc nsd', 'nsa nsb nsc'],
    ['R-201 two stars', ['**'], undefined, mixed, mixed],
    ['R-201 two stars inside', ['app-**-prod'], undefined, 'app-a-prod app-prod', 'app-a-prod'],
    ['R-201 parentheses', ['ns(1|2)'], undefined, 'ns1 ns2', '', 'ns(1|2)'],
  ])('%s', (...row) => check(row));
});

/** Brackets that are none make a pattern that matches nothing; Velero 1.18.3 leaves it at that, here a warning names it. */
describe('brackets', () => {
  it.each<Row>([
    ['R-202 a list', ['ns[abc]'], undefined, 'nsb ns', 'nsb'],
    ['R-202 a range of letters', ['ns[a-z]'], undefined, 'nsb ns1', 'nsb'],
    ['R-202 a range of digits', ['ns[0-9]'], undefined, 'nsb ns1', 'ns1'],
    ['R-202 one character', ['ns[a]'], undefined, 'nsa nsb', 'nsa'],
    ['R-202 inside', ['prefix-[abc]-suffix'], undefined, 'prefix-b-suffix prefix-d-suffix', 'prefix-b-suffix'],
    [
      'R-202 two ranges in one, which gobwas/glob does not know',
      ['ns[a-z0-9]'],
      undefined,
      'nsb ns1',
      '',
      'ns[a-z0-9]',
    ],
    ['R-202 no text', [''], undefined, 'nsb', '', ''],
    ['R-203 unclosed at the end', ['ns[abc'], undefined, 'nsa ns[abc', '', 'ns[abc'],
    ['R-203 unclosed at the beginning', ['[abc'], undefined, 'a', '', '[abc'],
    ['R-203 unclosed inside', ['ns[abc-test'], undefined, 'nsa-test', '', 'ns[abc-test'],
    ['R-204 only closed: a literal', ['ns-abc]'], undefined, 'ns-abc ns-abc]', 'ns-abc]'],
    ['R-204 closed at the beginning', [']ns-abc'], undefined, 'ns-abc', '', ']ns-abc'],
    ['R-204 closed inside', ['ns-]abc'], undefined, 'ns-abc', '', 'ns-]abc'],
    ['R-204 closed twice', ['ns[abc]]'], undefined, 'nsa nsa]', 'nsa]'],
    ['R-205 empty at the end', ['ns[]'], undefined, 'ns', '', 'ns[]'],
    ['R-205 empty at the beginning', ['[]ns'], undefined, 'ns', '', '[]ns'],
    ['R-205 empty', ['[]'], undefined, 'ns', '', '[]'],
    [
      'R-211 unclosed, closed and empty side by side',
      ['ns[abc', 'ns[abc]', 'ns[]'],
      undefined,
      'nsa',
      'nsa',
      'ns[abc;ns[]',
    ],
    ['an unclosed one among the excludes excludes nothing', undefined, ['ns[a'], 'nsa nsb', 'nsa nsb'],
  ])('%s: %j', (...row) => check(row));
});

describe('edges', () => {
  it.each<Row>([
    ['R-206 no lists', undefined, undefined, 'ns1', 'ns1'],
    ['R-207 an empty text is a name like another', [''], undefined, 'ns1', '', ''],
    ['R-207 so is a blank', [' '], undefined, 'ns1', '', ' '],
    ['R-208 a star takes every character', ['ns*'], undefined, 'ns-1 ns_2 ns.3 ns@4 other', 'ns-1 ns_2 ns.3 ns@4'],
    [
      'R-209 a dot and any character',
      ['app.prod', 'app?prod'],
      undefined,
      'app.prod app-prod app_prod test.ns',
      'app.prod app-prod app_prod',
    ],
    ['R-210 one star', ['*'], undefined, 'ns1 app-x', 'ns1 app-x'],
    ['R-210 two stars', ['**'], undefined, 'ns1 app-x', 'ns1 app-x'],
    ['R-210 three stars', ['***'], undefined, 'ns1 app-x', 'ns1 app-x'],
    ['R-210 four stars', ['****'], undefined, 'ns1 app-x', 'ns1 app-x'],
    ['R-210 two stars at the end', ['app-**'], undefined, 'ns1 app-x', 'app-x'],
    ['R-210 two stars inside', ['app-**-prod'], undefined, 'app-x app-x-prod', 'app-x-prod'],
    ['R-228 a pattern of nothing includes nothing', ['zz*'], undefined, 'ns1 ns2', '', 'zz*'],
    ['R-229 of kube-* the one, not the other', ['kube-*'], undefined, 'kube-system default', 'kube-system'],
    ['R-230 no patterns and no includes include', [], [], 'default', 'default'],
  ])('%s', (...row) => check(row));
});
