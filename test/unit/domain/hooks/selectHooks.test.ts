import { describe, expect, it } from '@jest/globals';
import { initRestoreHookAction } from '../../../../domain/actions/initRestoreHook.ts';
import { execHookFromAnnotations, initContainerFromAnnotations } from '../../../../domain/hooks/annotationHooks.ts';
import type { ExecHook } from '../../../../domain/hooks/hook.ts';
import { addInitContainers, InitHookError } from '../../../../domain/hooks/initContainers.ts';
import { selectExecHooks } from '../../../../domain/hooks/selectHooks.ts';
import { readSpecHooks } from '../../../../domain/hooks/specHooks.ts';
import type { Json, JsonObject } from '../../../../domain/json.ts';
import { runAction } from '../actions/runAction.ts';

type Annotations = Record<string, string>;

/** Annotations of an exec hook, by their short names. */
function exec(annotations: Annotations): Annotations {
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [`post.hook.restore.velero.io/${key}`, value]),
  );
}

function init(annotations: Annotations): Annotations {
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [`init.hook.restore.velero.io/${key}`, value]),
  );
}

function podWith(containers: readonly string[], metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'db-0', namespace: 'default', uid: 'u1', ...metadata },
    spec: { containers: containers.map((name) => ({ name, image: 'busybox' })) },
  };
}

const plain: ExecHook = {
  name: '<from-annotation>',
  source: 'annotation',
  index: 0,
  container: '',
  command: ['/usr/bin/foo'],
  onError: 'Continue',
  execTimeoutMs: 30_000,
  waitTimeoutMs: undefined,
  waitForReady: false,
};

describe('execHookFromAnnotations', () => {
  it.each<[string, Annotations]>([
    ['H-001 no annotations', {}],
    ['H-002 an empty command', exec({ command: '', container: 'a' })],
    ['H-132 no command', exec({ container: 'a', 'on-error': 'Fail' })],
  ])('finds no hook: %s', (_, annotations) => {
    expect(execHookFromAnnotations(annotations)).toBeUndefined();
  });

  it.each<[string, Annotations, Partial<ExecHook>]>([
    ['H-003 H-132 one word', { command: '/usr/bin/foo' }, {}],
    ['H-004 H-132 a JSON array', { command: '["a","b","c"]' }, { command: ['a', 'b', 'c'] }],
    ['H-132 an array that is not JSON', { command: '[foobarbaz' }, { command: ['[foobarbaz'] }],
    ['an array of other things than strings', { command: '["a",1]' }, { command: ['["a",1]'] }],
    ['words are not split', { command: '/bin/ls -la' }, { command: ['/bin/ls -la'] }],
    ['an empty array, which cannot be executed', { command: '[]' }, { command: [] }],
    ['H-005 H-132 Continue', { command: '/usr/bin/foo', 'on-error': 'Continue' }, { onError: 'Continue' }],
    ['H-006 H-132 Fail', { command: '/usr/bin/foo', 'on-error': 'Fail' }, { onError: 'Fail' }],
    [
      'H-007 H-132 both durations',
      { command: '/usr/bin/foo', 'exec-timeout': '45s', 'wait-timeout': '1h' },
      { execTimeoutMs: 45_000, waitTimeoutMs: 3_600_000 },
    ],
    ['H-132 5m3s', { command: '/usr/bin/foo', 'exec-timeout': '5m3s' }, { execTimeoutMs: 303_000 }],
    ['zero durations', { command: '/usr/bin/foo', 'exec-timeout': '0s', 'wait-timeout': '0' }, {}],
    ['H-008 H-132 a container', { command: '/usr/bin/foo', container: 'my-app' }, { container: 'my-app' }],
    ['ready', { command: '/usr/bin/foo', 'wait-for-ready': 'T' }, { waitForReady: true }],
    ['not ready', { command: '/usr/bin/foo', 'wait-for-ready': '0' }, { waitForReady: false }],
  ])('reads %s', (_, annotations, expected) => {
    expect(execHookFromAnnotations(exec(annotations))).toEqual({ hook: { ...plain, ...expected }, warnings: [] });
  });

  it.each<[string, Annotations, string]>([
    [
      'H-009 H-132 an exec-timeout that is none',
      { 'exec-timeout': 'none' },
      'exec-timeout: found "none", expected a Go duration such as 30s or 1m30s: ignored',
    ],
    [
      'H-010 a wait-timeout that is none',
      { 'wait-timeout': 'none' },
      'wait-timeout: found "none", expected a Go duration such as 30s or 1m30s: ignored',
    ],
    [
      'HX-09 a negative wait-timeout',
      { 'wait-timeout': '-5s' },
      'wait-timeout: found "-5s", expected a duration of at least 0: ignored',
    ],
    [
      'a negative exec-timeout',
      { 'exec-timeout': '-1m' },
      'exec-timeout: found "-1m", expected a duration of at least 0: ignored',
    ],
    [
      'an on-error of other words',
      { 'on-error': 'fail' },
      'on-error: found "fail", expected Continue or Fail: ignored',
    ],
    ['a truth value', { 'wait-for-ready': 'yes' }, 'wait-for-ready: found "yes", expected true or false: ignored'],
  ])('ignores with a warning: %s', (_, annotations, warning) => {
    expect(execHookFromAnnotations(exec({ command: '/usr/bin/foo', ...annotations }))).toEqual({
      hook: plain,
      warnings: [`annotation post.hook.restore.velero.io/${warning}`],
    });
  });
});

/** `spec.hooks` with these resource hooks; namespaces and labels as given. */
function hooksOf(...resources: readonly JsonObject[]): JsonObject {
  return { resources: resources.map((resource, index) => ({ name: `hook${index + 1}`, ...resource })) };
}

function execIn(container: string | undefined, more: JsonObject = {}): JsonObject {
  return { exec: { ...(container === undefined ? {} : { container }), command: ['run'], ...more } };
}

/** `container: name#index` of each hook, in order. */
function grouped(pod: JsonObject, annotations: Annotations, hooks: JsonObject | undefined): string[] {
  const selected = selectExecHooks(pod, annotations, readSpecHooks(hooks));
  expect(selected.hooks.map(({ number }) => number)).toEqual(selected.hooks.map((_, position) => position));
  return selected.hooks.map(({ container, name, index }) => `${container}: ${name}#${index}`);
}

describe('selectExecHooks', () => {
  const two = podWith(['container1', 'container2']);
  const annotated = exec({ command: '/usr/bin/foo', container: 'container1' });

  it.each<[string, JsonObject, Annotations, JsonObject | undefined, string[]]>([
    ['H-011 H-020 H-121 nothing', podWith([]), {}, undefined, []],
    ['a pod without containers', podWith([]), annotated, hooksOf({ postHooks: [execIn('a')] }), []],
    ['H-012 H-021 an annotation', two, annotated, undefined, ['container1: <from-annotation>#0']],
    [
      'H-013 an annotation without container',
      two,
      exec({ command: 'x' }),
      undefined,
      ['container1: <from-annotation>#0'],
    ],
    ['H-014 a hook of the Restore', two, {}, hooksOf({ postHooks: [execIn('container1')] }), ['container1: hook1#0']],
    ['H-015 one without container', two, {}, hooksOf({ postHooks: [execIn(undefined)] }), ['container1: hook1#0']],
    [
      'H-016 H-023 H-128 H-136 annotation and Restore',
      two,
      annotated,
      hooksOf({ postHooks: [execIn('container2')] }),
      ['container1: <from-annotation>#0'],
    ],
    [
      'H-017 H-122 an init hook only',
      two,
      {},
      hooksOf({ postHooks: [{ init: { initContainers: [{ name: 'i', image: 'i', command: ['c'] }] } }] }),
      [],
    ],
    [
      'H-018 H-122 another namespace',
      two,
      {},
      hooksOf({ includedNamespaces: ['other'], postHooks: [execIn('container1')] }),
      [],
    ],
    [
      'H-019 H-071 several hooks of several containers',
      podWith(['container1']),
      {},
      hooksOf(
        { postHooks: [execIn('container1'), execIn('container2'), execIn('container1')] },
        { postHooks: [execIn('container1', { waitForReady: true })] },
      ),
      ['container1: hook1#0', 'container1: hook1#2', 'container1: hook2#0', 'container2: hook1#1'],
    ],
    [
      'H-022 H-133 two hooks, two containers',
      two,
      {},
      hooksOf({ postHooks: [execIn('container1')] }, { postHooks: [execIn('container2')] }),
      ['container1: hook1#0', 'container2: hook2#0'],
    ],
    [
      'HX-10 equal names, containers and indexes are two hooks',
      two,
      {},
      hooksOf({ name: 'same', postHooks: [execIn('container1')] }, { name: 'same', postHooks: [execIn('container1')] }),
      ['container1: same#0', 'container1: same#0'],
    ],
    ['H-031 no hooks', two, {}, undefined, []],
    ['H-032 no resources', two, {}, {}, []],
    ['H-033 empty resources', two, {}, { resources: [] }, []],
  ])('%s', (_, pod, annotations, hooks, expected) => {
    expect(grouped(pod, annotations, hooks)).toEqual(expected);
  });

  it('H-012 H-014 H-065 keeps every value', () => {
    const hook = execIn('container1', { onError: 'Fail', execTimeout: '1m', waitTimeout: '2m', waitForReady: true });
    const { hooks } = selectExecHooks(two, {}, readSpecHooks(hooksOf({ postHooks: [{}, hook] })));
    expect(hooks).toEqual([
      {
        number: 0,
        name: 'hook1',
        source: 'spec',
        index: 1,
        container: 'container1',
        command: ['run'],
        onError: 'Fail',
        execTimeoutMs: 60_000,
        waitTimeoutMs: 120_000,
        waitForReady: true,
      },
    ]);
  });

  it('H-112 H-065 completes what is left out, as Continue with 30 s and no wait of its own', () => {
    const { hooks } = selectExecHooks(two, {}, readSpecHooks(hooksOf({ postHooks: [execIn(undefined)] })));
    expect(hooks).toMatchObject([
      { container: 'container1', onError: 'Continue', execTimeoutMs: 30_000, waitForReady: false },
    ]);
    expect(hooks[0]!.waitTimeoutMs).toBeUndefined();
  });

  it.each<[string, JsonObject, boolean]>([
    ['H-052 an empty selector', {}, true],
    ['H-053 an included namespace', { includedNamespaces: ['default'], excludedNamespaces: ['other'] }, true],
    ['H-053 a glob', { includedNamespaces: ['def*'] }, true],
    ['H-054 a namespace that is not included', { includedNamespaces: ['other'] }, false],
    ['H-055 H-122 an excluded namespace', { excludedNamespaces: ['default'] }, false],
    ['H-034 H-056 included resources, which do not count', { includedResources: ['pods'] }, true],
    ['H-057 H-120 other resources, which do not count', { includedResources: ['deployments'] }, true],
    ['H-058 excluded resources, which do not count', { excludedResources: ['pods'] }, true],
    ['H-059 labels that match', { labelSelector: { matchLabels: { app: 'db' } } }, true],
    [
      'H-059 an expression that matches',
      { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['db'] }] } },
      true,
    ],
    ['H-060 H-122 labels that do not match', { labelSelector: { matchLabels: { app: 'web' } } }, false],
  ])('%s', (_, selector, applies) => {
    const pod = podWith(['container1'], { labels: { app: 'db' } });
    const found = grouped(pod, {}, hooksOf({ ...selector, postHooks: [execIn('container1')] }));
    expect(found).toEqual(applies ? ['container1: hook1#0'] : []);
  });
});

describe('initContainerFromAnnotations', () => {
  it.each<[string, Annotations, JsonObject | undefined]>([
    ['H-024 an empty image', init({ 'container-image': '', command: 'x' }), undefined],
    ['H-025 no image', init({ 'container-name': 'n', command: 'x' }), undefined],
    [
      'H-026 an empty name',
      init({ 'container-image': 'i', 'container-name': '', command: 'a b' }),
      { name: 'velero-restore-init-4a49acf8', image: 'i', command: ['a b'] },
    ],
    [
      'H-027 no name',
      init({ 'container-image': 'i', command: 'a b' }),
      { name: 'velero-restore-init-4a49acf8', image: 'i', command: ['a b'] },
    ],
    [
      'H-028 a text as command',
      init({ 'container-image': 'i', 'container-name': 'n', command: 'a b' }),
      { name: 'n', image: 'i', command: ['a b'] },
    ],
    [
      'H-029 an array as command',
      init({ 'container-image': 'i', 'container-name': 'n', command: '["a","b","c"]' }),
      { name: 'n', image: 'i', command: ['a', 'b', 'c'] },
    ],
    [
      'H-030 an array that is none',
      init({ 'container-image': 'i', 'container-name': 'n', command: '[foobarbaz' }),
      { name: 'n', image: 'i', command: ['[foobarbaz'] },
    ],
    [
      'HX-05 no command: the entry point of the image',
      init({ 'container-image': 'i', 'container-name': 'n' }),
      { name: 'n', image: 'i' },
    ],
  ])('%s', (_, annotations, expected) => {
    expect(initContainerFromAnnotations(annotations, 'uid-1')).toEqual(expected);
  });
});

const hookContainers = ['one', 'two'].map((name) => ({ name, image: 'i', command: ['c'] }));
const specHook = hooksOf({ postHooks: [{ init: { initContainers: hookContainers } }] });

describe('addInitContainers', () => {
  const annotated = init({ 'container-image': 'i', 'container-name': 'annotated', command: 'x' });

  function namesOf(
    existing: readonly string[] | undefined,
    hooks: JsonObject | undefined,
    annotations: Annotations = {},
  ): (Json | undefined)[] {
    const base = podWith(['main']);
    const pod =
      existing === undefined
        ? base
        : {
            ...base,
            spec: { ...(base['spec'] as JsonObject), initContainers: existing.map((name) => ({ name })) },
          };
    const changed = addInitContainers(pod, {
      annotations,
      target: { namespace: 'default', labels: {} },
      resourceHooks: readSpecHooks(hooks),
      restoreUid: 'uid-1',
    });
    const containers = (changed['spec'] as JsonObject)['initContainers'];
    return Array.isArray(containers) ? containers.map((container) => (container as JsonObject)['name']) : [];
  }

  it.each<[string, string[] | undefined, JsonObject | undefined, Annotations, string[]]>([
    ['H-035 an annotation', undefined, undefined, annotated, ['annotated']],
    ['H-036 an annotation before three', ['a', 'b', 'c'], undefined, annotated, ['annotated', 'a', 'b', 'c']],
    ['H-037 an annotation and the Restore', undefined, specHook, annotated, ['annotated']],
    ['H-038 two of the Restore', undefined, specHook, {}, ['one', 'two']],
    ['H-039 two before three', ['a', 'b', 'c'], specHook, {}, ['one', 'two', 'a', 'b', 'c']],
    [
      'H-040 an excluded namespace',
      ['a'],
      hooksOf({ excludedNamespaces: ['default'], postHooks: [{ init: { initContainers: hookContainers } }] }),
      {},
      ['a'],
    ],
    ['H-041 behind restore-wait', ['restore-wait'], specHook, {}, ['restore-wait', 'one', 'two']],
    [
      'H-042 between restore-wait and others',
      ['restore-wait', 'a', 'b'],
      specHook,
      {},
      ['restore-wait', 'one', 'two', 'a', 'b'],
    ],
    [
      'restore-wait elsewhere is like any other',
      ['a', 'restore-wait'],
      specHook,
      {},
      ['one', 'two', 'a', 'restore-wait'],
    ],
    ['H-043 no hooks', ['a'], undefined, {}, ['a']],
    ['H-044 empty hooks', ['a'], { resources: [] }, {}, ['a']],
  ])('%s', (_, existing, hooks, annotations, expected) => {
    expect(namesOf(existing, hooks, annotations)).toEqual(expected);
  });

  it.each<[string, JsonObject, string]>([
    [
      'H-047 no command',
      { name: 'n', image: 'i' },
      "invalid InitContainer in restore hook, it doesn't have Command, Name or Image field",
    ],
    [
      'a command that is no list',
      { name: 'n', image: 'i', command: 'secret' },
      'invalid init container in restore hook "hook1" for pod default/db-0: command: found a string, expected a list of strings',
    ],
  ])('%s is an error of the pod', (_, container, message) => {
    const hooks = hooksOf({ postHooks: [{ init: { initContainers: [container] } }] });
    expect(() => namesOf(undefined, hooks)).toThrow(new InitHookError(message));
  });
});

describe('velero.io/init-restore-hook', () => {
  it.each<[string, string, string[]]>([
    ['H-045 the original namespace', 'default', []],
    ['H-046 the namespace that it is mapped to', 'new', ['one', 'two']],
  ])('under a mapping to new, hooks for %s', async (_, included, expected) => {
    const hooks = hooksOf({
      includedNamespaces: [included],
      postHooks: [{ init: { initContainers: hookContainers } }],
    });
    const { item } = await runAction(initRestoreHookAction, podWith(['main']), {
      spec: { namespaceMapping: { default: 'new' }, hooks },
    });
    const containers = (item['spec'] as JsonObject)['initContainers'] ?? [];
    expect((containers as JsonObject[]).map(({ name }) => name)).toEqual(expected);
    expect(item['metadata']).toMatchObject({ namespace: 'default' });
  });
});
