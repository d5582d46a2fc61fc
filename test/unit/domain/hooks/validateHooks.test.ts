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
    ['H-048 a container', withContainer(good)],
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
    ['H-049 no name', { ...good, name: '' }, missing],
    ['H-050 no image', { ...good, image: null }, missing],
    ['H-051 no command', { ...good, command: [] }, missing],
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

describe('exec hooks', () => {
  function withExec(exec: Json): JsonObject {
    return { resources: [{ name: 'h', postHooks: [{}, { exec }] }] };
  }

  it.each<[string, Json]>([
    ['only a command', { command: ['a'] }],
    [
      'H-113 everything',
      {
        container: 'bar',
        command: ['a', 'b'],
        onError: 'Continue',
        execTimeout: '10s',
        waitTimeout: '1h',
        waitForReady: true,
      },
    ],
    [
      'nothing where something may be left out',
      { command: ['a'], container: '', onError: '', execTimeout: '0s', waitTimeout: '' },
    ],
  ])('are accepted with %s', (_, exec) => {
    expect(validateHooks(withExec(exec))).toEqual([]);
  });

  it.each<[string, Json, string]>([
    ['no map', 'secret', ': found a string, expected a map'],
    ['H-110 no command', {}, '.command: found null, expected a list of strings'],
    [
      'H-110 H-111 an empty command',
      { command: [] },
      '.command: found an empty list, expected a program and its arguments',
    ],
    ['a command that is no list', { command: 'secret' }, '.command: found a string, expected a list of strings'],
    [
      'a part of a command that is no text',
      { command: ['secret', 1] },
      '.command: found a list, expected a list of strings',
    ],
    ['a container that is no text', { command: ['a'], container: 3 }, '.container: found a number, expected a string'],
    [
      'an unknown onError',
      { command: ['a'], onError: 'Ignore' },
      '.onError: found "Ignore", expected Continue or Fail',
    ],
    [
      'an onError that is no text',
      { command: ['a'], onError: 3 },
      '.onError: found a number, expected Continue or Fail',
    ],
    [
      'a waitForReady that is text',
      { command: ['a'], waitForReady: 'yes' },
      '.waitForReady: found a string, expected true or false',
    ],
    [
      'an unparsable execTimeout',
      { command: ['a'], execTimeout: '10' },
      '.execTimeout: found "10", expected a duration such as 30s or 1m30s',
    ],
    [
      'a negative execTimeout',
      { command: ['a'], execTimeout: '-1s' },
      '.execTimeout: found "-1s", expected a duration of at least 0',
    ],
    [
      'HX-09 a negative waitTimeout',
      { command: ['a'], waitTimeout: '-1s' },
      '.waitTimeout: found "-1s", expected a duration of at least 0',
    ],
    [
      'a waitTimeout that is a number',
      { command: ['a'], waitTimeout: 30 },
      '.waitTimeout: found a number, expected a duration such as 30s',
    ],
  ])('are refused with %s', (_, exec, problem) => {
    const errors = validateHooks(withExec(exec));
    expect(errors).toEqual([`invalid exec hook in restore hook "h": postHooks.1.exec${problem}`]);
    expect(errors[0]).not.toContain('secret');
  });

  it.each<[string, JsonObject, string]>([
    ['a name', { name: 3 }, 'name: found a number, expected a string'],
    ['namespaces', { includedNamespaces: 'a' }, 'includedNamespaces: found a string, expected a list of strings'],
    ['an entry of postHooks', { postHooks: ['a'] }, 'postHooks.0: found a string, expected a map'],
  ])('are refused with a wrong type of %s beside them', (_, resource, problem) => {
    expect(validateHooks({ resources: [resource] })).toEqual([`invalid restore hooks: resources.0.${problem}`]);
  });
});
