import { describe, expect, it } from '@jest/globals';
import { validateHooks } from '../../../../domain/hooks/validateHooks.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';

function withSelector(labelSelector: Json): JsonObject {
  return { resources: [{ name: 'first' }, { name: 'h', labelSelector, postHooks: [] }] };
}

function withContainer(container: Json): JsonObject {
  return {
    resources: [{ name: 'h', postHooks: [{ exec: { command: ['x'] } }, { init: { initContainers: [container] } }] }],
  };
}

const good = { name: 'n', image: 'i', command: ['c'] };

describe('validateHooks', () => {
  it.each<[string, JsonObject | undefined]>([
    ['nothing', undefined],
    ['empty hooks', {}],
    ['null for everything that may be absent', { resources: [{ name: 'h', labelSelector: null, postHooks: null }] }],
    ['a selector', withSelector({ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'k', operator: 'Exists' }] })],
    ['a container with fields of all kinds', withContainer({ ...good, env: [{ name: 'A', value: 'b' }], tty: true })],
    ['an init hook without containers', { resources: [{ name: 'h', postHooks: [{ init: {} }] }] }],
  ])('accepts %s', (_, hooks) => {
    expect(validateHooks(hooks)).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ['resources', { resources: {} }, 'resources: found a map, expected a list'],
    ['a resource', { resources: ['h'] }, 'resources.0: found a string, expected a map'],
    ['postHooks', { resources: [{ postHooks: true }] }, 'resources.0.postHooks: found a boolean, expected a list'],
    ['a selector', withSelector([]), 'resources.1.labelSelector: found a list, expected a map'],
    [
      'labels',
      withSelector({ matchLabels: { a: 1 } }),
      'resources.1.labelSelector.matchLabels: expected a map of strings',
    ],
    [
      'expressions',
      withSelector({ matchExpressions: [{ key: 'a' }] }),
      'resources.1.labelSelector.matchExpressions: expected a list of maps with key, operator and a list of values',
    ],
    [
      'an operator',
      withSelector({ matchExpressions: [{ key: 'a', operator: 'in' }] }),
      '"in" is not a valid label selector operator',
    ],
    [
      'values',
      withSelector({ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }),
      'label selector: matchExpressions[0].values is [], expected at least one value for operator In',
    ],
  ])('refuses a wrong type or value of %s', (_, hooks, problem) => {
    expect(validateHooks(hooks)).toEqual([`invalid restore hooks: ${problem}`]);
  });

  const missing = "invalid InitContainer in restore hook, it doesn't have Command, Name or Image field";
  it.each<[string, Json, string]>([
    ['no name', { ...good, name: '' }, missing],
    ['no image', { ...good, image: null }, missing],
    ['no command', { ...good, command: [] }, missing],
    ['args alone', { name: 'n', image: 'i', args: ['a'] }, missing],
    ['no map', 'secret', 'found a string, expected a map'],
    ['a wrong name', { ...good, name: 3 }, 'name: found a number, expected a string'],
    ['a wrong command', { ...good, command: 'secret' }, 'command: found a string, expected a list of strings'],
    [
      'a wrong part of the command',
      { ...good, command: ['a', 1] },
      'command: found a list, expected a list of strings',
    ],
  ])('refuses a container with %s', (_, container, problem) => {
    const errors = validateHooks(withContainer(container));
    expect(errors).toEqual([`invalid init container in restore hook "h": ${problem}`]);
    expect(errors[0]).not.toContain('secret');
  });

  it('does not look at containers where a selector is wrong, as Velero', () => {
    const hooks: JsonObject = {
      resources: [
        { name: 'a', postHooks: [{ init: { initContainers: [{}] } }] },
        { name: 'b', labelSelector: { matchExpressions: [{ key: 'a', operator: 'Nope' }] } },
      ],
    };
    expect(validateHooks(hooks)).toEqual(['invalid restore hooks: "Nope" is not a valid label selector operator']);
  });
});
