import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { getIn, type Json, type JsonObject } from '../../../../domain/json.ts';
import { renderJson } from '../../../../domain/jsonText.ts';
import { ModifierError } from '../../../../domain/modifiers/modifierError.ts';
import { patchValue } from '../../../../domain/modifiers/patchValue.ts';
import { type ModifiedItem, readResourceModifiers } from '../../../../domain/modifiers/resourceModifiers.ts';
import { frozen } from '../support/frozen.ts';

function vectors<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`../go/vectors/${name}.json`, import.meta.url), 'utf8')) as T[];
}

/** A document of rules, written as JSON, which is YAML. */
function document(...rules: readonly unknown[]): string {
  return JSON.stringify({ version: 'v1', resourceModifierRules: rules });
}

function apply(item: JsonObject, groupResource: string, ...rules: readonly unknown[]): ModifiedItem {
  return readResourceModifiers(document(...rules)).modifiers.apply(frozen(item), groupResource);
}

function faultOf(text: string): ModifierError {
  try {
    readResourceModifiers(text);
  } catch (error) {
    if (error instanceof ModifierError) return error;
  }
  throw new Error('expected a ModifierError');
}

const configMap: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'test-cm', namespace: 'foo', labels: { a: 'b' } },
  data: { test: '1' },
};
const claim: JsonObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'test-pvc', namespace: 'foo', labels: { a: 'b' } },
  spec: { storageClassName: 'standard' },
};
const deployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'test-deployment', namespace: 'foo', labels: { app: 'nginx' } },
  spec: { replicas: 1, template: { spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] } } },
};
const pod: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'foo', labels: { a: 'b' } },
  spec: { containers: [{ name: 'nginx', image: 'old' }], volumes: [{ name: 'vol', nfs: { server: 's' } }] },
};
const service: JsonObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'foo' },
  spec: {
    ports: [
      { port: 8000, name: 'https', protocol: 'TCP', targetPort: 8000 },
      { port: 8001, name: 'debug' },
    ],
  },
};

const pvcs = { groupResource: 'persistentvolumeclaims', resourceNameRegex: '.*', namespaces: ['foo'] };
const deployments = { groupResource: 'deployments.apps', resourceNameRegex: '^test-.*$', namespaces: ['foo'] };
const classTo = (from: string, to: string): unknown[] => [
  { operation: 'test', path: '/spec/storageClassName', value: from },
  { operation: 'replace', path: '/spec/storageClassName', value: to },
];

describe('reading resource modifiers', () => {
  it.each([
    [
      'R-355 regex, namespaces, a patch without value',
      `version: v1
resourceModifierRules:
- conditions: {groupResource: persistentvolumeclaims, resourceNameRegex: ".*", namespaces: [bar, foo]}
  patches:
  - {operation: replace, path: /spec/storageClassName, value: premium}
  - {operation: remove, path: /metadata/labels/test}
`,
    ],
    [
      'R-356 an object as text and a copy',
      document({
        conditions: deployments,
        patches: [
          { operation: 'add', path: '/spec/template/spec/containers/0', value: '{"name": "nginx"}' },
          { operation: 'copy', from: '/spec/template/spec/containers/0', path: '/spec/template/spec/containers/1' },
        ],
      }),
    ],
    [
      'R-360 matches and a merge patch in YAML',
      document({
        conditions: { groupResource: 'pods', matches: [{ path: '/metadata/labels/a', value: 'b' }] },
        mergePatches: [{ patchData: 'metadata:\n  labels:\n    a: null\n' }],
      }),
    ],
    [
      'R-361 a strategic patch in YAML',
      document({
        conditions: { groupResource: 'pods' },
        strategicPatches: [{ patchData: 'spec:\n  containers:\n  - name: nginx\n' }],
      }),
    ],
    [
      'R-362 a merge patch in JSON',
      document({
        conditions: { groupResource: 'pods' },
        mergePatches: [{ patchData: '{"metadata":{"labels":{"a":null}}}' }],
      }),
    ],
    [
      'R-363 a strategic patch in JSON',
      document({ conditions: { groupResource: 'pods' }, strategicPatches: [{ patchData: '{"spec":{}}' }] }),
    ],
    [
      'R-408, R-414 version v1 with a complete rule',
      document({ conditions: deployments, patches: [{ operation: 'replace', path: '/spec/replicas', value: '2' }] }),
    ],
    [
      'the version in upper case',
      document({ conditions: deployments, mergePatches: [{ patchData: '{}' }] }).replace('"v1"', '"V1"'),
    ],
    [
      'an operation in upper case',
      document({ conditions: deployments, patches: [{ operation: 'Replace', path: '/spec/replicas', value: '2' }] }),
    ],
    [
      'null where nothing is meant',
      document({
        conditions: { ...deployments, labelSelector: null, matches: null },
        patches: null,
        mergePatches: [{ patchData: '{}' }],
      }),
    ],
  ])('takes %s', (_, text) => {
    expect(readResourceModifiers(text).warnings).toEqual([]);
  });

  it('R-358 takes a rule without patches, and warns: each of its items will have an error', () => {
    const rule = { conditions: { groupResource: 'configmaps', labelSelector: { matchLabels: { a: 'b' } } } };

    expect(readResourceModifiers(document(rule)).warnings).toEqual([
      expect.stringContaining('resourceModifierRules[0] has no patch'),
    ]);
    expect(apply(configMap, 'configmaps', rule)).toEqual({
      item: configMap,
      errors: ['no patch data found'],
    });
  });

  it.each([
    [
      'R-357, R-316 an unknown key',
      'version1: v1\nresourceModifierRules: []',
      /^failed to decode yaml data into resource modifiers, err: version1: unknown field \(value "v1"\), expected one of version, resourceModifierRules$/,
    ],
    [
      'an unknown field of a patch',
      document({ conditions: deployments, patches: [{ opration: 'add' }] }),
      /resourceModifierRules\.0\.patches\.0\.opration: unknown field \(value "add"\), expected one of operation, from, path, value$/,
    ],
    [
      'an unknown field of the conditions',
      document({ conditions: { groupResources: 'pods' } }),
      /resourceModifierRules\.0\.conditions\.groupResources: unknown field .* groupResource, /,
    ],
    [
      'a value that is a map',
      document({ conditions: deployments, patches: [{ operation: 'add', path: '/x', value: { a: 1 } }] }),
      /resourceModifierRules\.0\.patches\.0\.value: found \{"a":1\}, expected a string$/,
    ],
    ['a list instead of a map', document([]), /resourceModifierRules\.0: found \[\], expected an object$/],
    ['R-359 no document at all', '', undefined],
    ['no YAML', 'version: [', /error converting YAML to JSON: line \d+, column \d+: /],
  ])('refuses %s', (_, text, message) => {
    const fault = faultOf(text);

    expect(fault.type).toBe(message === undefined ? 'ModifiersInvalid' : 'ModifiersUnreadable');
    if (message !== undefined) expect(fault.message).toMatch(message);
  });

  const patch = (...patches: unknown[]): string => document({ conditions: deployments, patches });

  it.each([
    [
      'R-409 version v2',
      document({ conditions: deployments }).replace('"v1"', '"v2"'),
      'unsupported resource modifier version v2 (version: expected v1)',
    ],
    [
      'R-410 no rules',
      document(),
      'resource modifier rules cannot be empty (resourceModifierRules: expected at least one)',
    ],
    [
      'R-317, R-411, R-417 an unknown operation',
      patch({ operation: 'invalid', path: '/x' }),
      'unsupported operation invalid (resourceModifierRules[0].patches[0].operation)',
    ],
    [
      'R-412 an empty groupResource',
      document({ conditions: { groupResource: '' } }),
      'groupkResource cannot be empty (resourceModifierRules[0].conditions.groupResource)',
    ],
    [
      'no conditions',
      document({ mergePatches: [{ patchData: '{}' }] }),
      'groupkResource cannot be empty (resourceModifierRules[0].conditions.groupResource)',
    ],
    [
      'R-413 two kinds of patches',
      document({
        conditions: deployments,
        patches: [{ operation: 'remove', path: '/x' }],
        mergePatches: [{ patchData: '{}' }],
      }),
      'only one of patches, mergePatches, strategicPatches can be specified (resourceModifierRules[0])',
    ],
    [
      'R-415 an empty operation',
      patch({ operation: '', path: '/x' }),
      'operation cannot be empty (resourceModifierRules[0].patches[0].operation)',
    ],
    [
      'R-416 an empty path',
      patch({ operation: 'remove', path: '' }),
      'path cannot be empty (resourceModifierRules[0].patches[0].path)',
    ],
    [
      'R-367 an invalid regex',
      document({ conditions: { groupResource: 'pods', resourceNameRegex: '[a-z' } }),
      'error in matching regex error parsing regexp: missing closing ]: `[a-z` (resourceModifierRules[0].conditions.resourceNameRegex)',
    ],
    [
      'a regex that only other engines know',
      document({ conditions: { groupResource: 'pods', resourceNameRegex: '(?=a)' } }),
      'error in matching regex error parsing regexp: invalid or unsupported Perl syntax: `(?=` (resourceModifierRules[0].conditions.resourceNameRegex)',
    ],
    [
      'an invalid glob',
      document({ conditions: { groupResource: '[' } }),
      /^glob pattern "\[": .* \(resourceModifierRules\[0\]\.conditions\.groupResource\)$/,
    ],
    [
      'a bad label selector',
      document({
        conditions: {
          groupResource: 'pods',
          labelSelector: { matchExpressions: [{ key: 'a', operator: 'Nope', values: [] }] },
        },
      }),
      /^error in creating label selector .*Nope.* \(resourceModifierRules\[0\]\.conditions\.labelSelector\)$/,
    ],
    [
      'matches without a path',
      document({ conditions: { groupResource: 'pods', matches: [{ value: 'x' }] } }),
      'path is required for match rule (resourceModifierRules[0].conditions.matches[0].path)',
    ],
    [
      'R-403, R-404, R-406, R-407 patch data that is neither YAML nor JSON',
      document(
        { conditions: { groupResource: 'pods' }, mergePatches: [{ patchData: '{"a": b: c}' }] },
        { conditions: { groupResource: 'pods' }, strategicPatches: [{ patchData: 'a: [' }] },
      ),
      /^error in converting YAML to JSON .*\(resourceModifierRules\[0\]\.mergePatches\[0\]\.patchData\)\nerror in converting YAML to JSON .*\(resourceModifierRules\[1\]\.strategicPatches\[0\]\.patchData\)$/,
    ],
    [
      'True, which is no JSON',
      patch({ operation: 'add', path: '/x', value: 'True' }),
      'the value makes no JSON: write true for the truth value, or "\\"True\\"" for the text (resourceModifierRules[0].patches[0].value)',
    ],
    [
      'a quote inside of a text',
      patch({ operation: 'add', path: '/x', value: 'a"b' }),
      /quotes, backslashes and line breaks .*\(resourceModifierRules\[0\]\.patches\[0\]\.value\)$/,
    ],
    [
      'a number only Go knows',
      patch({ operation: 'add', path: '/x', value: '.5' }),
      /it is a number for Go but not for JSON/,
    ],
    [
      'a copy from nowhere',
      patch({ operation: 'copy', path: '/x' }),
      /^found "", expected a path such as .*patches\[0\]\.from\)$/,
    ],
  ])('does not take %s, and says where it is', (_, text, message) => {
    const fault = faultOf(text);

    expect(fault.type).toBe('ModifiersInvalid');
    if (typeof message === 'string') expect(fault.message).toBe(message);
    else expect(fault.message).toMatch(message);
  });

  it('tells every problem at once', () => {
    const text = document({
      conditions: { groupResource: '', resourceNameRegex: '(' },
      patches: [
        { operation: 'x', path: '/a' },
        { operation: 'add', path: '' },
      ],
    });

    expect(faultOf(text.replace('"v1"', '"v3"')).message.split('\n')).toHaveLength(5);
  });
});

describe('values of JSON patches', () => {
  it.each<[string, string, string]>([
    ['R-395 a number', '1', '1'],
    ['R-396 another number', '2', '2'],
    ['R-397 a list', '["a", "b", "c"]', '["a", "b", "c"]'],
    ['R-398 null', 'null', 'null'],
    ['R-399 an object', '{"a": "b"}', '{"a": "b"}'],
    ['R-400, R-401, R-402 nothing', '', '""'],
    ['R-364 a truth value in quotes', '"true"', '"true"'],
    ['R-365 a truth value', 'true', 'true'],
    ['R-366 false in quotes', '"false"', '"false"'],
    ['a text', 'hello world', '"hello world"'],
    ['an escape', 'a\\nb', '"a\\nb"'],
    ['a lone quote', '"', '""'],
    ['a number that no double can hold', '1e999', '"1e999"'],
  ])('%s', (_, value, text) => {
    expect(patchValue(value).text).toBe(text);
  });

  it.each(vectors<{ readonly text: string; readonly number: boolean }>('parseFloat'))(
    'takes "$text" for a number as strconv.ParseFloat does: $number',
    ({ text, number }) => {
      const isText = ((): boolean => {
        try {
          return text === '' || typeof patchValue(text).parsed === 'string';
        } catch {
          return false;
        }
      })();

      expect(isText).toBe(!number && text !== 'true' && text !== 'null');
    },
  );

  it('keeps every digit', () => {
    expect(renderJson(patchValue('9007199254740995').parsed)).toBe('9007199254740995');
  });
});

describe('JSON patches', () => {
  const containers = ['spec', 'template', 'spec', 'containers'];

  it.each<[string, JsonObject, string, unknown[], (string | number)[], Json | undefined]>([
    [
      'R-366 text false',
      configMap,
      'configmaps',
      [
        {
          conditions: { groupResource: 'configmaps' },
          patches: [{ operation: 'replace', path: '/data/test', value: '"false"' }],
        },
      ],
      ['data', 'test'],
      'false',
    ],
    [
      'R-368 test, then replace',
      claim,
      'persistentvolumeclaims',
      [{ conditions: pvcs, patches: classTo('standard', 'premium') }],
      ['spec', 'storageClassName'],
      'premium',
    ],
    [
      'R-369 conditions see the original',
      claim,
      'persistentvolumeclaims',
      [
        {
          conditions: { ...pvcs, matches: [{ path: '/spec/storageClassName', value: 'standard' }] },
          patches: [{ operation: 'replace', path: '/spec/storageClassName', value: 'premium' }],
        },
        {
          conditions: { ...pvcs, matches: [{ path: '/spec/storageClassName', value: 'premium' }] },
          patches: [{ operation: 'replace', path: '/spec/storageClassName', value: 'gold' }],
        },
      ],
      ['spec', 'storageClassName'],
      'premium',
    ],
    [
      'R-370 the last one wins',
      claim,
      'persistentvolumeclaims',
      ['premium', 'gold'].map((value) => ({
        conditions: { ...pvcs, matches: [{ path: '/spec/storageClassName', value: 'standard' }] },
        patches: [{ operation: 'replace', path: '/spec/storageClassName', value }],
      })),
      ['spec', 'storageClassName'],
      'gold',
    ],
    [
      'R-371 integers',
      deployment,
      'deployments.apps',
      [
        {
          conditions: deployments,
          patches: [
            { operation: 'test', path: '/spec/replicas', value: '1' },
            { operation: 'replace', path: '/spec/replicas', value: '2' },
          ],
        },
      ],
      ['spec', 'replicas'],
      2,
    ],
    [
      'R-372 a test that fails',
      deployment,
      'deployments.apps',
      [
        {
          conditions: deployments,
          patches: [
            { operation: 'test', path: '/spec/replicas', value: '5' },
            { operation: 'replace', path: '/spec/replicas', value: '2' },
          ],
        },
      ],
      ['spec', 'replicas'],
      1,
    ],
    [
      'R-373 without a regex',
      deployment,
      'deployments.apps',
      [
        {
          conditions: { groupResource: 'deployments.apps', namespaces: ['foo'] },
          patches: [{ operation: 'replace', path: '/spec/replicas', value: '2' }],
        },
      ],
      ['spec', 'replicas'],
      2,
    ],
    [
      'R-374 without regex and namespaces',
      deployment,
      'deployments.apps',
      [
        {
          conditions: { groupResource: 'deployments.apps' },
          patches: [{ operation: 'replace', path: '/spec/replicas', value: '2' }],
        },
      ],
      ['spec', 'replicas'],
      2,
    ],
    [
      'R-375 another namespace',
      deployment,
      'deployments.apps',
      [
        {
          conditions: { ...deployments, namespaces: ['bar'] },
          patches: [{ operation: 'replace', path: '/spec/replicas', value: '2' }],
        },
      ],
      ['spec', 'replicas'],
      1,
    ],
    [
      'R-376 a container by its index',
      deployment,
      'deployments.apps',
      [
        {
          conditions: deployments,
          patches: [{ operation: 'add', path: '/spec/template/spec/containers/1', value: '{"name": "redis"}' }],
        },
      ],
      containers,
      [{ name: 'nginx', image: 'nginx:latest' }, { name: 'redis' }],
    ],
    [
      'R-377 copy, test, replace',
      deployment,
      'deployments.apps',
      [
        {
          conditions: deployments,
          patches: [
            { operation: 'copy', from: '/spec/template/spec/containers/0', path: '/spec/template/spec/containers/1' },
            { operation: 'test', path: '/spec/template/spec/containers/1/image', value: 'nginx:latest' },
            { operation: 'replace', path: '/spec/template/spec/containers/1/name', value: 'redis' },
            { operation: 'replace', path: '/spec/template/spec/containers/1/image', value: 'redis:latest' },
          ],
        },
      ],
      containers,
      [
        { name: 'nginx', image: 'nginx:latest' },
        { name: 'redis', image: 'redis:latest' },
      ],
    ],
    [
      'R-378 a label selector that matches',
      deployment,
      'deployments.apps',
      [
        {
          conditions: { ...deployments, labelSelector: { matchLabels: { app: 'nginx' } } },
          patches: [{ operation: 'replace', path: '/spec/replicas', value: '2' }],
        },
      ],
      ['spec', 'replicas'],
      2,
    ],
    [
      'R-379 a label selector that does not',
      deployment,
      'deployments.apps',
      [
        {
          conditions: { ...deployments, labelSelector: { matchLabels: { app: 'other' } } },
          patches: [{ operation: 'replace', path: '/spec/replicas', value: '2' }],
        },
      ],
      ['spec', 'replicas'],
      1,
    ],
    [
      'R-401 move',
      configMap,
      'configmaps',
      [
        {
          conditions: { groupResource: 'configmaps' },
          patches: [{ operation: 'move', from: '/data/test', path: '/data/moved' }],
        },
      ],
      ['data'],
      { moved: '1' },
    ],
  ])('%s', (_, item, groupResource, rules, path, expected) => {
    const { item: modified, errors } = apply(item, groupResource, ...rules);

    expect(errors).toEqual([]);
    expect(getIn(modified, path)).toEqual(expected);
  });

  it('tell a failure as Velero does, leave the item as it was and go on with the next rule', () => {
    const { item, errors } = apply(
      configMap,
      'configmaps',
      {
        conditions: { groupResource: 'configmaps' },
        patches: [
          { operation: 'add', path: '/data/x', value: '"1"' },
          { operation: 'replace', path: '/spec/doesNotExist', value: 'x' },
        ],
      },
      { conditions: { groupResource: 'configmaps' }, patches: [{ operation: 'add', path: '/data/y', value: '"2"' }] },
    );

    expect(errors).toEqual([
      'error in applying patch error in applying JSON Patch replace operation does not apply: doc is missing path: /spec/doesNotExist: missing value',
    ]);
    expect(item['data']).toEqual({ test: '1', y: '2' });
  });

  it('may not take the kind away', () => {
    const { item, errors } = apply(configMap, 'configmaps', {
      conditions: { groupResource: 'configmaps' },
      patches: [{ operation: 'remove', path: '/kind' }],
    });

    expect(item).toEqual(configMap);
    expect(errors).toEqual(["error in applying patch error in unmarshalling modified object Object 'Kind' is missing"]);
  });
});

describe('conditions', () => {
  const setsLabel = { mergePatches: [{ patchData: '{"metadata":{"labels":{"set":"yes"}}}' }] };
  const applies = (item: JsonObject, groupResource: string, conditions: unknown): boolean => {
    const { item: modified, errors } = apply(item, groupResource, { conditions, ...setsLabel });
    expect(errors).toEqual([]);
    return getIn(modified, ['metadata', 'labels', 'set']) === 'yes';
  };

  it.each<[string, string, string, boolean]>([
    ['R-390 * is the core group', '*', 'configmaps', true],
    ['R-391 *.apps', '*.apps', 'fake.apps', true],
    ['* stays within its segment', '*', 'deployments.apps', false],
    ['*.* has two segments', '*.*', 'ingresses.networking.k8s.io', false],
    ['** is everything', '**', 'ingresses.networking.k8s.io', true],
    ['alternatives', '{configmaps,secrets}', 'secrets', true],
    ['no part of a name', 'config', 'configmaps', false],
  ])('%s', (_, pattern, groupResource, expected) => {
    expect(applies(configMap, groupResource, { groupResource: pattern })).toBe(expected);
  });

  it.each<[string, unknown[], boolean]>([
    ['R-392 a label that equals', [{ path: '/metadata/labels/a', value: 'b' }], true],
    ['R-393 a label that differs', [{ path: '/metadata/labels/a', value: 'c' }], false],
    ['R-394 a path that is not there', [{ path: '/metadata/nothing/a', value: 'b' }], false],
    [
      'all of them',
      [
        { path: '/metadata/labels/a', value: 'b' },
        { path: '/data/test', value: '2' },
      ],
      false,
    ],
    ['a text that looks like a number', [{ path: '/data/test', value: '"1"' }], true],
    ['a number for a text', [{ path: '/data/test', value: '1' }], false],
  ])('matches: %s', (_, matches, expected) => {
    expect(applies(configMap, 'configmaps', { groupResource: 'configmaps', matches })).toBe(expected);
  });

  it('matches: an index beyond the list is an error of the item, as in Velero', () => {
    const rule = {
      conditions: { groupResource: 'pods', matches: [{ path: '/spec/containers/7', value: 'x' }] },
      ...setsLabel,
    };

    expect(apply(pod, 'pods', rule)).toEqual({
      item: pod,
      errors: [
        "error in test for path: '/spec/containers/7': Unable to access invalid index: 7: invalid index referenced",
      ],
    });
  });

  it.each<[string, string[], boolean]>([
    ['a name', ['foo'], true],
    ['a glob', ['f*'], true],
    ['another', ['bar'], false],
    ['none', [], true],
  ])('namespaces: %s', (_, namespaces, expected) => {
    expect(applies(configMap, 'configmaps', { groupResource: '*', namespaces })).toBe(expected);
  });

  it('namespaces do not count for items without one', () => {
    expect(
      applies({ kind: 'Namespace', metadata: { name: 'x' } }, 'namespaces', {
        groupResource: '*',
        namespaces: ['foo'],
      }),
    ).toBe(true);
  });

  it.each(
    vectors<{
      readonly pattern: string;
      readonly error?: string;
      readonly matches: string[];
      readonly misses: string[];
    }>('regexp').filter(({ pattern }) => pattern !== '' && pattern !== '\\C'),
  )('resourceNameRegex $pattern matches as Go does', ({ pattern, error, matches, misses }) => {
    const conditions = { groupResource: '*', resourceNameRegex: pattern };
    if (error !== undefined) {
      expect(faultOf(document({ conditions, ...setsLabel })).message).toMatch(
        /^error in matching regex error parsing regexp: /,
      );
      return;
    }
    const named = (name: string): boolean => applies({ kind: 'X', metadata: { name } }, 'x', conditions);
    expect(matches.filter((name) => !named(name))).toEqual([]);
    expect(misses.filter(named)).toEqual([]);
  });
});

describe('merge patches', () => {
  it.each<[string, string, Json]>([
    ['R-385 a label in JSON', '{"metadata":{"labels":{"a":"c"}}}', { a: 'c' }],
    ['R-386 a label in YAML', 'metadata:\n  labels:\n    a: c\n', { a: 'c' }],
    ['R-387 null removes', '{"metadata":{"labels":{"a":null}}}', {}],
    ['R-388 a new label', '{"metadata":{"labels":{"b":"c"}}}', { a: 'b', b: 'c' }],
    ['R-389 null for what is not there', '{"metadata":{"labels":{"b":null}}}', { a: 'b' }],
  ])('%s', (_, patchData, labels) => {
    const { item, errors } = apply(configMap, 'configmaps', {
      conditions: { groupResource: 'configmaps' },
      mergePatches: [{ patchData }],
    });

    expect(errors).toEqual([]);
    expect(getIn(item, ['metadata', 'labels'])).toEqual(labels);
  });

  it('keep every digit of integers', () => {
    const { item } = apply(configMap, 'configmaps', {
      conditions: { groupResource: '*' },
      mergePatches: [{ patchData: 'spec: {big: 9007199254740997}' }],
    });

    expect(renderJson(item['spec'] ?? null)).toBe('{"big":9007199254740997}');
  });
});

describe('strategic merge patches', () => {
  const podPatch = (patchData: string): ModifiedItem =>
    apply(pod, 'pods', { conditions: { groupResource: 'pods' }, strategicPatches: [{ patchData }] });

  it.each([
    ['R-380 in JSON', '{"spec":{"containers":[{"name":"nginx","image":"new"}]}}'],
    ['R-381 in YAML', 'spec:\n  containers:\n  - name: nginx\n    image: new\n'],
  ])('%s: a container by its name', (_, patchData) => {
    expect(getIn(podPatch(patchData).item, ['spec', 'containers'])).toEqual([{ name: 'nginx', image: 'new' }]);
  });

  it.each([
    [
      'R-382 null removes the other source',
      '{"spec":{"volumes":[{"nfs":null,"name":"vol","persistentVolumeClaim":{"claimName":"c"}}]}}',
    ],
    [
      'R-383 retainKeys removes the other source',
      '{"spec":{"volumes":[{"$retainKeys":["name","persistentVolumeClaim"],"name":"vol","persistentVolumeClaim":{"claimName":"c"}}]}}',
    ],
  ])('%s', (_, patchData) => {
    expect(getIn(podPatch(patchData).item, ['spec', 'volumes'])).toEqual([
      { name: 'vol', persistentVolumeClaim: { claimName: 'c' } },
    ]);
  });

  it('R-384 a port is replaced in its place', () => {
    const patchData =
      '{"spec":{"$setElementOrder/ports":[{"port":8001},{"port":9000},{"port":8000}],"ports":[{"name":"fake","port":8001},{"port":9000,"name":"https"},{"$patch":"delete","port":8000}]}}';
    const { item, errors } = apply(service, 'services', {
      conditions: { groupResource: 'services' },
      strategicPatches: [{ patchData }],
    });

    expect(errors).toEqual([]);
    expect(getIn(item, ['spec', 'ports'])).toEqual([
      { port: 8001, name: 'fake' },
      { port: 9000, name: 'https' },
    ]);
  });

  it('R-405 a kind without merge keys is an error of the item', () => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };

    expect(
      apply(widget, 'widgets.example.com', {
        conditions: { groupResource: '*.*.*' },
        strategicPatches: [{ patchData: '{"spec":{}}' }],
      }),
    ).toEqual({
      item: widget,
      errors: [
        expect.stringMatching(/^error in applying patch no kind "Widget" is registered for version "example\.com\/v1"/),
      ],
    });
  });

  it('tells what does not fit', () => {
    expect(podPatch('{"spec":{"containers":[{"image":"x"}]}}').errors).toEqual([
      'error in applying patch error in applying Strategic Patch map does not contain declared merge key: name',
    ]);
  });
});
